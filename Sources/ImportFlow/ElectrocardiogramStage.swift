import BoundedQueues
import ExportReader
import HealthModel
import RowMapping
import Staging

/// Makes a sample of each electrocardiogram: a file of its own, which no element of the XML mentions. Runs after the XML
/// was read; there are a few hundred at most.
struct ElectrocardiogramStage {
  let export: OpenExport
  let symbols: SymbolTable
  let store: SegmentStore
  let rejects: RejectWriter
  let userByteCount: Int
  let isSalvage: Bool
  let interruption: Interruption

  /// A file that is no sample. Nothing of what is in it is told.
  struct RejectedFile: Sendable, Equatable {
    var path: String
    /// Nil: the key of its row would be too long, or the file is too large or torn.
    var error: SideFileError?
  }

  struct Result {
    var facts = ExportFacts()
    var usedFiles: Set<String> = []
    var rejected: [RejectedFile] = []
  }

  func run() throws -> Result {
    var result = Result()
    var mapper = RowMapper(symbols: symbols, userByteCount: userByteCount)
    mapper.rejectionLimit = 1
    var buffer = SampleBuffer()
    for (index, file) in export.sideFiles.enumerated() where file.kind == .electrocardiogram {
      try interruption.check()
      let kind = try map(file, index, &mapper, &buffer, &result)
      if let kind {
        try rejects.add(file: file.path, kind: kind)
      } else {
        result.usedFiles.insert(file.path)
      }
    }
    if buffer.recordCount > 0 { try store.add(buffer) }
    result.facts.merge(mapper.facts)
    return result
  }

  /// Nil, or why there is no sample.
  private func map(
    _ file: SideFile, _ index: Int, _ mapper: inout RowMapper, _ buffer: inout SampleBuffer, _ result: inout Result
  ) throws -> ProblemKind? {
    var error: SideFileError?
    if let bytes = try export.contents(
      of: file, isSalvage: isSalvage, problems: &result.facts.problems, at: 0)
    {
      do throws(SideFileError) {
        let recording = try ECGReader.read(bytes)
        mapper.map(recording, file: index, into: &buffer)
        guard let rejection = mapper.rejections.popLast() else { return nil }
        result.rejected.append(RejectedFile(path: file.path, error: nil))
        return rejection.kind
      } catch let caught {
        error = caught
      }
    }
    result.facts.samplesRead += 1
    result.facts.samplesRejected += 1
    result.facts.problems.add(.rejectedUnreadableFile, at: 0)
    result.rejected.append(RejectedFile(path: file.path, error: error))
    return .rejectedUnreadableFile
  }
}
