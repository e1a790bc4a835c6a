import HealthModel

/// A segment file that was written whole: its directory in memory, its blocks read on demand, by several merges at
/// once.
final class Segment: Sendable {
  let path: String
  let directory: SegmentDirectory
  private let file: OpenFile

  /// Reads and checks footer and directory.
  init(reading path: String) throws(StagingError) {
    let file = try OpenFile(reading: path)
    directory = try Segment.readDirectory(file)
    self.path = path
    self.file = file
  }

  /// Replaces `frame` by the compressed bytes of a block, checked.
  func readFrame(of block: SegmentDirectory.Block, into frame: inout [UInt8]) throws(StagingError) {
    try file.read(into: &frame, count: block.frameByteCount, at: block.offset)
    if ContentDigest.hash64(frame.span) != block.digest { throw .corrupt(path: path, reason: "a block was changed") }
  }

  private static func readDirectory(_ file: borrowing OpenFile) throws(StagingError) -> SegmentDirectory {
    let path = file.path
    let size = try file.byteCount()
    let footerStart = size - SegmentDirectory.footerByteCount
    guard footerStart >= 0 else { throw .truncated(path: path) }
    var bytes: [UInt8] = []
    try file.read(into: &bytes, count: SegmentDirectory.footerByteCount, at: footerStart)
    var footer = WordReader(bytes)
    guard let byteCount = footer.next(), let digest = footer.nextWord(), footer.nextWord() == SegmentDirectory.magic
    else { throw .truncated(path: path) }
    guard byteCount <= footerStart else { throw .corrupt(path: path, reason: "the footer was changed") }
    let end = footerStart - byteCount
    try file.read(into: &bytes, count: byteCount, at: end)
    guard ContentDigest.hash64(bytes.span) == digest, let directory = decode(bytes, blocksEnd: end) else {
      throw .corrupt(path: path, reason: "the directory was changed")
    }
    return directory
  }

  /// Nil for a directory that no writer makes: blocks lie side by side from the file's start to the directory.
  private static func decode(_ bytes: [UInt8], blocksEnd: Int) -> SegmentDirectory? {
    var reader = WordReader(bytes)
    var directory = SegmentDirectory()
    var position = 0
    guard let runCount = reader.next() else { return nil }
    for _ in 0..<runCount {
      guard let type = reader.next(), let recordCount = reader.next(), let blockCount = reader.next() else {
        return nil
      }
      var run = SegmentDirectory.Run(
        type: Symbol(index: UInt32(truncatingIfNeeded: type)), recordCount: recordCount)
      for _ in 0..<blockCount {
        guard let offset = reader.next(), let frameByteCount = reader.next(), let records = reader.next(),
          let recordBytes = reader.next(), let payload = reader.next(), let digest = reader.nextWord(),
          offset == position, records > 0
        else { return nil }
        position += frameByteCount
        run.blocks.append(
          SegmentDirectory.Block(
            offset: offset, frameByteCount: frameByteCount, recordCount: records, recordByteCount: recordBytes,
            payloadByteCount: payload, digest: digest))
      }
      guard run.blocks.reduce(0, { $0 + $1.recordCount }) == recordCount else { return nil }
      directory.runs.append(run)
    }
    return reader.isAtEnd && position == blocksEnd ? directory : nil
  }
}

/// 64-bit words one after the other.
private struct WordReader {
  private let bytes: [UInt8]
  private var position = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  var isAtEnd: Bool { position == bytes.count }

  mutating func nextWord() -> UInt64? {
    guard position + 8 <= bytes.count else { return nil }
    defer { position += 8 }
    return (0..<8).reduce(0) { $0 | UInt64(bytes[position + $1]) << (8 * UInt64($1)) }
  }

  /// A count or offset; nil when no file is so large, so that sums cannot overflow.
  mutating func next() -> Int? {
    guard let word = nextWord(), word < 1 << 48 else { return nil }
    return Int(word)
  }
}
