import HealthModel
import Staging
import TestSupport
import Testing

@Suite struct ChunkReaderTests {
  private func chunk(_ place: TemporaryFolder, rows: Int = 5) throws -> (ChunkFolder, Manifest.Chunk) {
    var fixture = ChunkFolderFixture(user: "u")
    fixture.rows = (0..<rows).map { .init(start: Instant(seconds: Int64($0))) }
    let folder = try fixture.write(at: place.file("a"))
    return (folder, try #require(folder.chunks(of: .metrics).first))
  }

  private func read(_ folder: ChunkFolder, _ chunk: Manifest.Chunk) throws -> Int {
    var reader = try folder.reader(of: chunk)
    var piece: [UInt8] = []
    var total = 0
    while try reader.read(into: &piece) > 0 { total += piece.count }
    return total
  }

  @Test func aLargeChunkComesInPieces() throws {
    let place = try TemporaryFolder()
    let (folder, chunk) = try chunk(place, rows: 20_000)
    var reader = try folder.reader(of: chunk)
    var piece: [UInt8] = []
    var sizes: [Int] = []
    while try reader.read(into: &piece) > 0 { sizes.append(piece.count) }
    #expect(sizes.reduce(0, +) == chunk.byteCount)
    #expect(sizes.count > 5)
    #expect(sizes.allSatisfy { $0 <= 256 << 10 })
  }

  @Test func everyTruncationIsAnError() throws {
    let place = try TemporaryFolder()
    let (folder, chunk) = try chunk(place)
    let bytes = try place.bytes(of: "a/\(chunk.file)")
    for length in 0..<bytes.count {
      try place.write(Array(bytes[..<length]), to: "a/\(chunk.file)")
      #expect(throws: StagingError.self) { try read(folder, chunk) }
    }
  }

  @Test func aChangeOfAnyByteIsAnError() throws {
    let place = try TemporaryFolder()
    let (folder, chunk) = try chunk(place)
    let bytes = try place.bytes(of: "a/\(chunk.file)")
    #expect(try read(folder, chunk) == chunk.byteCount)
    for index in bytes.indices {
      for change in [UInt8(1), 0x10, 0x80] {
        var changed = bytes
        changed[index] ^= change
        try place.write(changed, to: "a/\(chunk.file)")
        #expect(throws: StagingError.self, "byte \(index) changed by \(change)") { try read(folder, chunk) }
      }
    }
    try place.write(bytes + [0], to: "a/\(chunk.file)")
    #expect(throws: StagingError.self) { try read(folder, chunk) }
    try place.write(bytes + bytes, to: "a/\(chunk.file)")
    #expect(throws: StagingError.self) { try folder.verify() }
  }

  @Test func anotherDigestOrSizeIsNamed() throws {
    let place = try TemporaryFolder()
    let (folder, chunk) = try chunk(place)
    let path = folder.path(of: chunk)
    var changed = chunk
    changed.digest = "0"
    #expect(throws: StagingError.wrongDigest(path: path, expected: "0", found: chunk.digest)) {
      try read(folder, changed)
    }
    changed = chunk
    changed.byteCount += 1
    #expect(throws: StagingError.wrongSize(path: path, expected: chunk.byteCount + 1, found: chunk.byteCount)) {
      try read(folder, changed)
    }
  }
}
