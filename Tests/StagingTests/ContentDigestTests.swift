import Staging
import Testing

@Suite struct ContentDigestTests {
  private func digest(_ pieces: [UInt8]...) -> String {
    var digest = ContentDigest()
    for piece in pieces { digest.update(piece.span) }
    return digest.text()
  }

  /// As `xxhsum -H2` prints them.
  @Test func knownDigests() {
    #expect(digest() == "99aa06d3014798d86001c324468d497f")
    #expect(digest(Array("abc".utf8)) == "06b05ab6733a618578af5f94892f3950")
  }

  @Test func piecesDoNotMatter() {
    #expect(digest(Array("ab".utf8), [], Array("c".utf8)) == digest(Array("abc".utf8)))
  }

  @Test func resetStartsOver() {
    var digest = ContentDigest()
    let bytes: [UInt8] = [1, 2]
    digest.update(bytes.span)
    digest.reset()
    #expect(digest.text() == self.digest())
  }
}
