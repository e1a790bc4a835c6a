import TestSupport
import Testing

/// A database with an export of the days up to the day before yesterday: what commands that look back from today need.
struct RecentImport {
  let database: TestDatabase
  let user: String

  /// `days` before today is the first one.
  init(_ programs: Programs, user: String, days: Int = 120) throws {
    database = try TestDatabase()
    self.user = user
    let imported = try programs.run(["import", try programs.recentExport("8MB", days: days)] + target)
    #expect(imported.status == 0, "\(imported.errors)")
  }

  /// Options that name the database and the user.
  var target: [String] { ["--database", database.conninfo, "--user", user] }

  /// A live app went on today and yesterday, and knows more than the export.
  func addLiveVariability(minutesAgo: [Int]) throws {
    for minutes in minutesAgo {
      try database.query(
        """
        INSERT INTO healthkit_metrics (user_id, metric_type, value, unit, source_device, started_at)
        VALUES ($1, 'HKQuantityTypeIdentifierHeartRateVariabilitySDNN', 61.5, 'ms', 'Live',
          now() - make_interval(mins => $2::int))
        """, [user, "\(minutes)"])
    }
  }
}
