/// What a zip without its end still holds (an incomplete copy or download), by walking from local header to local header.
/// Salvage only.
enum ZipRecovery {
  /// ```
  /// 0 signature  6 flags  8 method  14 checksum  18 compressed  22 size  26 name, extra lengths  30
  /// ```
  static func entries(of file: OpenFile) throws(ExportError) -> [ZipEntry] {
    var entries: [ZipEntry] = []
    var offset: Int64 = 0
    while true {
      let header = try file.bytes(at: offset, count: 30)
      guard header.starts(with: ZipDirectory.localSignature), let flags = header.number16(at: 6),
        let method = header.number16(at: 8), let checksum = header.number32(at: 14),
        let compressed = header.number32(at: 18), let size = header.number32(at: 22),
        let nameLength = header.number16(at: 26), let extraLength = header.number16(at: 28)
      else { break }
      let name = try file.bytes(at: offset + 30, count: nameLength)
      guard name.count == nameLength else { break }
      var entry = ZipEntry(
        path: ZipEntry.name(name[...]), flags: flags, method: method, checksum: UInt32(truncatingIfNeeded: checksum),
        compressedByteCount: compressed, byteCount: size, headerOffset: offset, isZip64: true)
      let data = offset + 30 + Int64(nameLength + extraLength)
      var next: Int64?
      if flags & 8 == 0 && compressed != 0xFFFF_FFFF {
        next = data + compressed
      } else if method == 8 {
        next = try measure(&entry, data: data, file)
      }
      if next == nil || next! > file.byteCount { entry.checksum = nil }
      entries.append(entry)
      guard let next, next <= file.byteCount else { break }
      offset = next
    }
    return entries
  }

  /// Unpacks an entry of unknown size to find where it ends; nil when it is torn. Fills in its sizes and checksum.
  ///
  /// The descriptor behind it has a signature or not, and 32-bit or 64-bit sizes: the next record tells which.
  private static func measure(_ entry: inout ZipEntry, data: Int64, _ file: OpenFile) throws(ExportError) -> Int64? {
    var unchecked = entry
    unchecked.checksum = nil
    let stream = try ExportByteStream(entry: unchecked, data: data, byteCount: file.byteCount - data, file: file)
    var buffer = [UInt8](repeating: 0, count: 256 << 10)
    do throws(ExportError) {
      while true {
        let count = try stream.read(into: &buffer)
        if count == 0 { break }
        entry.byteCount = entry.byteCount == 0xFFFF_FFFF ? Int64(count) : entry.byteCount + Int64(count)
      }
    } catch {
      return nil
    }
    entry.compressedByteCount = stream.bytesConsumed
    let end = data + stream.bytesConsumed
    let descriptor = try file.bytes(at: end, count: 32)
    let hasSignature = descriptor.starts(with: ZipDirectory.descriptorSignature)
    entry.checksum = descriptor.number32(at: hasSignature ? 4 : 0).map { UInt32(truncatingIfNeeded: $0) }
    for length in hasSignature ? [16, 24] : [12, 20] where descriptor.count >= length {
      let next = descriptor[length...].prefix(4)
      let signatures = [ZipDirectory.localSignature, ZipDirectory.centralSignature]
      if next.count < 4 || signatures.contains(Array(next)) { return end + Int64(length) }
    }
    return nil
  }
}
