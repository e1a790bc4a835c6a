/// The central directory of a zip, read without libarchive: that one, like Python's zipfile, fails on archives over 4 GB
/// whose writer (Archive Utility, ditto) let the 32-bit sizes and offsets wrap.
///
/// ```
/// local header, data, descriptor     once for each entry; sizes here are 0 when the writer streamed (flag 8)
/// central directory entry            once for each entry: sizes, checksum, offset of the local header
/// ZIP64 end record, ZIP64 locator    when a number needs more than 32 bits, and the writer knew
/// end record                         22 bytes and a comment
/// ```
struct ZipDirectory: Sendable {
  let file: OpenFile
  private(set) var entries: [ZipEntry] = []
  /// First byte behind the entries' data.
  private(set) var dataEnd: Int64
  /// Bytes before the archive (a self-extracting program): added to every offset.
  private var shift: Int64 = 0
  /// Found by walking from header to header, for the end of the file is missing.
  private(set) var isRecovered = false

  static let localSignature: [UInt8] = [0x50, 0x4B, 3, 4]
  static let centralSignature: [UInt8] = [0x50, 0x4B, 1, 2]
  static let endSignature: [UInt8] = [0x50, 0x4B, 5, 6]
  static let zip64EndSignature: [UInt8] = [0x50, 0x4B, 6, 6]
  static let zip64LocatorSignature: [UInt8] = [0x50, 0x4B, 6, 7]
  static let descriptorSignature: [UInt8] = [0x50, 0x4B, 7, 8]
  /// 4 GB, the period of wrapped numbers.
  static let wrap: Int64 = 1 << 32
  private static let maximumDirectoryByteCount: Int64 = 512 << 20

  init(reading file: OpenFile) throws(ExportError) {
    self.file = file
    let end = try EndRecord(reading: file)
    // The directory stands right before its end record; where the record says it begins may have wrapped.
    dataEnd = end.recordOffset - end.directoryByteCount
    guard dataEnd >= 0, end.directoryByteCount <= ZipDirectory.maximumDirectoryByteCount else {
      throw .damagedZip(path: file.path, entry: nil, .badCentralDirectory(offset: end.recordOffset))
    }
    let difference = (dataEnd - end.directoryOffset) % ZipDirectory.wrap
    shift = difference < 0 ? difference + ZipDirectory.wrap : difference
    let bytes = try file.bytes(at: dataEnd, count: Int(end.directoryByteCount))
    var position = 0
    while position + 4 <= bytes.count {
      guard let entry = ZipDirectory.entry(bytes, &position) else {
        // Behind the last entry there may be a signature.
        if entries.count & 0xFFFF == end.entryCount & 0xFFFF { break }
        throw .damagedZip(path: file.path, entry: nil, .badCentralDirectory(offset: dataEnd + Int64(position)))
      }
      entries.append(entry)
    }
    // The 16-bit count wraps as well.
    guard entries.count & 0xFFFF == end.entryCount & 0xFFFF else {
      throw .damagedZip(path: file.path, entry: nil, .badCentralDirectory(offset: dataEnd))
    }
  }

  /// For salvage: an archive whose end is missing.
  init(recovering file: OpenFile) throws(ExportError) {
    self.file = file
    dataEnd = file.byteCount
    isRecovered = true
    entries = try ZipRecovery.entries(of: file)
  }

  /// ```
  /// 0 signature  8 flags  10 method  16 checksum  20 compressed  24 size  28 name, extra, comment lengths  42 offset  46
  /// ```
  private static func entry(_ bytes: [UInt8], _ position: inout Int) -> ZipEntry? {
    let p = position
    guard p + 46 <= bytes.count, bytes[p..<(p + 4)].elementsEqual(centralSignature),
      let flags = bytes.number16(at: p + 8), let method = bytes.number16(at: p + 10),
      let checksum = bytes.number32(at: p + 16), let compressed = bytes.number32(at: p + 20),
      let size = bytes.number32(at: p + 24), let nameLength = bytes.number16(at: p + 28),
      let extraLength = bytes.number16(at: p + 30), let commentLength = bytes.number16(at: p + 32),
      let offset = bytes.number32(at: p + 42), p + 46 + nameLength + extraLength + commentLength <= bytes.count
    else { return nil }
    var entry = ZipEntry(
      path: ZipEntry.name(bytes[(p + 46)..<(p + 46 + nameLength)]), flags: flags, method: method,
      checksum: UInt32(truncatingIfNeeded: checksum), compressedByteCount: compressed, byteCount: size,
      headerOffset: offset, isZip64: false)
    entry.readZip64(bytes, (p + 46 + nameLength)..<(p + 46 + nameLength + extraLength))
    position = p + 46 + nameLength + extraLength + commentLength
    return entry
  }

  // MARK: - Entries

  /// The entry's bytes, unpacked. Throws `unsupportedZip`, `damagedZip`.
  func stream(of entry: ZipEntry, salvage: Bool, damage: ExportError? = nil) throws(ExportError) -> ExportByteStream {
    let data = try dataOffset(of: entry)
    var byteCount = dataEnd - data
    if entry.method == 0 {
      byteCount = try storedByteCount(of: entry, data: data)
    } else if entry.isZip64 && !isRecovered || file.byteCount < ZipDirectory.wrap && entry.checksum != nil {
      byteCount = min(byteCount, entry.compressedByteCount)
    }
    return try ExportByteStream(
      entry: entry, data: data, byteCount: byteCount, file: file, salvage: salvage, damage: damage)
  }

  /// Offset of the entry's data. Numbers that wrapped are tried with every multiple of 4 GB that fits the file; the
  /// local header there tells by its name.
  func dataOffset(of entry: ZipEntry) throws(ExportError) -> Int64 {
    var fallback: Int64?
    for base in shift == 0 ? [entry.headerOffset] : [entry.headerOffset + shift, entry.headerOffset] {
      var offset = base
      while offset < dataEnd {
        if let (name, data) = try localHeader(at: offset) {
          if name == entry.path { return data }
          // The name may differ from the directory's; then the place has to be as written.
          if offset == base { fallback = fallback ?? data }
        }
        if entry.isZip64 { break }
        offset += ZipDirectory.wrap
      }
    }
    guard let fallback else { throw .damagedZip(path: file.path, entry: entry.path, .badLocalHeader) }
    return fallback
  }

  private func localHeader(at offset: Int64) throws(ExportError) -> (name: String, data: Int64)? {
    let bytes = try file.bytes(at: offset, count: 30)
    guard bytes.starts(with: ZipDirectory.localSignature), let nameLength = bytes.number16(at: 26),
      let extraLength = bytes.number16(at: 28)
    else { return nil }
    let name = try file.bytes(at: offset + 30, count: nameLength)
    return (ZipEntry.name(name[...]), offset + 30 + Int64(nameLength + extraLength))
  }

  /// Size of a stored entry: as the directory says, or plus a multiple of 4 GB, where the next record begins.
  func storedByteCount(of entry: ZipEntry, data: Int64) throws(ExportError) -> Int64 {
    if entry.isZip64 || isRecovered { return entry.compressedByteCount }
    var size = entry.compressedByteCount
    while data + size < dataEnd {
      let next = try file.bytes(at: data + size, count: 4)
      if [ZipDirectory.localSignature, ZipDirectory.descriptorSignature].contains(next) { return size }
      size += ZipDirectory.wrap
    }
    return data + size == dataEnd ? size : entry.compressedByteCount
  }
}

extension ZipEntry {
  /// Extra field 1: the numbers that are 0xFFFFFFFF in the record, in this order, as 64 bits.
  fileprivate mutating func readZip64(_ bytes: [UInt8], _ range: Range<Int>) {
    var position = range.lowerBound
    while position + 4 <= range.upperBound, let tag = bytes.number16(at: position),
      let length = bytes.number16(at: position + 2)
    {
      if tag == 1 {
        var field = position + 4
        let end = min(position + 4 + length, range.upperBound)
        for number in [\ZipEntry.byteCount, \ZipEntry.compressedByteCount, \ZipEntry.headerOffset]
        where self[keyPath: number] == 0xFFFF_FFFF {
          guard field + 8 <= end, let value = bytes.number64(at: field) else { return }
          self[keyPath: number] = value
          isZip64 = true
          field += 8
        }
        return
      }
      position += 4 + length
    }
  }
}
