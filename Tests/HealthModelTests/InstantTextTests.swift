import HealthModel
import Testing

@Suite struct InstantTextTests {
  @Test(arguments: [
    (0, "1970-01-01T00:00:00Z"), (-1_000_000, "1969-12-31T23:59:59Z"), (1_709_251_199_000_000, "2024-02-29T23:59:59Z"),
    (1_500_001, "1970-01-01T00:00:01.500001Z"), (-1, "1969-12-31T23:59:59.999999Z"),
    (-62_167_219_200_000_000, "0000-01-01T00:00:00Z"), (253_402_300_799_000_000, "9999-12-31T23:59:59Z"),
  ])
  func textAndBack(microseconds: Int, text: String) {
    let instant = Instant(microseconds: Int64(microseconds))
    #expect(instant.iso8601 == text)
    #expect(Instant(iso8601: text) == instant)
  }

  @Test(arguments: [
    "", "2024-02-30T00:00:00Z", "2024-02-29T24:00:00Z", "2024-02-29T00:60:00Z", "2024-02-29T00:00:60Z",
    "2024-02-29 00:00:00Z", "2024-02-29T00:00:00", "2024-02-29T00:00:00.5Z", "2024-02-29T00:00:00+00:00Z",
    "+024-02-29T00:00:00Z", "2024-02-29T00:00:00,000000Z",
  ])
  func everythingElseIsRefused(text: String) {
    #expect(Instant(iso8601: text) == nil)
  }
}
