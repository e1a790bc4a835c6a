import HealthModel

/// Where the blocks of a segment file are.
///
/// ```
/// block …                                        one zstd frame each, see SegmentWriter
/// directory   run count, then per run: type, record count, block count,
///             per block: file offset, frame bytes, records, record bytes,
///             payload bytes, XXH3-64 of the frame
/// footer      directory bytes, XXH3-64 of the directory, magic
/// ```
/// All numbers are 64-bit words in the machine's order: segments live and die with one process.
struct SegmentDirectory: Sendable, Equatable {
  struct Block: BitwiseCopyable, Equatable, Sendable {
    var offset: Int
    var frameByteCount: Int
    var recordCount: Int
    /// Of the packed records, and of the payload after them, before compression.
    var recordByteCount: Int
    var payloadByteCount: Int
    var digest: UInt64

    var byteCount: Int { recordByteCount + payloadByteCount }
  }

  struct Run: Equatable, Sendable {
    var type: Symbol
    var recordCount = 0
    var blocks: [Block] = []
  }

  static let magic: UInt64 = 0x6765_7367_7032_6B68
  static let footerByteCount = 24

  /// By type index: segments are written so.
  var runs: [Run] = []

  func run(of type: Symbol) -> Run? { runs.placeOfRun(of: type.index) { $0.type.index }.map { runs[$0] } }

  /// Directory and footer, to be written after the last block.
  var encoded: [UInt8] {
    var words: [UInt64] = [UInt64(runs.count)]
    for run in runs {
      words += [UInt64(run.type.index), UInt64(run.recordCount), UInt64(run.blocks.count)]
      for block in run.blocks {
        let counts = [
          block.offset, block.frameByteCount, block.recordCount, block.recordByteCount, block.payloadByteCount,
        ]
        words += counts.map(UInt64.init) + [block.digest]
      }
    }
    let directory = words.flatMap(SegmentDirectory.bytes)
    let footer = [UInt64(directory.count), ContentDigest.hash64(directory.span), SegmentDirectory.magic]
    return directory + footer.flatMap(SegmentDirectory.bytes)
  }

  private static func bytes(_ word: UInt64) -> [UInt8] {
    (0..<8).map { UInt8(truncatingIfNeeded: word >> (8 * UInt64($0))) }
  }
}
