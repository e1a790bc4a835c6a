import Staging
import Testing

@testable import Loading

struct CopyTurnsTests {
  private static func chunk(_ file: String, rows: Int) -> Manifest.Chunk {
    Manifest.Chunk(
      table: .metrics, file: file, rowCount: rows, byteCount: 1, compressedByteCount: 1, digest: "")
  }

  @Test func eachChunkOnceInOrderAndCountsGoOnWhereABrokenLoadStopped() {
    let all = [
      CopyTurnsTests.chunk("a", rows: 5), CopyTurnsTests.chunk("b", rows: 7), CopyTurnsTests.chunk("c", rows: 1),
    ]
    let turns = CopyTurns(Array(all.dropFirst()), all: all)
    #expect(turns.rowCount == 8)
    #expect(turns.next()?.file == "b")
    #expect(turns.next()?.file == "c")
    #expect(turns.next() == nil)
    #expect(turns.end(all[2]) == (2, 6))
    #expect(turns.end(all[1]) == (3, 13))
  }

  @Test func nothingIsHandedOutAfterAStop() {
    let turns = CopyTurns([CopyTurnsTests.chunk("a", rows: 5)], all: [CopyTurnsTests.chunk("a", rows: 5)])
    turns.stop()
    #expect(turns.next() == nil)
  }
}
