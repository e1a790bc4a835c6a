import Foundation

/// The bytes of the main entry or of a side file, unpacked, from first to last. Used by one thread at a time.
///
/// The end of a zip entry is checked: whole, of the size and checksum that the directory gives.
package final class ExportByteStream {
  /// Where the bytes come from.
  enum Source {
    case file(OpenFile)
    /// Standard input, or another file that can only be read once: `head` has been read already.
    case pipe(OpenFile, head: [UInt8])
    case stored(ZipEntry, OpenFile)
    case deflated(ZipEntry, OpenFile)
  }

  private let source: Source
  private let salvages: Bool
  private var inflater: Inflater?
  private var digestState: ExportDigest?
  private let digestTail: [UInt8]

  /// Next byte of the file to read, and the one after the last.
  private var position: Int64
  private let end: Int64
  private var input: [UInt8] = []
  private var inputPosition = 0
  private var inputEnd = 0

  private var checksum: UInt32 = 0
  private var producedByteCount: Int64 = 0
  private let start: Int64
  private var isAtEnd = false

  /// With salvage: why the stream ended before it should have.
  package private(set) var damage: ExportError?

  private static let inputByteCount = 256 << 10

  /// Bytes read from the opened file so far: of `totalByteCount`, for progress. For a zip these are compressed bytes.
  package var bytesConsumed: Int64 { position - start - Int64(inputEnd - inputPosition) }
  /// Nil for standard input.
  package var totalByteCount: Int64? { if case .pipe = source { nil } else { end - start } }

  /// At the end: `OpenExport.computeDigest()` of what was read. Nil before it, and for side files and entries of a zip.
  package private(set) var digest: String?

  init(file: OpenFile) {
    source = .file(file)
    digestTail = []
    salvages = false
    start = 0
    position = 0
    end = file.byteCount
  }

  /// With a digest at the end, of the file and `digestTail`.
  init(file: OpenFile, digestTail: [UInt8]) throws(ExportError) {
    source = .file(file)
    self.digestTail = digestTail
    digestState = try ExportDigest()
    salvages = false
    start = 0
    position = 0
    end = file.byteCount
  }

  init(pipe file: OpenFile, head: [UInt8]) throws(ExportError) {
    digestTail = []
    source = .pipe(file, head: head)
    salvages = false
    start = 0
    position = 0
    end = .max
    digestState = try ExportDigest()
  }

  /// `data` is the offset of the entry's data, `byteCount` how many bytes there are at most.
  init(
    entry: ZipEntry, data: Int64, byteCount: Int64, file: OpenFile, salvage: Bool = false, damage: ExportError? = nil
  )
    throws(ExportError)
  {
    switch entry.method {
    case _ where entry.isEncrypted: throw .unsupportedZip(path: file.path, entry: entry.path, .encryption)
    case 0: source = .stored(entry, file)
    case 8:
      source = .deflated(entry, file)
      inflater = try Inflater()
      input = [UInt8](repeating: 0, count: Int(min(Int64(ExportByteStream.inputByteCount), max(byteCount, 1))))
    default: throw .unsupportedZip(path: file.path, entry: entry.path, .compressionMethod(entry.method))
    }
    digestTail = []
    salvages = salvage
    self.damage = damage
    start = data
    position = data
    end = data + byteCount
  }

  /// Fills `buffer` from its first byte and returns how many bytes came; 0 at the end. Throws `readFailed`, `damagedZip`;
  /// with salvage a damaged zip ends the stream instead, see `damage`.
  package func read(into buffer: inout [UInt8]) throws(ExportError) -> Int {
    precondition(!buffer.isEmpty)
    if isAtEnd { return 0 }
    do throws(ExportError) {
      let count = unsafe try buffer.fill { bytes throws(ExportError) in unsafe try self.fill(bytes) }
      producedByteCount += Int64(count)
      return count
    } catch {
      isAtEnd = true
      guard salvages, case .damagedZip = error else { throw error }
      damage = error
      return 0
    }
  }

  private func fill(_ buffer: UnsafeMutableRawBufferPointer) throws(ExportError) -> Int {
    switch source {
    case .file(let file):
      let count = unsafe try file.read(at: position, into: buffer)
      unsafe advance(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      return count
    case .pipe(let file, let head): return unsafe try readPipe(file, head, buffer)
    case .stored(let entry, let file): return unsafe try readStored(entry, file, buffer)
    case .deflated(let entry, let file): return unsafe try inflate(entry, file, buffer)
    }
  }

  private func readPipe(
    _ file: OpenFile, _ head: [UInt8], _ buffer: UnsafeMutableRawBufferPointer
  ) throws(ExportError) -> Int {
    var count = 0
    if position < head.count {
      count = min(buffer.count, head.count - Int(position))
      unsafe buffer.copyBytes(from: head[Int(position)..<(Int(position) + count)])
    } else {
      count = unsafe try file.readNext(into: buffer)
    }
    unsafe advance(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    return count
  }

  /// Bytes of the opened file itself have come; none: it has ended.
  private func advance(_ bytes: UnsafeRawBufferPointer) {
    let count = bytes.count
    position += Int64(count)
    unsafe digestState?.update(bytes)
    guard count == 0 else { return }
    isAtEnd = true
    unsafe digestTail.withUnsafeBytes { unsafe digestState?.update($0) }
    digest = digestState?.hexadecimal
  }

  private func readStored(
    _ entry: ZipEntry, _ file: OpenFile, _ buffer: UnsafeMutableRawBufferPointer
  ) throws(ExportError) -> Int {
    let wanted = min(Int64(buffer.count), end - position)
    let count = unsafe try file.read(
      at: position, into: UnsafeMutableRawBufferPointer(rebasing: buffer[..<Int(wanted)]))
    if count < wanted { throw .damagedZip(path: file.path, entry: entry.path, .entryTruncated) }
    position += Int64(count)
    if count == 0 { return try finish(entry, file) }
    unsafe checksum = Checksum.update(checksum, UnsafeRawBufferPointer(rebasing: buffer[..<count]))
    return count
  }

  private func inflate(
    _ entry: ZipEntry, _ file: OpenFile, _ buffer: UnsafeMutableRawBufferPointer
  ) throws(ExportError) -> Int {
    while inflater != nil {
      if inputPosition == inputEnd { try refill(file) }
      let (count, status) = unsafe inflater!.inflate(input, &inputPosition, upTo: inputEnd, into: buffer)
      unsafe checksum = Checksum.update(checksum, UnsafeRawBufferPointer(rebasing: buffer[..<count]))
      switch status {
      case .ended: inflater = nil
      case .failed where count == 0:
        throw .damagedZip(path: file.path, entry: entry.path, .badCompression(offset: producedByteCount))
      case .failed: break
      case .goesOn where count == 0 && inputEnd == 0:
        throw .damagedZip(path: file.path, entry: entry.path, .entryTruncated)
      case .goesOn: break
      }
      if count > 0 { return count }
    }
    return try finish(entry, file)
  }

  private func refill(_ file: OpenFile) throws(ExportError) {
    let wanted = Int(min(Int64(input.count), max(0, end - position)))
    let offset = position
    inputPosition = 0
    inputEnd = unsafe try input.fill { bytes throws(ExportError) in
      unsafe try file.read(at: offset, into: UnsafeMutableRawBufferPointer(rebasing: bytes[..<wanted]))
    }
    position += Int64(inputEnd)
  }

  /// Sizes are compared modulo 4 GB: the checksum is what counts.
  private func finish(_ entry: ZipEntry, _ file: OpenFile) throws(ExportError) -> Int {
    isAtEnd = true
    guard let expected = entry.checksum else { return 0 }
    let wrap = ZipDirectory.wrap
    if producedByteCount % wrap != entry.byteCount % wrap {
      throw .damagedZip(
        path: file.path, entry: entry.path, .wrongSize(expected: entry.byteCount, found: producedByteCount))
    }
    if checksum != expected { throw .damagedZip(path: file.path, entry: entry.path, .wrongChecksum) }
    return 0
  }
}
