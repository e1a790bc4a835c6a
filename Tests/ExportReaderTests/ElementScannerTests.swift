import HealthModel
import TestSupport
import Testing

@testable import ExportReader

@Suite struct ElementScannerTests {
  @Test func cutsEverythingAroundTheElements() throws {
    let result = try ScanResult(Fixture.small)
    #expect(result.root == ExportRoot(locale: "en_US", formatVersion: 14))
    #expect(result.problems.counts == [:])
    #expect(result.starts[0].count == 5)
    #expect(!result.text.contains("<!"))
    #expect(!result.text.contains("<?"))
    #expect(!result.text.contains("HealthData"))
    for (start, original) in zip(result.starts[0], result.originals[0]) {
      // Same tag at both ends of the map.
      #expect(result.segments[0][Int(start)...].prefix(6) == Fixture.small[Int(original)...].prefix(6))
    }
  }

  @Test func anySplitGivesTheSameSegments() throws {
    let damaged = Fixture.export(
      bytes: Array(
        """
         <Record a="Tom & Jerry" b="&nbsp;&lt;&#11;&#x41;" c="a<b" unit e='x' device="q"/>
         <!-- --> <Record value=5 unit=count/min/>stray<![CDATA[ ]]><Record a="
        """.utf8) + [0x00, 0xC3, 0x28, 0xED, 0xA0, 0x80, 0xF0, 0x9F, 0x91, 0x9F, 0xEF, 0xBF, 0xBF, 0xE2, 0x82, 0x22]
        + Array("/>\n <Workout><A/></Workout>\n".utf8))
    for input in [Fixture.small, damaged] {
      let whole = try ScanResult(input, segmentByteCount: 100)
      #expect(whole.segments.count > 1)
      for size in 1...40 {
        #expect(try ScanResult(input, pieces: [size], segmentByteCount: 100) == whole, "pieces of \(size)")
      }
      let seed = UInt64.random(in: 0...UInt64.max)
      var random = SplitMix(seed: seed)
      for _ in 0..<200 {
        let pieces = (0..<50).map { _ in Int.random(in: 1...60, using: &random) }
        #expect(try ScanResult(input, pieces: pieces, segmentByteCount: 100) == whole, "seed \(seed)")
      }
    }
  }

  @Test func segmentsEndWithTheFirstElementAtOrBeyondTheLimit() throws {
    // The white space before an element belongs to its segment; the first has a line feed after the root tag, too.
    let input = Fixture.export(" <a/> <b/> <c/> <d/> <e/>")
    let result = try ScanResult(input, segmentByteCount: 10)
    #expect(result.segments.map { String(decoding: $0, as: UTF8.self) } == ["\n <a/> <b/>", " <c/> <d/>", " <e/>"])
    #expect(result.starts == [[2, 7], [1, 6], [1]])
    let first = Fixture.bodyOffset + 1
    #expect(result.originals == [[first, first + 5], [first + 10, first + 15], [first + 20]])
  }

  @Test func truncatedAnywhereIsNeverSuccess() throws {
    let whole = try ScanResult(Fixture.small)
    let end = Fixture.small.lastIndex(of: UInt8(ascii: ">"))!
    for length in 0...end {
      let torn = Array(Fixture.small[..<length])
      #expect(throws: ExportError.truncated(at: Int64(length))) { try ScanResult(torn) }
      // Salvage gives a prefix of the elements and says where it tore, or fails when none is whole.
      do {
        let salvaged = try ScanResult(torn, salvage: true)
        #expect(salvaged.problems.entries[.salvagedTear]?.firstOffset == Int64(length))
        #expect(salvaged.starts[0].count < 6 && salvaged.starts[0].count > 0)
        #expect(salvaged.originals[0] == Array(whole.originals[0].prefix(salvaged.starts[0].count)))
      } catch {
        #expect(error == .truncated(at: Int64(length)))
      }
    }
    #expect(try ScanResult(Array(Fixture.small[...end])) == whole)
  }

  @Test func anEmptyHealthDataIsFineAndTextAloneIsNot() throws {
    let empty = try ScanResult(Array("<HealthData locale='de_DE'/>".utf8))
    #expect(empty.segments == [[]])
    #expect(empty.root == ExportRoot(locale: "de_DE", formatVersion: nil))
    #expect(try ScanResult(Fixture.export("")).starts == [[]])
    #expect(throws: ExportError.nothingInIt) { try ScanResult(Fixture.export("just words")) }
  }

  @Test func textIsIgnoredAndCountedButTheRestOfATagIsNot() throws {
    let result = try ScanResult(Fixture.export("<a>words</a> more <b/> <![CDATA[<c/>]]><d/>"))
    #expect(result.text == "\n<a></a> <b/> <d/>")
    #expect(result.problems.counts == [.ignoredText: 3])
    #expect(result.problems.entries[.ignoredText]?.firstOffset == Fixture.bodyOffset + 3)

    let torn = Fixture.export("<a/> \"2024-01-01\" value=\"1\"/> <b/>")
    #expect(throws: ExportError.malformed(at: Fixture.bodyOffset + 5, .tornText)) { try ScanResult(torn) }
    let salvaged = try ScanResult(torn, salvage: true)
    #expect(salvaged.starts[0].count == 2)
    #expect(salvaged.problems.counts == [.rejectedMalformed: 1])
  }

  @Test func whatFollowsTheRootIsAnError() throws {
    let one = Fixture.export("<a/>")
    let end = Int64(one.count)
    #expect(throws: ExportError.severalRoots(at: end)) { try ScanResult(one + Fixture.export("<b/>").dropFirst(39)) }
    #expect(throws: ExportError.textAfterRoot(at: end)) { try ScanResult(one + Array("x".utf8)) }
    #expect(throws: ExportError.textAfterRoot(at: end)) { try ScanResult(one + [0]) }
    #expect(try ScanResult(one + Array("<!-- x --> <?y?>\n".utf8)).starts[0].count == 1)
    let salvaged = try ScanResult(one + one, salvage: true)
    #expect(salvaged.starts[0].count == 1)
    #expect(salvaged.problems.counts == [.salvagedTear: 1])
  }

  @Test func malformedTagsAreErrorsAtTheirByte() throws {
    let start = Fixture.bodyOffset
    func expect(_ body: String, _ offset: Int64, _ defect: XMLDefect) {
      #expect(throws: ExportError.malformed(at: start + offset, defect), "\(body)") {
        try ScanResult(Fixture.export(body))
      }
    }
    expect("<a b=\"1\"\"/>", 8, .unexpectedByte(0x22))
    expect("<a><b></a></b>", 6, .mismatchedEndTag)
    expect("<a/></b>", 4, .mismatchedEndTag)
    expect("<a <b/>", 3, .unexpectedByte(0x3C))
    expect("< a/>", 1, .unexpectedByte(0x20))
    expect("<a/ >", 3, .unexpectedByte(0x20))
    expect("<a><!ELEMENT x></a>", 3, .declarationInBody)
    // iOS 8: metadata as attributes with spaces in their names.
    expect("<Record type=\"x\" Was Taken In Lab=\"0\"/>", 17, .spaceInAttributeName)
    // Not closed: the end of the root meets an open element.
    expect("<a b=\"1\">\n", 10, .mismatchedEndTag)
    let deep = String(repeating: "<a>", count: 200)
    expect(deep, Int64(3 * ElementScanner.maximumDepth), .nestedTooDeep)
  }

  @Test func salvageLeavesOutTheElementWithTheDefect() throws {
    let body = """
      <Record type="1"/>
      <Record type="2" Was Taken In="0"><MetadataEntry key="a" value="b"/></Record>
      <Record type="3"/>
      <Workout><MetadataEntry key="c" value="d"/><Record type="4"/><x></y></Workout>
      <Record type="5"/>

      """
    let result = try ScanResult(Fixture.export(body), salvage: true)
    #expect(
      result.text.split(separator: "\n").map { $0.trimmed } == [
        "<Record type=\"1\"/>", "<Record type=\"3\"/>", "<Record type=\"5\"/>",
      ])
    #expect(result.problems.counts == [.rejectedMalformed: 2, .attributeWithoutValue: 2])
    #expect(result.malformed.map(\.inputOffset) == [Fixture.bodyOffset + 19, Fixture.bodyOffset + 116])
    #expect(result.malformed.map(\.defect) == [.spaceInAttributeName, .mismatchedEndTag])
  }

  @Test func refusesWhatIsNoExport() throws {
    func error(_ text: String) -> ExportError? {
      #expect(throws: ExportError.self) { try ScanResult(Array(text.utf8)) }
    }
    #expect(error("hello") == .notAnExport(path: "test.xml", .otherFile))
    #expect(error("<ClinicalDocument xmlns=\"x\">") == .notAnExport(path: "test.xml", .clinicalDocumentOnly))
    #expect(error("<?xml?><gpx >") == .notAnExport(path: "test.xml", .otherXML(root: "gpx")))
    #expect(error("<HealthDataX>") == .notAnExport(path: "test.xml", .otherXML(root: "HealthDataX")))
    #expect(
      error("<?xml version='1.0' encoding='ISO-8859-1'?><HealthData>")
        == .unsupportedEncoding(path: "test.xml", encoding: "ISO-8859-1"))
  }
}

extension Substring {
  var trimmed: String { String(self.drop { $0 == " " }) }
}

extension ElementScannerTests {
  /// What never ends must not fill the memory: a tag without `>`, an element that is not closed, white space.
  @Test(arguments: ["<HealthData ", "<HealthData>\n <Record ", "<HealthData><Workout>", "<HealthData>"])
  func whatNeverEndsIsADefect(head: String) throws {
    let blanks = [UInt8](repeating: 0x20, count: 1000)
    var scanner = ElementScanner(maximumElementByteCount: 10_000)
    try scanner.consume(Array(head.utf8).span)
    for _ in 0..<9 { try scanner.consume(blanks.span) }
    let error = #expect(throws: ExportError.self) { for _ in 0..<2 { try scanner.consume(blanks.span) } }
    guard case .malformed(_, .elementTooLarge) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
  }
}
