import Staging
import TestSupport
import Testing

@Suite struct ZstdTests {
  private func compress(_ bytes: [UInt8], pieces size: Int, level: Int = ZstdCompressor.defaultLevel) throws -> [UInt8]
  {
    var compressor = try ZstdCompressor(level: level)
    var output: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      try compressor.compress(
        bytes.span.extracting(start..<min(start + size, bytes.count)), isLast: false, into: &output)
    }
    let nothing: [UInt8] = []
    try compressor.compress(nothing.span, isLast: true, into: &output)
    return output
  }

  private func decompress(_ bytes: [UInt8], limit: Int) throws -> (output: [UInt8], isWhole: Bool) {
    var decompressor = try ZstdDecompressor(path: "x")
    var output: [UInt8] = []
    var position = 0
    while true {
      let before = output.count
      position += try decompressor.decompress(bytes.span, from: position, into: &output, limit: limit)
      if output.count == before && position == bytes.count { return (output, decompressor.isAtFrameEnd) }
    }
  }

  @Test(arguments: [-5, -1, 1, 9]) func bytesComeBack(level: Int) throws {
    var random = SplitMix(printing: "ZstdTests.bytesComeBack")
    for count in [0, 1, 1000, 700_000] {
      let bytes = (0..<count).map { _ in UInt8(random.below(7)) }
      let compressed = try compress(bytes, pieces: 1 + random.below(100_000), level: level)
      #expect(compressed.count <= count + 40)
      let result = try decompress(compressed, limit: 1 + random.below(50_000))
      #expect(result.output == bytes)
      #expect(result.isWhole)
    }
  }

  @Test func aContextMakesFrameAfterFrame() throws {
    var compressor = try ZstdCompressor()
    var first: [UInt8] = []
    var second: [UInt8] = []
    let bytes = Array("the same bytes".utf8)
    try compressor.compress(bytes.span, isLast: true, into: &first)
    try compressor.compress(bytes.span, isLast: true, into: &second)
    #expect(first == second)
    #expect(throws: StagingError.corrupt(path: "x", reason: "bytes after the end of the frame")) {
      try decompress(first + second, limit: 100)
    }
  }

  @Test func truncatedFramesAreNotWhole() throws {
    let compressed = try compress(Array("0123456789".utf8), pieces: 4)
    for length in 0..<compressed.count {
      let result = try? decompress(Array(compressed[..<length]), limit: 64)
      #expect(result?.isWhole != true)
    }
  }

  @Test func theContentChecksumIsVerified() throws {
    var compressed = try compress(Array("0123456789".utf8), pieces: 4)
    compressed[compressed.count - 1] ^= 1
    #expect(throws: StagingError.self) { try decompress(compressed, limit: 64) }
  }
}
