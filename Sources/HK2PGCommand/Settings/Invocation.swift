import BoundedQueues
import HealthModel
import ImportFlow
import Queries

/// A whole command line, understood and checked: only this travels on.
struct Invocation: Sendable {
  var command: Command
  var output: OutputSettings

  enum Command: Sendable {
    case help(CommandName?)
    case version
    case importExport(ImportSettings, DatabaseChoice)
    case stage(ImportSettings, into: String)
    case load(folder: String, ImportSettings, DatabaseChoice)
    case inspect(ImportSettings)
    case summarize(TierSettings, SummarizeOptions, DatabaseChoice)
    case prune(TierSettings, keptDays: Int, isDryRun: Bool, DatabaseChoice)
    case verify(VerifySettings, DatabaseChoice)
    case migrate(MigrateSettings)
    case dump(TierSettings, into: String, DatabaseChoice)
    case schemaPrint
    /// `partitions` 0: none.
    case schemaDistributed(partitions: Int)
    case schemaApply(DatabaseChoice)
    /// `user` nil: all users.
    case status(DatabaseChoice, user: String?, isCleaning: Bool)
    case query(QuerySettings, DatabaseChoice)
    case mcp(QueryUser, DatabaseChoice)
    /// `path` nil: standard output.
    case report(QueryUser, path: String?, DatabaseChoice)
    case database(DatabaseAction)
    case run(PipelineRequest)
  }

  enum DatabaseAction: Sendable, Equatable {
    case start, stop, status, url
    /// Arguments for psql.
    case psql([String])
  }
}

/// Whose rows are read.
struct QueryUser: Sendable, Equatable {
  var id: String
  var isExplicit: Bool
}

/// What `hk2pg query` was asked for.
struct QuerySettings: Sendable, Equatable {
  enum Days: Sendable, Equatable {
    case last(Int)
    /// `to` nil: today.
    case range(from: CivilDay, to: CivilDay?)
  }

  /// As typed; nil: what is there.
  var metric: String?
  var days = Days.last(30)
  var period = Period.day
  var isCSV = false
  var user: QueryUser
}

/// Where results, progress and errors go, and in which dress.
struct OutputSettings: Sendable, Equatable {
  enum Progress: String, Sendable, CaseIterable { case auto, bar, plain, json, none }

  var progress = Progress.auto
  var isQuiet = false
  var isJSON = false
  var isDebug = false
  var reportPath: String?
  var isColoured = false
  /// Where the result of a pipeline's step goes, in place of stdout.
  var capture: ResultCapture?

  func writeResult(_ text: String) {
    if let capture { capture.add(text) } else { Console.writeResult(text) }
  }
}

/// The result of a command, kept for whoever runs it.
final class ResultCapture: Sendable, Equatable {
  private let stored = Guarded("")

  func add(_ text: String) { stored.withLock { $0 += text } }

  var text: String { stored.withLock { $0 } }

  static func == (a: ResultCapture, b: ResultCapture) -> Bool { a === b }
}
