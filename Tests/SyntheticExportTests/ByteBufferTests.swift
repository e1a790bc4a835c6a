import Testing

@testable import SyntheticExport

@Suite struct ByteBufferTests {
  private func text(_ write: (inout ByteBuffer) -> Void) -> String {
    var buffer = ByteBuffer(capacity: 256)
    write(&buffer)
    var bytes: [UInt8] = []
    unsafe buffer.withBytes { raw in unsafe bytes = Array(raw) }
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(arguments: [
    (0, 0, "0"), (7, 0, "7"), (-42, 0, "-42"), (1500, 3, "1.5"), (1000, 3, "1"), (5, 3, "0.005"), (-25, 2, "-0.25"),
    (123_456, 3, "123.456"), (900, 4, "0.09"), (0, 3, "0"),
  ])
  func dropsTrailingZeros(mantissa: Int, decimals: Int, expected: String) {
    #expect(text { $0.append(decimal: mantissa, decimals: decimals) } == expected)
  }

  @Test(arguments: [(1_234_567, 6, "1.234567"), (-1_000_000, 6, "-1.000000"), (50, 3, "0.050"), (-5, 1, "-0.5")])
  func keepsFixedDecimals(mantissa: Int, decimals: Int, expected: String) {
    #expect(text { $0.append(fixed: mantissa, decimals: decimals) } == expected)
  }

  @Test(arguments: [
    (0, 0, "1970-01-01 00:00:00 +0000"), (1_767_225_599, 3600, "2026-01-01 00:59:59 +0100"),
    (1_709_164_800, 20_700, "2024-02-29 05:45:00 +0545"), (-1, -12_600, "1969-12-31 20:29:59 -0330"),
  ])
  func printsDatesWithOneOffset(instant: Int, offset: Int, expected: String) {
    #expect(
      text {
        $0.setOffset(offset)
        $0.append(date: instant)
      } == expected)
  }

  @Test(arguments: [
    (LocalZone.Region.continental, 123_780, "00:20:37,80"), (.english, 123_780, "12:20:37.80\u{202F}AM"),
    (.english, 7_126_186, "7:47:41.86\u{202F}PM"), (.english, 4_320_000, "12:00:00.00\u{202F}PM"),
  ])
  func printsBeatClocks(region: LocalZone.Region, hundredths: Int, expected: String) {
    #expect(text { $0.append(beatClock: hundredths, region: region) } == expected)
  }

  @Test func printsHeapAddresses() {
    #expect(text { $0.append(address: 0x3_0039_F0C0) } == "30039f0c0")
  }
}
