package import HealthModel

/// What `hk2pg summarize` is to do.
package struct SummarizeRequest: Sendable, Equatable {
  /// IANA name; becomes the user's zone.
  package var zone: String
  /// Metric type ("" for all types) to source names, best first; becomes the user's.
  package var sourcePriority: [String: [String]]
  /// Only these local days; zone and ranks must be the stored ones then.
  package var days: ClosedRange<CivilDay>?

  package init(zone: String, sourcePriority: [String: [String]] = [:], days: ClosedRange<CivilDay>? = nil) {
    self.zone = zone
    self.sourcePriority = sourcePriority
    self.days = days
  }
}

/// What `hk2pg summarize` did.
package struct SummarizeOutcome: Sendable, Equatable {
  package var zone = ""
  /// The zone of the summaries so far, if it was another one.
  package var formerZone: String?
  /// Sources of the types without a list of their own, best first.
  package var sourceRanking: [String] = []
  /// Names in the lists that no source has.
  package var unmatchedNames: [String] = []
  /// Raw rows read, of all programs, and how many types they are of.
  package var rows = 0
  package var types = 0
  /// Rows that no summary holds: a unit that does not convert, no number, an unknown state.
  package var leftOutRows = 0
  /// Summary rows recomputed = written + unchanged + kept.
  package var recomputed = 0
  package var written = 0
  package var unchanged = 0
  /// Another program's, which covers more samples.
  package var kept = 0
  /// Of days and types whose raw rows give no such summary any more.
  package var removed = 0
  /// Types and days with raw rows that were left as they are: pruned, or before a raw window.
  package var prunedDays = 0
  package var withheldDays = 0
  /// The server knows no such zone, so the view shows UTC days for raw rows.
  package var isZoneUnknownToServer = false

  package init() {}
}
