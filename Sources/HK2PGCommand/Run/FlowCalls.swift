import BoundedQueues
import ImportFlow

/// The four runs of `ImportFlow`, as values: what is done with their reports and errors is tested without an export or
/// a database.
struct FlowCalls: Sendable {
  typealias Progress = @Sendable (ProgressEvent) -> Void

  var importExport: @Sendable (ImportSettings, Interruption, @escaping Progress) throws -> ImportReport
  var stage: @Sendable (ImportSettings, _ folder: String, Interruption, @escaping Progress) throws -> ImportReport
  var load: @Sendable (_ folder: String, ImportSettings, Interruption, @escaping Progress) throws -> ImportReport
  var inspect: @Sendable (ImportSettings, Interruption, @escaping Progress) throws -> ImportReport
}
