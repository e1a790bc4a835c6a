import Foundation

/// What a load did (DESIGN §7.1): staged = new + alreadyThere + superseded + asideForLive + withheld.
package struct LoadOutcome: Codable, Sendable, Equatable {
  package var importID = 0
  package var staged = 0
  /// Samples that became rows.
  package var new = 0
  /// Samples whose row is there; `changed` of them were rewritten because something differed.
  package var alreadyThere = 0
  package var changed = 0
  /// Samples a newer export has overruled.
  package var superseded = 0
  /// Samples that a row of another program stands for.
  package var asideForLive = 0
  /// Samples of pruned days.
  package var withheld = 0
  /// Rows of ours that were deleted: the export has samples of their type, source and day, but not these.
  package var removed = 0
  /// Rows of ours that went because a live row came later.
  package var steppedAside = 0
  /// Rows of ours that the export lacks and that stay.
  package var keptMissing = KeptMissing()
  package var summaries = Summaries()
  /// Rows of the user afterwards, of all programs; nil when not counted.
  package var rowsInTable = 0
  package var tableBytes: Int64 = 0
  package var indexBytes: Int64 = 0
  package var databaseBytes: Int64 = 0
  /// What was left undone without harm, for instance "VACUUM: not the owner".
  package var notes: [Note] = []

  package struct KeptMissing: Codable, Sendable, Equatable {
    /// The export has no sample of their type, source and day.
    package var groupNotInExport = 0
    /// It has less than half as many as the table.
    package var underHalf = 0
    /// More than 5 % of the type would go.
    package var overFivePercent = 0
    /// The export is older, salvaged, or `--missing-rows keep` was given.
    package var notAsked = 0
    /// Types that the 5 % rule spared.
    package var sparedTypes: [String] = []

    package var total: Int { groupNotInExport + underHalf + overFivePercent + notAsked }
  }

  package struct Summaries: Codable, Sendable, Equatable {
    package var written = 0
    package var unchanged = 0
    package var removed = 0
    /// Days of another program, or pruned days, whose summary covers more samples.
    package var kept = 0
    /// Recomputed from the table: kept history or live rows share the day.
    package var recomputed = 0
  }

  package enum Note: String, Codable, Sendable, Equatable {
    case olderExport, vacuumSkipped, indexRebuilt, viewInOwnSchema, zoneUnknownToServer, hashesDiffer
  }

  package init() {}

  package var isBalanced: Bool { staged == new + alreadyThere + superseded + asideForLive + withheld }

  init(json: String) throws { self = try JSONDecoder().decode(LoadOutcome.self, from: Data(json.utf8)) }

  var json: String {
    get throws { String(decoding: try JSONEncoder().encode(self), as: UTF8.self) }
  }
}
