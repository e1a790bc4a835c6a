import BoundedQueues
import DailySummaries
import ExportReader
import ImportFlow
import Loading
import Pipelines
import PostgresClient
import PrivateCluster
import Queries
import Staging

/// How a run failed, in words: what failed and on what, what to do next, and with which exit code.
///
/// The one place where errors become sentences. Default sentences hold no health value, name, password or server
/// DETAIL; `detail` may, and is shown with `--debug` only.
struct Failure: Equatable, Sendable {
  var code: ExitCode
  /// One sentence without a full stop: what, on what (path, byte, line, table, SQLSTATE).
  var what: String
  /// What to do next, as whole sentences.
  var next: String?
  var detail: String?

  init(_ code: ExitCode, _ what: String, next: String? = nil, detail: String? = nil) {
    self.code = code
    self.what = what
    self.next = next
    self.detail = detail
  }

  /// - Parameters:
  ///   - signal: the signal that asked for a stop, if one did. What fails then fails because of it.
  ///   - export: path of the export that was read.
  ///   - line: of an export error's byte offset.
  init(_ error: any Error, signal: Int32? = nil, export: String? = nil, line: Int? = nil) {
    if let signal {
      self.init(interruptedBy: signal)
      detail = "\(error)"
      return
    }
    switch error {
    case let error as ExportError: self.init(export: error, path: export, line: line)
    case let error as UsageError: self.init(usage: error)
    case let error as StagingError: self.init(staging: error)
    case let error as SystemZoneError: self.init(zone: error)
    case let error as CopyError: self.init(copy: error)
    case let error as LoadError: self.init(load: error)
    case let error as PostgresError: self.init(postgres: error)
    case let error as ClusterError: self.init(cluster: error)
    case let error as QueryError: self.init(query: error)
    case let error as PageError: self.init(page: error)
    case let error as FlowError: self.init(flow: error)
    case let error as PipelineError: self.init(pipeline: error)
    case let error as CohortError: self.init(pipeline: .cohort(error))
    case let error as ReportFileError: self.init(reportFile: error)
    case is Interrupted: self.init(interruptedBy: 2)
    default:
      self.init(
        .failed, "something unexpected went wrong (\(type(of: error)))",
        next: "Run it again with --debug, and report what it shows.", detail: "\(error)")
    }
  }

  private init(reportFile error: ReportFileError) {
    self.init(
      .failed,
      "the run is done, but its report \(error.path) could not be written: \(error.reason ?? "unknown reason")",
      next: "The same facts are in the result above; hk2pg status shows the import.")
  }

  init(interruptedBy signal: Int32) {
    let code = ExitCode.signal(signal)
    let how = code == .terminated ? "ended by SIGTERM" : "interrupted"
    self.init(code, "\(how); nothing is half done, it is safe to run again")
  }

  /// As printed on stderr: `hk2pg: error: what`, then the rest indented.
  func text(isDebug: Bool) -> String {
    let isStop = code == .interrupted || code == .terminated
    var lines = ["hk2pg: " + (isStop ? what : "error: " + what)]
    if let next { lines.append("       " + next) }
    if isDebug, let detail { lines += detail.split(separator: "\n").map { "       debug: " + $0 } }
    return lines.map { $0 + "\n" }.joined()
  }
}
