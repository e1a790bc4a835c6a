import HealthModel
import Loading
import PostgresClient
import TestSupport
import Testing

@testable import Queries

/// A database with the tables of hk2pg, and rows as an export and a live app leave them.
final class QueriesFixture {
  static let user = "f47ac10b-58cc-4372-a567-0e02b2c3d479"
  static let steps = "HKQuantityTypeIdentifierStepCount"
  static let hrv = "HKQuantityTypeIdentifierHeartRateVariabilitySDNN"

  let database: TestDatabase
  /// 2024-06-10, noon in Berlin.
  var now = QueriesFixture.time("2024-06-10T10:00:00Z")

  init() throws {
    database = try TestDatabase()
    try Schema.apply(database.connection)
    try database.execute(
      """
      INSERT INTO hk2pg.user_settings (user_id, zone, newest_export_date)
      VALUES ('\(QueriesFixture.user)', 'Europe/Berlin', '2024-06-09T16:00:00Z');
      INSERT INTO hk2pg.sources (user_id, name, class, first_sample_at) VALUES
        ('\(QueriesFixture.user)', 'Watch', 'watch', '2020-01-01Z'),
        ('\(QueriesFixture.user)', 'Phone', 'phone', '2019-01-01Z')
      """)
  }

  static func time(_ text: String) -> Instant {
    guard let instant = Instant(iso8601: text) else { preconditionFailure(text) }
    return instant
  }

  static func day(_ month: Int, _ day: Int, year: Int = 2024) -> CivilDay {
    CivilDay(year: year, month: month, day: day)
  }

  func reader(_ user: String = QueriesFixture.user, _ connection: PostgresConnection? = nil) -> HealthReader {
    HealthReader(connection ?? database.connection, user: user, now: { [now] in now })
  }

  func read<T>(_ body: (ReadSession) throws -> T) throws -> T { try reader().read(body) }

  /// What a tool of the server answers.
  func call(_ name: String, _ arguments: [String: JSONValue] = [:]) throws -> JSONValue {
    let tool = try #require(HealthTools.all.first { $0.name == name })
    return try read { try tool.body($0, try ToolArguments(arguments, tool.parameters)) }
  }

  /// One line a day: `06-09 42.0 raw`.
  func lines(_ metric: String, _ days: ClosedRange<CivilDay>) throws -> [String] {
    let metric = Metric(metric)
    return try read { try $0.daily(metric, days) }.map { QueriesFixture.line($0, metric.measure) }
  }

  static func line(_ point: DailyPoint, _ measure: Metric.Measure) -> String {
    let value = point.value(measure).map { "\(($0 * 1000).rounded() / 1000)" } ?? "-"
    return "\(point.day.description.dropFirst(5)) \(value) \(point.tier)"
  }

  // MARK: Rows

  /// A raw row: of ours when `isOurs`, else of a live app.
  func row(
    _ type: String, _ start: String, minutes: Int = 10, value: Double, source: String = "Watch",
    unit: String = "count", metadata: String? = nil, isOurs: Bool = true, user: String = QueriesFixture.user
  ) throws {
    try database.query(
      """
      INSERT INTO healthkit_metrics (id, user_id, metric_type, value, unit, source_device, started_at, ended_at, metadata)
      SELECT CASE WHEN $9 = 't' THEN overlay(overlay(g.id::text placing '8' from 15) placing '8' from 20)::uuid ELSE g.id END,
        $1, $2, $3::float8, $4, $5, $6::timestamptz, $6::timestamptz + $7::interval, $8::jsonb
      FROM (SELECT gen_random_uuid() AS id) g
      """,
      [user, type, "\(value)", unit, source, start, "\(minutes) minutes", metadata, isOurs ? "t" : "f"])
  }

  func summary(
    _ type: String, _ day: String, sum: Double?, average: Double? = nil, count: Int = 1,
    unit: String = "count", user: String = QueriesFixture.user
  ) throws {
    try database.query(
      """
      INSERT INTO healthkit_daily_summaries
        (user_id, metric_type, summary_date, avg_value, min_value, max_value, sum_value, sample_count, unit)
      VALUES ($1, $2, $3::date, $5::float8, $5::float8, $5::float8, $4::float8, $6::integer, $7)
      """,
      [user, type, day, sum.map { "\($0)" }, average.map { "\($0)" }, "\(count)", unit])
  }

  func steps(
    _ start: String, minutes: Int = 10, value: Double, source: String = "Watch", isOurs: Bool = true,
    user: String = QueriesFixture.user
  ) throws {
    try row(
      QueriesFixture.steps, start, minutes: minutes, value: value, source: source, isOurs: isOurs, user: user)
  }

  func stepSummary(_ day: String, sum: Double, count: Int = 1, user: String = QueriesFixture.user) throws {
    try summary(QueriesFixture.steps, day, sum: sum, count: count, user: user)
  }

  func prunedDay(_ type: String, _ day: String) throws {
    try database.query(
      """
      INSERT INTO hk2pg.pruned_days (user_id, metric_type, day, starts_at, ends_at, row_count)
      VALUES ($1, $2, $3::date, $3::date::timestamp AT TIME ZONE 'Europe/Berlin',
        ($3::date + 1)::timestamp AT TIME ZONE 'Europe/Berlin', 1)
      """, [QueriesFixture.user, type, day])
  }
}
