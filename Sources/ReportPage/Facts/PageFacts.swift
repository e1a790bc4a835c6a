import DailySummaries
package import HealthModel
package import Queries

/// Everything that a page shows of one user, as it is embedded: JSON that `series.js` unpacks.
package struct PageFacts: Encodable, Sendable {
  package var user: String
  package var zone: String
  /// The local day of the report: days since 1970-01-01.
  package var today: Int
  package var writtenAt: PageMoment
  package var newestExport: PageMoment?
  package var version: String
  package var series: [PageSeries] = []
  package var rings: PageRings?
  package var workouts: PageWorkouts?
  /// nil: the database does not tell.
  package var sources: [PageSource]?
  package var imports: [PageImport]?

  /// Samples before this day have no real date: nobody had a sensor, and 1970 is what apps write for none.
  static let firstDay = CivilDay(year: 1980, month: 1, day: 1)
  static let importLimit = 50

  /// Reads all of it. Throws what `ReadSession` throws.
  ///
  /// - Parameter words: says what a kind of problem is, after the number given.
  package static func read(
    _ session: ReadSession, version: String, words: (ProblemKind, Int) -> String
  ) throws -> PageFacts {
    let moment = PageMoment(session.now, session.zone)
    var facts = PageFacts(
      user: session.user, zone: session.zone.name, today: Int(session.today.daysSince1970), writtenAt: moment,
      newestExport: session.newestExportDate.map { PageMoment($0, session.zone) }, version: version)
    let stored = try session.overview()
    let first = stored.map(\.days.lowerBound).min() ?? session.today
    // Nothing of tomorrow: what lies in the future has a wrong clock.
    let days = min(max(first, firstDay), session.today)...session.today
    for metric in Set(stored.map { Metric($0.metric.rawType) }).sorted(by: { $0.identifier < $1.identifier })
    where metric.kind != .none {
      let family = try session.dailyFamily(metric, days)
      facts.series += family.sorted { $0.key < $1.key }.compactMap { PageSeries(Metric($0.key), $0.value) }
    }
    let newestDay = facts.days.map { Int($0.upperBound.daysSince1970) } ?? facts.today
    for index in facts.series.indices { facts.series[index].trim(newestDay: newestDay) }
    facts.rings = PageRings(try session.rings(days))
    facts.workouts = PageWorkouts(try session.workouts(days, limit: PageWorkouts.limit), session.zone)
    facts.sources = try session.sources()?.map(PageSource.init)
    facts.imports = try session.imports(limit: importLimit)?.map { PageImport($0, session.zone, words) }
    return facts
  }

  /// First and last day with a figure.
  package var days: ClosedRange<CivilDay>? {
    let firsts = series.compactMap { $0.day.d.first }
    let lasts = series.map { $0.day.d.reduce(0, +) }
    guard let first = firsts.min(), let last = lasts.max() else { return nil }
    return CivilDay(daysSince1970: Int32(clamping: first))...CivilDay(daysSince1970: Int32(clamping: last))
  }

  /// Nothing at all is stored of the user.
  package var isEmpty: Bool { series.isEmpty && rings == nil && workouts == nil }
}
