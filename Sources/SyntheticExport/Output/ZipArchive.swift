import CZlib

/// A ZIP file as the phone streams it: sizes and CRC in data descriptors behind the data (general-purpose bit 3), names
/// in UTF-8 without bit 11, ZIP64 records only where 32 bits do not suffice.
///
/// ```
/// per entry  local header (sizes 0) · deflated data · descriptor: signature, CRC, sizes (8 bytes each when ZIP64)
/// at the end central directory · [ZIP64 end · ZIP64 locator] · end of central directory
/// ```
final class ZipArchive {
  private struct Entry {
    var name: [UInt8]
    var offset: Int
    var isLarge: Bool
    var checksum: UInt = 0
    var compressedCount = 0
    var count = 0
  }

  private let file: FileSink
  private let level: Int32
  /// DOS date and time of every entry.
  private let stamp: UInt32
  private var entries: [Entry] = []

  /// `date` in local time: year, month, day, hour, minute, second.
  init(file: FileSink, level: Int, date: (Int, Int, Int, Int, Int, Int)) {
    self.file = file
    self.level = Int32(level)
    let (year, month, day, hour, minute, second) = date
    stamp = UInt32((year - 1980) << 25 | month << 21 | day << 16 | hour << 11 | minute << 5 | second / 2)
  }

  /// Writes one entry; `body` fills the sink it is given. `mayExceed32Bits`: the descriptor gets 8-byte sizes.
  func addEntry(
    _ name: String, mayExceed32Bits: Bool = false, _ body: (any ByteSink) throws(SyntheticExportError) -> Void
  ) throws(SyntheticExportError) {
    var entry = Entry(name: Array(name.utf8), offset: file.byteCount, isLarge: mayExceed32Bits)
    try write(header(of: entry))
    let start = file.byteCount
    let sink = try DeflateSink(file: file, level: level)
    try body(sink)
    try sink.finish()
    entry.checksum = sink.checksum
    entry.count = sink.count
    entry.compressedCount = file.byteCount - start
    precondition(mayExceed32Bits || entry.count < 0xFFFF_FFFF, "entry is larger than its descriptor can say")
    var descriptor = LittleEndian()
    descriptor.add(0x0807_4B50, bytes: 4)
    descriptor.add(entry.checksum, bytes: 4)
    descriptor.add(UInt(entry.compressedCount), bytes: mayExceed32Bits ? 8 : 4)
    descriptor.add(UInt(entry.count), bytes: mayExceed32Bits ? 8 : 4)
    try write(descriptor)
    entries.append(entry)
  }

  /// The central directory and what follows it.
  func finish() throws(SyntheticExportError) {
    let start = file.byteCount
    for entry in entries { try write(directoryRecord(of: entry)) }
    let size = file.byteCount - start
    var end = LittleEndian()
    if start >= 0xFFFF_FFFF || entries.count >= 0xFFFF || entries.contains(where: \.isLarge) {
      let position = file.byteCount
      end.add(0x0606_4B50, bytes: 4)
      end.add(44, bytes: 8)
      end.add(45, bytes: 2)
      end.add(45, bytes: 2)
      end.add(0, bytes: 8)
      end.add(UInt(entries.count), bytes: 8)
      end.add(UInt(entries.count), bytes: 8)
      end.add(UInt(size), bytes: 8)
      end.add(UInt(start), bytes: 8)
      end.add(0x0706_4B50, bytes: 4)
      end.add(0, bytes: 4)
      end.add(UInt(position), bytes: 8)
      end.add(1, bytes: 4)
    }
    end.add(0x0605_4B50, bytes: 4)
    end.add(0, bytes: 4)
    end.add(UInt(min(entries.count, 0xFFFF)), bytes: 2)
    end.add(UInt(min(entries.count, 0xFFFF)), bytes: 2)
    end.add(UInt(min(size, 0xFFFF_FFFF)), bytes: 4)
    end.add(UInt(min(start, 0xFFFF_FFFF)), bytes: 4)
    end.add(0, bytes: 2)
    try write(end)
  }

  private func header(of entry: Entry) -> LittleEndian {
    var header = LittleEndian()
    header.add(0x0403_4B50, bytes: 4)
    header.add(entry.isLarge ? 45 : 20, bytes: 2)
    header.add(0x0008, bytes: 2)
    header.add(8, bytes: 2)
    header.add(UInt(stamp), bytes: 4)
    header.add(0, bytes: 4)
    // With ZIP64 the 32-bit sizes are saturated and the real ones are in the descriptor.
    header.add(entry.isLarge ? 0xFFFF_FFFF : 0, bytes: 4)
    header.add(entry.isLarge ? 0xFFFF_FFFF : 0, bytes: 4)
    header.add(UInt(entry.name.count), bytes: 2)
    header.add(entry.isLarge ? 20 : 0, bytes: 2)
    header.bytes += entry.name
    if entry.isLarge {
      header.add(1, bytes: 2)
      header.add(16, bytes: 2)
      header.add(0, bytes: 8)
      header.add(0, bytes: 8)
    }
    return header
  }

  private func directoryRecord(of entry: Entry) -> LittleEndian {
    var extra = LittleEndian()
    for value in [entry.count, entry.compressedCount, entry.offset] where value >= 0xFFFF_FFFF {
      extra.add(UInt(value), bytes: 8)
    }
    let isLarge = entry.isLarge || !extra.bytes.isEmpty
    var record = LittleEndian()
    record.add(0x0201_4B50, bytes: 4)
    record.add(isLarge ? 0x032D : 0x0314, bytes: 2)
    record.add(isLarge ? 45 : 20, bytes: 2)
    record.add(0x0008, bytes: 2)
    record.add(8, bytes: 2)
    record.add(UInt(stamp), bytes: 4)
    record.add(entry.checksum, bytes: 4)
    record.add(UInt(min(entry.compressedCount, 0xFFFF_FFFF)), bytes: 4)
    record.add(UInt(min(entry.count, 0xFFFF_FFFF)), bytes: 4)
    record.add(UInt(entry.name.count), bytes: 2)
    record.add(extra.bytes.isEmpty ? 0 : UInt(extra.bytes.count + 4), bytes: 2)
    record.add(0, bytes: 6)
    record.add(0o100644 << 16, bytes: 4)
    record.add(UInt(min(entry.offset, 0xFFFF_FFFF)), bytes: 4)
    record.bytes += entry.name
    if !extra.bytes.isEmpty {
      record.add(1, bytes: 2)
      record.add(UInt(extra.bytes.count), bytes: 2)
      record.bytes += extra.bytes
    }
    return record
  }

  private func write(_ record: LittleEndian) throws(SyntheticExportError) {
    try record.send(to: file)
  }
}

/// Little-endian numbers, appended.
private struct LittleEndian {
  var bytes: [UInt8] = []

  mutating func add(_ value: UInt, bytes count: Int) {
    for place in 0..<count { bytes.append(UInt8(truncatingIfNeeded: value >> UInt(8 * place))) }
  }

  func send(to file: FileSink) throws(SyntheticExportError) {
    var failure: SyntheticExportError?
    unsafe bytes.withUnsafeBytes { raw in
      do throws(SyntheticExportError) { unsafe try file.write(raw) } catch { failure = error }
    }
    if let failure { throw failure }
  }
}

/// One raw deflate stream into the archive's file.
@safe private final class DeflateSink: ByteSink {
  private let file: FileSink
  private var stream = unsafe z_stream()
  private let output: UnsafeMutableRawBufferPointer
  private(set) var checksum: UInt = 0
  private(set) var count = 0

  init(file: FileSink, level: Int32) throws(SyntheticExportError) {
    self.file = file
    unsafe output = .allocate(byteCount: 1 << 18, alignment: 16)
    let status = unsafe deflateInit2_(
      &stream, level, Z_DEFLATED, -15, 8, Z_DEFAULT_STRATEGY, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size))
    if status != Z_OK { throw .deflate(status: status) }
  }

  deinit {
    unsafe deflateEnd(&stream)
    unsafe output.deallocate()
  }

  func write(_ bytes: UnsafeRawBufferPointer) throws(SyntheticExportError) {
    guard let start = bytes.baseAddress, bytes.count > 0 else { return }
    let first = unsafe start.assumingMemoryBound(to: UInt8.self)
    checksum = unsafe crc32(checksum, first, UInt32(bytes.count))
    count += bytes.count
    // zlib takes a mutable pointer for historical reasons and only reads.
    unsafe stream.next_in = UnsafeMutablePointer(mutating: first)
    unsafe stream.avail_in = UInt32(bytes.count)
    while unsafe stream.avail_in > 0 { _ = try step(Z_NO_FLUSH) }
  }

  func finish() throws(SyntheticExportError) {
    while try step(Z_FINISH) != Z_STREAM_END {}
  }

  private func step(_ flush: Int32) throws(SyntheticExportError) -> Int32 {
    unsafe stream.next_out = output.baseAddress!.assumingMemoryBound(to: UInt8.self)
    unsafe stream.avail_out = UInt32(output.count)
    let status = unsafe deflate(&stream, flush)
    if status != Z_OK && status != Z_STREAM_END && status != Z_BUF_ERROR { throw .deflate(status: status) }
    let produced = unsafe output.count - Int(stream.avail_out)
    unsafe try file.write(UnsafeRawBufferPointer(rebasing: output[..<produced]))
    return status
  }
}
