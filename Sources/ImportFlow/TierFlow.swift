package import BoundedQueues
import DailySummaries
import Foundation
package import HealthModel
package import Loading

/// Whose rows a command that reads no export works on, and where they are.
package struct TierSettings: Sendable, Equatable {
  /// As in `ImportSettings`.
  package var conninfo: String?
  package var user: String
  package var isUserExplicit: Bool
  package var isNoWait = false

  package init(conninfo: String?, user: String, isUserExplicit: Bool) {
    self.conninfo = conninfo
    self.user = user
    self.isUserExplicit = isUserExplicit
  }
}

/// What `hk2pg summarize` was asked for; nil: as stored.
package struct SummarizeOptions: Sendable, Equatable {
  package var timezone: String?
  package var sourcePriority: [String: [String]]?
  package var days: ClosedRange<CivilDay>?

  package init(
    timezone: String? = nil, sourcePriority: [String: [String]]? = nil, days: ClosedRange<CivilDay>? = nil
  ) {
    self.timezone = timezone
    self.sourcePriority = sourcePriority
    self.days = days
  }
}

/// A result with the database it is of: host, port, database and role.
package struct TierResult<Outcome: Sendable>: Sendable {
  package var database: String
  package var user: String
  package var outcome: Outcome
  /// Where the zone was taken from.
  package var zoneOrigin: String
  package var seconds: Double

  package init(database: String, user: String, outcome: Outcome, zoneOrigin: String, seconds: Double) {
    self.database = database
    self.user = user
    self.outcome = outcome
    self.zoneOrigin = zoneOrigin
    self.seconds = seconds
  }
}

/// The commands that work on what the tables hold already.
extension ImportFlow {
  /// `hk2pg summarize`.
  package static func summarize(
    _ settings: TierSettings, _ options: SummarizeOptions, interruption: Interruption, progress: @escaping Progress
  ) throws -> TierResult<SummarizeOutcome> {
    let clock = RunClock()
    var ranked = ImportSettings(settings)
    ranked.sourcePriority = options.sourcePriority
    let target = try LoadTarget(ranked, interruption: interruption, progress: progress)
    defer { target.loader.close() }
    // No export is at hand whose HKTimeZone could say.
    let zone = try UserZone.resolve(option: options.timezone, stored: target.stored?.zone, facts: ExportFacts())
    if let days = options.days, target.stored?.zone == nil { throw FlowError.daysWithoutZone(first: days.lowerBound) }
    let request = SummarizeRequest(
      zone: zone.rules.name, sourcePriority: ranked.ranks(stored: target.stored?.sourcePriority),
      days: options.days)
    let outcome = try target.loader.summarize(request)
    return TierResult(
      database: target.description, user: settings.user, outcome: outcome, zoneOrigin: zone.origin.words,
      seconds: clock.seconds)
  }

  /// `hk2pg prune`.
  package static func prune(
    _ settings: TierSettings, keptDays: Int, isDryRun: Bool, interruption: Interruption, progress: @escaping Progress
  ) throws -> TierResult<PruneOutcome> {
    let clock = RunClock()
    let target = try LoadTarget(ImportSettings(settings), interruption: interruption, progress: progress)
    defer { target.loader.close() }
    let now = Instant(seconds: Int64(Date().timeIntervalSince1970))
    let outcome = try target.loader.prune(PruneRequest(keptDays: keptDays, isDryRun: isDryRun, now: now))
    return TierResult(
      database: target.description, user: settings.user, outcome: outcome,
      zoneOrigin: UserZone.Origin.userSettings.words,
      seconds: clock.seconds)
  }
}

extension ImportSettings {
  fileprivate init(_ settings: TierSettings) {
    self.init(exportPath: "", user: settings.user, isUserExplicit: settings.isUserExplicit, jobs: 1)
    conninfo = settings.conninfo
    isNoWait = settings.isNoWait
  }
}

extension UserZone.Origin {
  /// Where there is no export.
  fileprivate var words: String { self == .machine ? "this machine" : rawValue }
}
