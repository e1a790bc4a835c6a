import HealthModel
import Testing

@testable import ExportReader

/// One made-up element per repair of DESIGN §7.3: clean bytes, count, and the first original offset.
@Suite struct ScannerRepairsTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var body: [UInt8]
    var clean: String
    var counts: [ProblemKind: Int]
    /// Of the first repair, from the beginning of the body.
    var offset: Int64

    init(_ body: String, _ clean: String, _ counts: [ProblemKind: Int], at offset: Int64) {
      self.init(Array(body.utf8), clean, counts, at: offset)
    }

    init(_ body: [UInt8], _ clean: String, _ counts: [ProblemKind: Int], at offset: Int64) {
      self.body = body
      self.clean = clean
      self.counts = counts
      self.offset = offset
    }

    var testDescription: String { clean }
  }

  static func bytes(_ before: String, _ damage: [UInt8], _ after: String) -> [UInt8] {
    Array(before.utf8) + damage + Array(after.utf8)
  }

  static let cases: [Case] = [
    Case(bytes("<a b=\"x", [0x0B], "y\"/>"), "<a b=\"x\u{FFFD}y\"/>", [.illegalCharacter: 1], at: 7),
    Case(bytes("<a b=\"x", [0x00, 0x00], "y\"/>"), "<a b=\"x\u{FFFD}\u{FFFD}y\"/>", [.illegalCharacter: 2], at: 7),
    Case("<a b=\"x\ty\r\nz\"/>", "<a b=\"x\ty\r\nz\"/>", [:], at: 0),
    Case(
      "<a b=\"\u{FFFE}\u{FFFF}\u{FFFD}\u{7F}\u{85}\"/>", "<a b=\"\u{FFFD}\u{FFFD}\u{FFFD}\u{7F}\u{85}\"/>",
      [.illegalCharacter: 2], at: 6),
    Case(
      "<a b=\"&#11;&#x0;&#xD800;&#xFFFE;&#1114112;&#99999999999;\"/>",
      "<a b=\"" + String(repeating: "\u{FFFD}", count: 6) + "\"/>", [.illegalReference: 6], at: 6),
    Case(
      "<a b=\"&#9;&#xA;&#183;&#x1F44D;&quot;&apos;&lt;&gt;&amp;\"/>",
      "<a b=\"&#9;&#xA;&#183;&#x1F44D;&quot;&apos;&lt;&gt;&amp;\"/>", [:], at: 0),
    Case("<a b=\"Tom & Jerry\"/>", "<a b=\"Tom &amp; Jerry\"/>", [.rawAmpersand: 1], at: 10),
    Case("<a b=\"&\"/>", "<a b=\"&amp;\"/>", [.rawAmpersand: 1], at: 6),
    Case(
      "<a b=\"&&amp;&;&#;&#x;&#xg;&5;&a b;\"/>", "<a b=\"&amp;&amp;&amp;;&amp;#;&amp;#x;&amp;#xg;&amp;5;&amp;a b;\"/>",
      [.rawAmpersand: 7], at: 6),
    Case("<a b=\"x&nbsp;y\" c='&LT;'/>", "<a b=\"x&amp;nbsp;y\" c='&amp;LT;'/>", [.undeclaredEntity: 2], at: 7),
    Case("<a b=\"x<y<<\" c='<'/>", "<a b=\"x&lt;y&lt;&lt;\" c='&lt;'/>", [.rawLessThan: 4], at: 7),
    Case("<Record device unit=\"x\"/>", "<Record device =\"\" unit=\"x\"/>", [.attributeWithoutValue: 1], at: 8),
    Case("<a b/>", "<a b=\"\" />", [.attributeWithoutValue: 1], at: 3),
    Case("<a b=></a>", "<a b=\"\"></a>", [.attributeWithoutValue: 1], at: 3),
    Case("<a b c></a>", "<a b =\"\" c=\"\" ></a>", [.attributeWithoutValue: 2], at: 3),
    Case("<a b=5 c=count/min/>", "<a b=\"5\" c=\"count/min\"/>", [.unquotedValue: 2], at: 3),
    Case("<a b=5></a>", "<a b=\"5\"></a>", [.unquotedValue: 1], at: 3),
    Case("<a b = \"1\" c\n=\n'2'/>", "<a b = \"1\" c\n=\n'2'/>", [:], at: 0),
    // Bad UTF-8: a byte that begins nothing, a sequence cut short, overlong, a surrogate, beyond U+10FFFF.
    Case(bytes("<a b=\"", [0x80, 0xFF], "\"/>"), "<a b=\"\u{FFFD}\u{FFFD}\"/>", [.invalidUTF8: 2], at: 6),
    Case(bytes("<a b=\"", [0xE2, 0x82], "x\"/>"), "<a b=\"\u{FFFD}x\"/>", [.invalidUTF8: 1], at: 6),
    Case(bytes("<a b=\"", [0xC0, 0xAF], "\"/>"), "<a b=\"\u{FFFD}\u{FFFD}\"/>", [.invalidUTF8: 2], at: 6),
    Case(
      bytes("<a b=\"", [0xED, 0xA0, 0x80], "\"/>"), "<a b=\"\u{FFFD}\u{FFFD}\u{FFFD}\"/>", [.invalidUTF8: 3], at: 6),
    Case(
      bytes("<a b=\"", [0xF4, 0x90, 0x80, 0x80], "\"/>"), "<a b=\"\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}\"/>",
      [.invalidUTF8: 4], at: 6),
    Case(bytes("<a b=\"", [0xF0, 0x9F, 0x91], "\"/>"), "<a b=\"\u{FFFD}\"/>", [.invalidUTF8: 1], at: 6),
    // The example of the Unicode standard, table 3-8.
    Case(
      bytes("<a b=\"", [0xE1, 0x80, 0xE2, 0xF0, 0x91, 0x92, 0xF1, 0xBF, 0x41], "\"/>"),
      "<a b=\"\u{FFFD}\u{FFFD}\u{FFFD}\u{FFFD}A\"/>", [.invalidUTF8: 4], at: 6),
    Case(
      "<a b=\"ä–👟\u{A0}\u{D7FF}\u{E000}\u{10FFFF}\"/>", "<a b=\"ä–👟\u{A0}\u{D7FF}\u{E000}\u{10FFFF}\"/>", [:], at: 0),
  ]

  @Test(arguments: cases) func repairs(_ test: Case) throws {
    let input = Fixture.export(bytes: test.body)
    let result = try ScanResult(input)
    #expect(result.text.trimmingWhiteSpace == test.clean)
    #expect(result.problems.counts == test.counts)
    if !test.counts.isEmpty {
      #expect(result.problems.entries.values.map(\.firstOffset).min() == Fixture.bodyOffset + test.offset)
    }
    // What was repaired is XML, also for libxml2.
    #expect(try ParseResult(input).elements.count == 1)
  }

  @Test func offsetsAfterARepairAreThoseOfTheOriginal() throws {
    let body = " <a b=\"&\"/> <!-- cut --> <c/>x<d e=\"\u{1}\"/> <f/>"
    let result = try ScanResult(Fixture.export(body))
    let expected = ["<a", "<c", "<d", "<f"].map { Fixture.bodyOffset + Int64(body.utf8Offset(of: $0)) }
    #expect(result.originals == [expected])
  }

  @Test func everyRecordCountsButOnlyTheFirstOffsetStays() throws {
    let body = String(repeating: " <Record sourceName=\"A & B\"/>\n", count: 5000)
    let result = try ScanResult(Fixture.export(body), segmentByteCount: 4096)
    #expect(result.problems.counts == [.rawAmpersand: 5000])
    #expect(result.problems.entries[.rawAmpersand]?.firstOffset == Fixture.bodyOffset + 23)
    #expect(result.segments.count > 10)
  }
}

extension String {
  var trimmingWhiteSpace: String {
    String(drop { $0.isWhitespace }.reversed().drop { $0.isWhitespace }.reversed())
  }

  func utf8Offset(of text: String) -> Int {
    utf8.distance(from: utf8.startIndex, to: firstRange(of: text)!.lowerBound)
  }
}
