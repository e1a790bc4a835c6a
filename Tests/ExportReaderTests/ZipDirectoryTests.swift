import Foundation
import HealthModel
import TestSupport
import Testing

@testable import ExportReader

@Suite struct ZipDirectoryTests {
  static let xml = Fixture.small
  static let name = "apple_health_export/export.xml"

  func readMain(_ zip: [UInt8], salvage: Bool = false) throws -> [UInt8] {
    let folder = try TemporaryFolder()
    return try readMain(path: try folder.write("export.zip", zip), salvage: salvage).bytes
  }

  func readMain(path: String, salvage: Bool = false) throws -> (bytes: [UInt8], damage: ExportError?) {
    let export = try OpenExport.open(path: path, salvage: salvage)
    #expect(export.kind == .zip)
    let stream = try export.makeStream()
    var buffer = [UInt8](repeating: 0, count: 1000)
    var bytes: [UInt8] = []
    while true {
      let count = try stream.read(into: &buffer)
      if count == 0 { break }
      bytes += buffer[..<count]
      #expect(stream.bytesConsumed <= stream.totalByteCount!)
    }
    return (bytes, stream.damage)
  }

  @Test(arguments: [0, 8], [ZipBuilder.Entry.Descriptor.none, .signed, .bare, .signed64])
  func readsStoredAndDeflatedWithAndWithoutDescriptors(method: Int, descriptor: ZipBuilder.Entry.Descriptor) throws {
    for isZip64 in [false, true] {
      for hasZip64End in [false, true] {
        let entry = ZipBuilder.Entry(
          Self.name, Self.xml, method: method, descriptor: descriptor, isZip64: isZip64)
        let other = ZipBuilder.Entry(
          "apple_health_export/a.txt", Array("hello".utf8), method: method, descriptor: descriptor)
        var builder = ZipBuilder([other, entry, other])
        builder.hasZip64End = hasZip64End
        #expect(try readMain(builder.build()) == Self.xml)
      }
    }
  }

  @Test func progressCountsCompressedBytes() throws {
    let folder = try TemporaryFolder()
    let path = try folder.write("e.zip", ZipBuilder([ZipBuilder.Entry(Self.name, Self.xml)]).build())
    let stream = try OpenExport.open(path: path).makeStream()
    #expect(stream.totalByteCount == Int64(deflate(Self.xml).count))
    #expect(stream.bytesConsumed == 0)
    var buffer = [UInt8](repeating: 0, count: 4096)
    #expect(try stream.read(into: &buffer) == Self.xml.count)
    #expect(try stream.read(into: &buffer) == 0)
    #expect(stream.bytesConsumed == stream.totalByteCount)
  }

  @Test func toleratesWhatStandsAroundTheArchive() throws {
    var builder = ZipBuilder([ZipBuilder.Entry(Self.name, Self.xml)])
    // A comment that looks like an end record, and a program in front.
    builder.comment = [0x50, 0x4B, 5, 6] + [UInt8](repeating: 0, count: 40)
    #expect(try readMain(builder.build()) == Self.xml)
    builder.prefix = [0x50, 0x4B, 3, 4] + Array("not a header".utf8)
    #expect(try readMain(builder.build()) == Self.xml)
    builder.hasZip64End = true
    #expect(try readMain(builder.build()) == Self.xml)
  }

  @Test func namesAreUTF8WithOrWithoutTheFlag() throws {
    let folder = try TemporaryFolder()
    for flags in [0, 1 << 11] {
      // 書き出したデータ with a decomposed で, as some phones write it.
      var entry = ZipBuilder.Entry("書き出したテ\u{3099}ータ.xml", Self.xml)
      entry.flags = flags
      entry.localName = Array("書き出したデータ.xml".utf8)
      let path = try folder.write("\(flags).zip", ZipBuilder([entry]).build())
      #expect(try OpenExport.open(path: path).mainPath == "書き出したデータ.xml")
      #expect(try readMain(path: path).bytes == Self.xml)
    }
    // Code page 437 or whatever: some name, no failure. Backslashes of old Windows zips are folders.
    var entry = ZipBuilder.Entry("", Self.xml)
    entry.name = Array("a\\exportaci".utf8) + [0xA2, 0x6E] + Array(".xml".utf8)
    #expect(
      try OpenExport.open(path: try folder.write("x.zip", ZipBuilder([entry]).build())).mainPath
        == "a/exportaci\u{A2}n.xml")
  }

  @Test func aLocalHeaderMayNameTheEntryOtherwise() throws {
    var entry = ZipBuilder.Entry(Self.name, Self.xml)
    entry.localName = Array("other.xml".utf8)
    #expect(try readMain(ZipBuilder([entry]).build()) == Self.xml)
  }

  @Test func wrongChecksumAndSizeAreFound() throws {
    for method in [0, 8] {
      var entry = ZipBuilder.Entry(Self.name, Self.xml, method: method)
      entry.checksum = 1
      #expect(error(ZipBuilder([entry]).build()) == .wrongChecksum)
      entry.checksum = nil
      entry.sizeError = 1
      let size = Int64(Self.xml.count)
      #expect(error(ZipBuilder([entry]).build()) == .wrongSize(expected: size + 1, found: size))
      // Sizes are compared modulo 4 GB.
      entry.sizeError = 3 << 32
      #expect(try readMain(ZipBuilder([entry]).build()) == Self.xml)
    }
  }

  func error(_ zip: [UInt8]) -> ExportError.ZipDamage? {
    do {
      _ = try readMain(zip)
    } catch ExportError.damagedZip(_, _, let damage) {
      return damage
    } catch {}
    return nil
  }

  @Test func encryptionAndOtherMethodsAreNamed() throws {
    let folder = try TemporaryFolder()
    var entry = ZipBuilder.Entry("export.xml", Self.xml, method: 0)
    entry.flags = 1
    let encrypted = try folder.write("a.zip", ZipBuilder([entry]).build())
    #expect(throws: ExportError.unsupportedZip(path: encrypted, entry: "export.xml", .encryption)) {
      try OpenExport.open(path: encrypted)
    }
    entry.flags = 0
    entry.method = 93
    let zstd = try folder.write("b.zip", ZipBuilder([entry]).build())
    #expect(throws: ExportError.unsupportedZip(path: zstd, entry: "export.xml", .compressionMethod(93))) {
      try OpenExport.open(path: zstd)
    }
  }

  @Test(arguments: [ZipBuilder.Entry.Descriptor.none, .signed]) func aTornZipIsNeverWhole(
    descriptor: ZipBuilder.Entry.Descriptor
  ) throws {
    let zip = ZipBuilder([
      ZipBuilder.Entry("a.txt", Array("hello".utf8), descriptor: descriptor),
      ZipBuilder.Entry(Self.name, Self.xml, descriptor: descriptor),
    ]).build()
    let folder = try TemporaryFolder()
    var salvagedCounts = Set<Int>()
    for length in 0..<zip.count {
      let path = try folder.write("torn.zip", Array(zip[..<length]))
      #expect(throws: ExportError.self, "\(length)") { try OpenExport.open(path: path) }
      // Salvage finds the XML by walking from header to header, and always says that something is missing.
      guard let export = try? OpenExport.open(path: path, salvage: true) else { continue }
      let stream = try export.makeStream()
      var buffer = [UInt8](repeating: 0, count: 1000)
      var bytes: [UInt8] = []
      while true {
        let count = try stream.read(into: &buffer)
        if count == 0 { break }
        bytes += buffer[..<count]
      }
      #expect(stream.damage != nil)
      #expect(Self.xml.starts(with: bytes))
      salvagedCounts.insert(bytes.count)
    }
    #expect(salvagedCounts.contains(Self.xml.count))
    #expect(salvagedCounts.count > 50)
  }

  /// Whatever bit is flipped: an error, or the very same bytes. Never a crash, never other bytes.
  @Test func aFlippedBitIsNeverBelieved() throws {
    let zip = ZipBuilder([
      ZipBuilder.Entry(Self.name, Self.xml, descriptor: .signed, isZip64: true),
      ZipBuilder.Entry("b/a.gpx", Array("hello".utf8), method: 0),
    ]).build()
    let folder = try TemporaryFolder()
    for position in zip.indices {
      var damaged = zip
      damaged[position] ^= 1 << UInt8(position % 8)
      let path = try folder.write("flipped.zip", damaged)
      do {
        #expect(try readMain(path: path).bytes == Self.xml, "\(position)")
      } catch is ExportError {}
      _ = try? readMain(path: path, salvage: true)
    }
  }

  @Test func salvageKeepsWhatADamagedEntryHolds() throws {
    var content = Fixture.export(String(repeating: " <Record type=\"a\" value=\"1\"/>\n", count: 2000))
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(seed: seed)
    for i in content.indices where content[i] == UInt8(ascii: "1") {
      content[i] = UInt8.random(in: 48...57, using: &random)
    }
    var zip = ZipBuilder([ZipBuilder.Entry(Self.name, content)]).build()
    for i in (zip.count / 2)..<(zip.count / 2 + 50) { zip[i] = 0xFF }
    let folder = try TemporaryFolder()
    let path = try folder.write("damaged.zip", zip)
    #expect(throws: ExportError.self) { try readMain(path: path) }
    let (bytes, damage) = try readMain(path: path, salvage: true)
    #expect(!bytes.isEmpty, "seed \(seed)")
    #expect(damage != nil)
    var scanner = ElementScanner(salvage: true)
    try scanner.consume(bytes.span)
    try scanner.finish(damage: damage)
    let next = scanner.nextSegment()
    let segment = try #require(next)
    #expect(segment.repairs.entries[.salvagedTear] != nil)
    #expect(segment.elementStarts.count > 10)
    // Strict does not end with success, either.
    var strict = ElementScanner()
    #expect(throws: ExportError.self) {
      try strict.consume(bytes.span)
      try strict.finish(damage: damage)
    }
  }

  /// Over 4 GB with 32-bit numbers that wrapped. The file is sparse: 4 GB of it take no room.
  @Test(arguments: [0, 8], [false, true]) func wrappedOffsetsAreFound(method: Int, hasDecoy: Bool) throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/wrapped.zip"
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    let file = try #require(FileHandle(forWritingAtPath: path))
    let large = ZipBuilder.Entry("apple_health_export/export_cda.bin", [], method: 0)
    let header = ZipBuilder.header(
      name: large.name, method: 0, flags: 0, checksum: 0, compressed: 1000, size: 1000)
    let data = method == 8 ? deflate(Self.xml) : Self.xml
    let name = Array(Self.name.utf8)
    let offset: Int64 = (1 << 32) + 5000
    let local = ZipBuilder.header(
      name: name, method: method, flags: 0, checksum: crc(Self.xml), compressed: Int64(data.count),
      size: Int64(Self.xml.count))
    try file.write(contentsOf: header)
    // At the wrapped offset there may be something that looks like a header.
    if hasDecoy {
      try file.seek(toOffset: 5000)
      try file.write(
        contentsOf: ZipBuilder.header(name: Array("x".utf8), method: 0, flags: 0, checksum: 0, compressed: 0, size: 0))
    }
    try file.seek(toOffset: UInt64(offset))
    try file.write(contentsOf: local + data)
    let directory =
      ZipBuilder.directoryEntry(
        name: large.name, method: 0, flags: 0, checksum: 0, compressed: offset - Int64(header.count), size: offset,
        offset: 0)
      + ZipBuilder.directoryEntry(
        name: name, method: method, flags: 0, checksum: crc(Self.xml), compressed: Int64(data.count),
        size: Int64(Self.xml.count), offset: offset)
    let directoryOffset = offset + Int64(local.count + data.count)
    try file.write(contentsOf: directory)
    try file.write(
      contentsOf: ZipBuilder.end(
        offset: directoryOffset, size: directory.count, count: 2, recordOffset: directoryOffset + Int64(directory.count)
      ))
    try file.close()
    let export = try OpenExport.open(path: path)
    #expect(export.mainPath == Self.name)
    let (bytes, _) = try readMain(path: path)
    #expect(bytes == Self.xml)
  }

  /// One entry of over 4 GB: stored, its size wrapped, in a sparse file. Takes some seconds.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["HK2PG_TEST_LARGE"] != nil, "set HK2PG_TEST_LARGE=1"))
  func wrappedSizesAreFound() throws {
    let folder = try TemporaryFolder()
    let path = "\(folder.path)/large.zip"
    #expect(FileManager.default.createFile(atPath: path, contents: nil))
    let file = try #require(FileHandle(forWritingAtPath: path))
    let name = Array("export.xml".utf8)
    let start = Array("<HealthData>".utf8)
    let size: Int64 = (1 << 32) + 100
    // CRC of the start and zeros, computed once by reading.
    var checksum: UInt32 = crc(start)
    let zeros = [UInt8](repeating: 0, count: 1 << 24)
    var rest = size - Int64(start.count)
    while rest > 0 {
      let count = Int(min(rest, Int64(zeros.count)))
      checksum = unsafe zeros.withUnsafeBytes {
        unsafe Checksum.update(checksum, UnsafeRawBufferPointer(rebasing: $0[..<count]))
      }
      rest -= Int64(count)
    }
    let local = ZipBuilder.header(name: name, method: 0, flags: 0, checksum: checksum, compressed: size, size: size)
    try file.write(contentsOf: local + start)
    let end = Int64(local.count) + size
    try file.seek(toOffset: UInt64(end))
    let directory = ZipBuilder.directoryEntry(
      name: name, method: 0, flags: 0, checksum: checksum, compressed: size, size: size, offset: 0)
    try file.write(contentsOf: directory)
    try file.write(
      contentsOf: ZipBuilder.end(
        offset: end, size: directory.count, count: 1, recordOffset: end + Int64(directory.count)))
    try file.close()
    let stream = try OpenExport.open(path: path).makeStream()
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    var total: Int64 = 0
    while true {
      let count = try stream.read(into: &buffer)
      if count == 0 { break }
      total += Int64(count)
    }
    #expect(total == size)
  }
}
