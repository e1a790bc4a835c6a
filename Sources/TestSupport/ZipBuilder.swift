internal import CZlib
internal import Foundation

/// Writes zips of every form that real writers produce, sizes and offsets under full control.
package struct ZipBuilder {
  package struct Entry {
    package var name: [UInt8]
    package var content: [UInt8]
    package var method = 8
    package var flags = 0
    /// Sizes and checksum follow the data; the local header has zeros.
    package var descriptor = Descriptor.none
    /// Extra field 1 with 64-bit numbers, 0xFFFFFFFF in the record.
    package var isZip64 = false
    package var localName: [UInt8]?
    package var checksum: UInt32?
    /// Added to the size in the directory (for wrong ones).
    package var sizeError: Int64 = 0

    package enum Descriptor: Sendable { case none, signed, bare, signed64 }

    package init(
      _ name: String, _ content: [UInt8], method: Int = 8, descriptor: Descriptor = .none, isZip64: Bool = false
    ) {
      self.name = Array(name.utf8)
      self.content = content
      self.method = method
      self.descriptor = descriptor
      self.isZip64 = isZip64
    }
  }

  package var entries: [Entry]
  package var prefix: [UInt8] = []
  package var comment: [UInt8] = []
  package var hasZip64End = false

  package init(_ entries: [Entry]) { self.entries = entries }

  package func build() -> [UInt8] {
    var bytes = prefix
    var directory: [UInt8] = []
    for entry in entries { append(entry, to: &bytes, &directory) }
    let directoryOffset = bytes.count - prefix.count
    bytes += directory
    bytes += ZipBuilder.end(
      offset: Int64(directoryOffset), size: directory.count, count: entries.count, recordOffset: Int64(bytes.count),
      isZip64: hasZip64End, comment: comment)
    return bytes
  }

  private func append(_ entry: Entry, to bytes: inout [UInt8], _ directory: inout [UInt8]) {
    let data = entry.method == 8 ? deflate(entry.content) : entry.content
    let checksum = entry.checksum ?? crc(entry.content)
    let isStreamed = entry.descriptor != .none
    let offset = Int64(bytes.count - prefix.count)
    let local = ZipBuilder.header(
      name: entry.localName ?? entry.name, method: entry.method, flags: entry.flags | (isStreamed ? 8 : 0),
      checksum: isStreamed ? 0 : checksum, compressed: isStreamed ? 0 : Int64(data.count),
      size: isStreamed ? 0 : Int64(entry.content.count), isZip64: entry.isZip64 && !isStreamed)
    bytes += local + data
    switch entry.descriptor {
    case .none: break
    case .signed: bytes += [0x50, 0x4B, 7, 8] + le4(Int64(checksum)) + le4(data.count) + le4(entry.content.count)
    case .bare: bytes += le4(Int64(checksum)) + le4(data.count) + le4(entry.content.count)
    case .signed64: bytes += [0x50, 0x4B, 7, 8] + le4(Int64(checksum)) + le8(data.count) + le8(entry.content.count)
    }
    directory += ZipBuilder.directoryEntry(
      name: entry.name, method: entry.method, flags: entry.flags | (isStreamed ? 8 : 0), checksum: checksum,
      compressed: Int64(data.count), size: Int64(entry.content.count) + entry.sizeError, offset: offset,
      isZip64: entry.isZip64)
  }

  package static func header(
    name: [UInt8], method: Int, flags: Int, checksum: UInt32, compressed: Int64, size: Int64, isZip64: Bool = false
  ) -> [UInt8] {
    let extra = isZip64 ? le2(1) + le2(16) + le8(size) + le8(compressed) : []
    return [0x50, 0x4B, 3, 4] + le2(20) + le2(flags) + le2(method) + le4(0) + le4(Int64(checksum))
      + le4(isZip64 ? 0xFFFF_FFFF : compressed) + le4(isZip64 ? 0xFFFF_FFFF : size) + le2(name.count)
      + le2(extra.count) + name + extra
  }

  /// Numbers beyond 32 bits wrap unless `isZip64`. The local extra field is not the directory's: other length.
  package static func directoryEntry(
    name: [UInt8], method: Int, flags: Int, checksum: UInt32, compressed: Int64, size: Int64, offset: Int64,
    isZip64: Bool = false
  ) -> [UInt8] {
    let sentinel: Int64 = 0xFFFF_FFFF
    let extra =
      le2(0x5455) + le2(1) + [0] + (isZip64 ? le2(1) + le2(24) + le8(size) + le8(compressed) + le8(offset) : [])
    let first =
      [0x50, 0x4B, 1, 2] + le2(20) + le2(20) + le2(flags) + le2(method) + le4(0) + le4(Int64(checksum))
      + le4(isZip64 ? sentinel : compressed) + le4(isZip64 ? sentinel : size)
    return first + le2(name.count) + le2(extra.count) + le2(0) + le2(0) + le2(0) + le4(0)
      + le4(isZip64 ? sentinel : offset) + name + extra
  }

  package static func end(
    offset: Int64, size: Int, count: Int, recordOffset: Int64, isZip64: Bool = false, comment: [UInt8] = []
  ) -> [UInt8] {
    var bytes: [UInt8] = []
    if isZip64 {
      bytes += [0x50, 0x4B, 6, 6] + le8(44) + le2(45) + le2(45) + le4(0) + le4(0) + le8(count) + le8(count)
      bytes += le8(size) + le8(offset)
      bytes += [0x50, 0x4B, 6, 7] + le4(0) + le8(recordOffset) + le4(1)
    }
    bytes += [0x50, 0x4B, 5, 6] + le2(0) + le2(0) + le2(isZip64 ? 0xFFFF : count) + le2(isZip64 ? 0xFFFF : count)
    return bytes + le4(isZip64 ? 0xFFFF_FFFF : Int64(size)) + le4(isZip64 ? 0xFFFF_FFFF : offset) + le2(comment.count)
      + comment
  }
}

package func le2(_ value: Int) -> [UInt8] { (0..<2).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) } }
package func le4(_ value: some BinaryInteger) -> [UInt8] {
  (0..<4).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}
package func le8(_ value: some BinaryInteger) -> [UInt8] {
  (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
}

package func crc(_ bytes: [UInt8]) -> UInt32 {
  unsafe bytes.withUnsafeBufferPointer { UInt32(truncatingIfNeeded: unsafe crc32_z(0, $0.baseAddress, $0.count)) }
}

/// Raw deflate.
package func deflate(_ bytes: [UInt8]) -> [UInt8] {
  var stream = unsafe z_stream()
  guard
    unsafe deflateInit2_(
      &stream, 6, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
      == Z_OK
  else { fatalError("deflateInit2") }
  var input = bytes
  var output = [UInt8](repeating: 0, count: bytes.count + 1024)
  unsafe input.withUnsafeMutableBufferPointer { source in
    unsafe output.withUnsafeMutableBufferPointer { target in
      unsafe stream.next_in = source.baseAddress
      unsafe stream.avail_in = uInt(source.count)
      unsafe stream.next_out = target.baseAddress
      unsafe stream.avail_out = uInt(target.count)
      guard unsafe CZlib.deflate(&stream, Z_FINISH) == Z_STREAM_END else { fatalError("deflate") }
    }
  }
  let count = unsafe Int(stream.total_out)
  unsafe deflateEnd(&stream)
  return Array(output[..<count])
}

/// A folder for one test, removed with it.
package final class TemporaryFolder {
  package let path: String

  package init() throws {
    path = "\(NSTemporaryDirectory())hk2pg-reader-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }

  /// Writes a file, with the folders it needs, and returns its path.
  package func write(_ name: String, _ bytes: [UInt8]) throws -> String {
    let file = "\(path)/\(name)"
    let folder = file.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    return file
  }
}
