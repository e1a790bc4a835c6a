import BoundedQueues
import ImportFlow

extension FlowCalls {
  /// The real runs.
  static let live = FlowCalls(
    importExport: { try ImportFlow.importExport($0, interruption: $1, progress: $2) },
    stage: { try ImportFlow.stage($0, into: $1, interruption: $2, progress: $3) },
    load: { try ImportFlow.load(folder: $0, settings: $1, interruption: $2, progress: $3) },
    inspect: { try ImportFlow.inspect($0, interruption: $1, progress: $2) })
}
