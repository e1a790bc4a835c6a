import DailySummaries
import HealthModel
import PostgresClient
import Staging

/// Which stretches of time imports have brought all raw rows of. `--raw-window` withholds older ones (DESIGN §4.6), so a
/// summary there says more than the rows.
struct RawCoverage: Equatable {
  /// Dates of exports that were loaded whole: all rows before them are there.
  var wholeUntil: [Instant] = []
  /// First instant of a raw window, and the date of its export.
  var windows: [(start: Instant, end: Instant)] = []

  /// The first day of a window lacks what reaches into it from before: spill-overs, the evening of a night's sleep.
  private static let margin: Int64 = 86_400_000_000

  static func == (a: RawCoverage, b: RawCoverage) -> Bool {
    a.wholeUntil == b.wholeUntil && a.windows.elementsEqual(b.windows) { $0.start == $1.start && $0.end == $1.end }
  }

  /// Whether the rows of a local day are all there, as far as imports are concerned.
  func isComplete(_ day: Range<Instant>) -> Bool {
    windows.allSatisfy { RawCoverage.isInside($0, day) } || wholeUntil.contains { $0 >= day.upperBound }
      || windows.contains { RawCoverage.isInside($0, day) && day.upperBound <= $0.end }
  }

  /// Whether rows may be missing that only reach into the day: the rows that start on it do not tell.
  func isBorder(_ day: Range<Instant>) -> Bool {
    !isComplete(day)
      && windows.contains { window in
        day.overlaps(window.start..<Instant(microseconds: window.start.microseconds + RawCoverage.margin))
      }
  }

  /// Whether an import may have summed up rows of the day that it withheld.
  func isBeforeWindow(_ day: Range<Instant>) -> Bool { windows.contains { !RawCoverage.isInside($0, day) } }

  /// With what another import brings.
  func adding(_ other: RawCoverage) -> RawCoverage {
    RawCoverage(wholeUntil: wholeUntil + other.wholeUntil, windows: windows + other.windows)
  }

  private static func isInside(_ window: (start: Instant, end: Instant), _ day: Range<Instant>) -> Bool {
    day.lowerBound.microseconds >= window.start.microseconds + margin
  }

  init(wholeUntil: [Instant] = [], windows: [(start: Instant, end: Instant)] = []) {
    self.wholeUntil = wholeUntil
    self.windows = windows
  }

  /// Of one export that is being loaded: what it does not withhold is there.
  init(of manifest: Manifest, zone: ZoneRules) {
    let date = (manifest.export.exportDate ?? manifest.export.newestCreation).flatMap { Instant(iso8601: $0) }
    add(date: date, windowDays: manifest.options.rawWindowDays, zone: zone)
  }

  /// Of all finished imports of a user.
  static func read(userID: String, _ connection: PostgresConnection) throws -> RawCoverage {
    let result = try connection.query(
      """
      SELECT floor(extract(epoch FROM export_date))::bigint AS date, zone, (options->>'rawWindowDays')::integer AS days
      FROM hk2pg.imports WHERE user_id = $1 AND state = 'finished'
      ORDER BY import_id
      """, [userID])
    var coverage = RawCoverage()
    for row in result.rows {
      // A zone that this machine has lost: UTC is off by less than the margin.
      let zone = (try? SystemZones.load(name: try row.text("zone"))) ?? .utc
      let date = try row.optionalInt("date").map { Instant(seconds: Int64($0)) }
      coverage.add(date: date, windowDays: try row.optionalInt("days"), zone: zone)
    }
    return coverage
  }

  private mutating func add(date: Instant?, windowDays: Int?, zone: ZoneRules) {
    guard let date else { return }
    if let windowDays {
      windows.append((zone.firstInstant(of: zone.localDay(of: date).advanced(by: -windowDays)), date))
    } else {
      wholeUntil.append(date)
    }
  }
}
