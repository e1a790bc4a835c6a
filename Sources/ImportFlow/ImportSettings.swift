/// Validated settings of a run: what `HK2PGCommand` makes of flags, environment and pipeline files. Nothing in here is
/// still a guess except what only the export or the database can tell.
package struct ImportSettings: Sendable {
  /// Path of .zip, .xml or folder; `-` for XML on stdin.
  package var exportPath: String
  /// libpq URL or key=value string; nil: the private cluster, started on demand; "" = libpq's own environment.
  package var conninfo: String?
  package var user: String
  /// True when `--user` or HEALTHKIT_USER_ID named it, false when it is the generated one.
  package var isUserExplicit: Bool
  /// IANA name of `--timezone`.
  package var timezone: String?
  package var jobs: Int
  /// Local days before ExportDate; nil keeps all raw rows.
  package var rawWindowDays: Int?
  package var isSalvage = false
  /// `--source-priority`: metric type ("" for all) to source names, best first; empty: none from now on; nil: not given.
  package var sourcePriority: [String: [String]]?
  package var missingRows = MissingRows.automatic
  package var rejectsPath: String?
  package var maxRejects: Int?
  package var isForced = false
  /// Give up at once when another import of the user runs.
  package var isNoWait = false
  /// Folder for work files and chunks; nil: a folder under `$XDG_CACHE_HOME/hk2pg`, removed after success.
  package var stagingPath: String?
  package var keepsChunks = false
  /// The export's digest, as an earlier run computed it; nil: it is computed when it is needed.
  package var knownDigest: KnownDigest?
  /// Ceiling for sorted samples held in memory, in bytes.
  package var sortMemory = 64 << 20

  /// Holds while the export's identity is this one: a file of many GB is read no second time.
  package struct KnownDigest: Sendable, Equatable {
    /// `OpenExport.identity`.
    package var identity: String
    package var digest: String

    package init(identity: String, digest: String) {
      self.identity = identity
      self.digest = digest
    }
  }

  package enum MissingRows: String, Sendable { case automatic, keep, remove }

  package init(exportPath: String, user: String, isUserExplicit: Bool, jobs: Int) {
    self.exportPath = exportPath
    self.user = user
    self.isUserExplicit = isUserExplicit
    self.jobs = jobs
  }

  /// The ranks that hold: the given ones, else those that `hk2pg.user_settings` has kept.
  func ranks(stored: [String: [String]]?) -> [String: [String]] { sourcePriority ?? stored ?? [:] }
}
