import ExportReader
import Pipelines

/// Why a pipeline does not run. Data; `Failure` makes the sentence.
enum PipelineError: Error, Equatable {
  case file(path: String, PipelineFileError)
  case cohort(CohortError)
  case unusedFlag(OptionName, file: String)
  /// Another process runs this pipeline on the same database (exit 5).
  case alreadyRunning(name: String, holder: String?)
  case folder(path: String, errno: Int32)
  /// The newest export in the folder does not become complete.
  case incomplete(path: String, ExportError)
  case watchNeedsFolder(name: String)
  /// `--user` names nobody in the list of exports.
  case unknownUser(path: String)
  /// A run of its own for one of many exports ended without a word: by this signal, or with this code.
  case crashed(status: Int32)
}
