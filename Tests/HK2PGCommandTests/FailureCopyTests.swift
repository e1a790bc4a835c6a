import PostgresClient
import Testing

@testable import HK2PGCommand

@Suite struct FailureCopyTests {
  @Test(arguments: [
    (CopyError.badSignature, "in its header"), (.unsupportedFlags(1), "in its header"),
    (.badHeaderExtension(byteCount: 9), "in its header"), (.bytesAfterTrailer(byteCount: 1), "after its end"),
    (.truncated(row: 1000), "after row 1,000"), (.wrongFieldCount(row: 0, expected: 1, found: 2), "in row 1"),
    (.badFieldLength(row: 1, field: 0, byteCount: -5), "in row 2"),
    (.wrongFieldSize(row: 1, field: 0, expected: 8, found: 4), "in row 2"),
    (.unexpectedNull(row: 1, field: 0), "in row 2"), (.unrepresentable(row: 1, field: 0), "in row 2"),
  ])
  func sentence(_ error: CopyError, _ place: String) {
    #expect(Failure(error).code == .failed)
    #expect(Failure(error).what == "binary COPY data are damaged \(place)")
  }
}
