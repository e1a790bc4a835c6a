/// The records at the end of a zip that say where its directory is.
struct EndRecord {
  /// Where the directory must have ended: offset of this record, or of the ZIP64 one.
  var recordOffset: Int64
  var entryCount: Int
  var directoryByteCount: Int64
  /// As written: may have wrapped.
  var directoryOffset: Int64

  private static let byteCount = 22
  private static let maximumCommentByteCount = 0xFFFF

  init(reading file: OpenFile) throws(ExportError) {
    let tailCount = min(file.byteCount, Int64(EndRecord.byteCount + EndRecord.maximumCommentByteCount))
    let tail = try file.bytes(at: file.byteCount - tailCount, count: Int(tailCount))
    guard let position = EndRecord.position(in: tail) else {
      throw .damagedZip(path: file.path, entry: nil, .noCentralDirectory)
    }
    recordOffset = file.byteCount - tailCount + Int64(position)
    guard let disk = tail.number16(at: position + 4), let count = tail.number16(at: position + 10),
      let size = tail.number32(at: position + 12), let offset = tail.number32(at: position + 16)
    else { throw .damagedZip(path: file.path, entry: nil, .noCentralDirectory) }
    entryCount = count
    directoryByteCount = size
    directoryOffset = offset
    if try !readZip64(file), disk != 0 { throw .unsupportedZip(path: file.path, entry: "", .severalDisks) }
  }

  /// The last signature whose comment reaches the end of the file exactly, else the last that fits.
  private static func position(in tail: [UInt8]) -> Int? {
    guard tail.count >= byteCount else { return nil }
    var fitting: Int?
    for position in stride(from: tail.count - byteCount, through: 0, by: -1)
    where tail[position] == 0x50 && tail[position..<(position + 4)].elementsEqual(ZipDirectory.endSignature) {
      guard let comment = tail.number16(at: position + 20) else { continue }
      let end = position + byteCount + comment
      if end == tail.count { return position }
      if end < tail.count { fitting = fitting ?? position }
    }
    return fitting
  }

  /// ```
  /// locator  0 signature  4 disk  8 offset of the record  16 disks
  /// record   0 signature  4 size  24 entries on disk  32 entries  40 directory size  48 directory offset
  /// ```
  private mutating func readZip64(_ file: OpenFile) throws(ExportError) -> Bool {
    let locator = try file.bytes(at: recordOffset - 20, count: 20)
    guard locator.starts(with: ZipDirectory.zip64LocatorSignature), let written = locator.number64(at: 8) else {
      return false
    }
    // Right before the locator, too, for archives with something in front of them.
    for offset in [written, recordOffset - 20 - 56] {
      let record = try file.bytes(at: offset, count: 56)
      guard record.starts(with: ZipDirectory.zip64EndSignature), let count = record.number64(at: 32),
        let size = record.number64(at: 40), let start = record.number64(at: 48)
      else { continue }
      recordOffset = offset
      entryCount = Int(count)
      directoryByteCount = size
      directoryOffset = start
      return true
    }
    throw .damagedZip(path: file.path, entry: nil, .badCentralDirectory(offset: recordOffset))
  }
}
