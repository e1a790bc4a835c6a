import HealthModel
import TestSupport
import Testing

@testable import ExportReader

@Suite struct ElementParserTests {
  @Test func flattensElementsWithDecodedValues() throws {
    let body = """
       <Record type="HKQuantityTypeIdentifierStepCount" device="&lt;&lt;HK&#183;&gt;" value="12" odd="x"/>
       <Correlation type="c">
        <MetadataEntry key="Tom &amp;&#38; &quot;Jerry&apos;&#x26;lt;" value=""/>
        <Record type="r"><MetadataEntry key="k" value="v"/></Record>
        <New a:b="1"/>
       </Correlation>

      """
    let result = try ParseResult(Fixture.export(body))
    #expect(
      result.elements == [
        ["Record(-1) type=HKQuantityTypeIdentifierStepCount device=<<HK·> value=12 odd=x"],
        [
          "Correlation(-1) type=c", "MetadataEntry(0) key=Tom && \"Jerry'&lt; value=", "Record(0) type=r",
          "MetadataEntry(2) key=k value=v", "New(0) a:b=1",
        ],
      ])
    #expect(
      result.offsets == [Fixture.bodyOffset + 1, Fixture.bodyOffset + Int64(body.utf8Offset(of: "<Correlation"))])
    #expect(result.problems.counts == [:])
  }

  @Test func everyKnownNameIsRecognised() throws {
    let attributes = AttributeName.allCases.filter { $0 != .other }.map { "\($0.exportName)=\"\($0.rawValue)\"" }
    for name in ElementName.allCases where name != .other {
      let body = "<\(name.exportName) \(attributes.joined(separator: " "))/>"
      let scanned = try ParseResult(Fixture.export(body))
      let expected = AttributeName.allCases.filter { $0 != .other }.map { "\($0.exportName)=\($0.rawValue)" }
      #expect(scanned.elements == [["\(name.exportName)(-1) " + expected.joined(separator: " ")]])
    }
  }

  @Test func ofADoubledAttributeTheFirstCounts() throws {
    let body =
      "<a/><Workout><Record type=\"1\" x=\"2\" type=\"3\" x=\"4\" x=\"5\"/><Me value=\"6\"/></Workout><b c=\"d\"/>"
    let result = try ParseResult(Fixture.export(body))
    #expect(
      result.elements == [["a(-1)"], ["Workout(-1)", "Record(0) type=1 x=2", "Me(0) value=6"], ["b(-1) c=d"]])
    #expect(result.problems.counts == [.doubledAttribute: 3])
    #expect(result.problems.entries[.doubledAttribute]?.firstOffset == Fixture.bodyOffset + 4)
  }

  @Test func theSecondStartOfAStatisticsIsItsEnd() throws {
    let body = """
      <Workout><WorkoutStatistics type="t" startDate="1" startDate="2" sum="3"/>\
      <WorkoutStatistics startDate="4" startDate="5" endDate="6"/>\
      <WorkoutStatistics startDate="7" startDate="8" startDate="9"/></Workout>
      """
    let result = try ParseResult(Fixture.export(body))
    #expect(
      result.elements == [
        [
          "Workout(-1)", "WorkoutStatistics(0) type=t startDate=1 endDate=2 sum=3",
          "WorkoutStatistics(0) startDate=4 endDate=6", "WorkoutStatistics(0) startDate=7 endDate=8",
        ]
      ])
    #expect(result.problems.counts == [.doubledStatisticsStart: 2, .doubledAttribute: 2])
  }

  /// No space between attributes: the scanner lets it pass, libxml2 does not.
  @Test func whatOnlyTheParserSeesIsAnErrorAtItsPlace() throws {
    let body = "<!-- moved --><a/><b c=\"1\"d=\"2\"/><e/>"
    let input = Fixture.export(body)
    do {
      _ = try ParseResult(input)
      Issue.record("parsed")
    } catch let error as ExportError {
      guard case .malformed(let offset, .parser(let code)) = error else {
        Issue.record("\(error)")
        return
      }
      #expect(code == 65)
      #expect((Fixture.bodyOffset + 18...Fixture.bodyOffset + 34).contains(offset))
    }
    let salvaged = try ParseResult(input, salvage: true)
    #expect(salvaged.elements == [["a(-1)"], ["e(-1)"]])
    #expect(salvaged.offsets == [Fixture.bodyOffset + 14, Fixture.bodyOffset + 33])
    #expect(salvaged.problems.counts == [.rejectedMalformed: 1])
    #expect(salvaged.malformed.map { String(decoding: $0.text, as: UTF8.self) } == ["<b c=\"1\"d=\"2\"/>"])
  }

  @Test func oneParserServesManySegmentsAndManyPieces() throws {
    let count = 3000
    let body = (0..<count).map {
      " <Record type=\"t\" value=\"\($0)\" device=\"&lt;\(String(repeating: "x", count: 50))\"/>\n"
    }
    let result = try ParseResult(Fixture.export(body.joined()), segmentByteCount: 70_000)
    #expect(result.elements.count == count)
    #expect(result.elements.enumerated().allSatisfy { $1[0].contains("value=\($0) ") })
    #expect(result.offsets == result.offsets.sorted())
  }

  @Test func largeElementsAndValuesHaveNoLimit() throws {
    let entries = String(repeating: "<MetadataEntry key=\"k\" value=\"v\"/>", count: 5000)
    let valueCount = 10_000_001  // libxml2's own limit is 10,000,000
    var input = Array((Fixture.head("") + "<Workout>\(entries)</Workout><Record value=\"").utf8)
    input += [UInt8](repeating: UInt8(ascii: "z"), count: valueCount)
    input += Array("\"/></HealthData>".utf8)
    var scanner = ElementScanner()
    try scanner.consume(input.span)
    try scanner.finish()
    var parser = ElementParser()
    var nodeCounts: [Int] = []
    var lastByteCount = 0
    while let segment = scanner.nextSegment() {
      try parser.parse(segment) { element in
        nodeCounts.append(element.nodes.count)
        lastByteCount = element.bytes.count
      }
    }
    #expect(nodeCounts == [5001, 1])
    #expect(lastByteCount == valueCount)
  }

  @Test func errorsOfTheBodyPassThrough() throws {
    struct Stop: Error {}
    var scanner = ElementScanner()
    let input = Fixture.small
    try scanner.consume(input.span)
    try scanner.finish()
    let next = scanner.nextSegment()
    let segment = try #require(next)
    var parser = ElementParser()
    #expect(throws: Stop.self) { try parser.parse(segment) { _ in throw Stop() } }
    // And the parser is good for another segment.
    var count = 0
    try parser.parse(segment) { _ in count += 1 }
    #expect(count == 5)
  }
}

extension ElementParserTests {
  /// Values pass through libxml2 in disguise (CXMLPush.c); they come out as they were.
  @Test func everyCharacterComesThrough() throws {
    let escapes: [Unicode.Scalar: String] = ["<": "&lt;", ">": "&gt;", "&": "&amp;", "\"": "&quot;", "'": "&apos;"]
    let limits: [UInt32] = [0x7E, 0x7F, 0x80, 0xBF, 0xC0, 0x7FF, 0x800, 0xD7FF, 0xE000, 0xFFFD, 0x10000, 0x10FFFF]
    let seed = UInt64.random(in: 0...UInt64.max)
    var random = SplitMix(seed: seed)
    for hasReference in [false, true] {
      var values: [String] = []
      for _ in 0..<300 {
        var scalars = String.UnicodeScalarView()
        for _ in 0..<Int.random(in: 0...30, using: &random) {
          let code: UInt32 =
            switch Int.random(in: 0..<4, using: &random) {
            case 0: UInt32.random(in: 0x20..<0x80, using: &random)
            case 1: limits.randomElement(using: &random)!
            case 2: escapes.keys.sorted().randomElement(using: &random)!.value
            default: UInt32.random(in: 0x80..<0xD000, using: &random)
            }
          scalars.append(Unicode.Scalar(code)!)
        }
        values.append(String(scalars))
      }
      let elements = values.map { value in
        let escaped = value.unicodeScalars.map { escapes[$0] ?? String($0) }.joined()
        return "<Record value=\"\(escaped)\"/>"
      }
      // A numeric reference has no disguise: then the whole piece goes plain.
      let extra = hasReference ? "<Record value=\"&#127;&#10;\"/>" : ""
      let result = try ParseResult(Fixture.export(elements.joined() + extra))
      let expected = (values + (hasReference ? ["\u{7F}\n"] : [])).map { ["Record(-1) value=\($0)"] }
      #expect(result.elements == expected, "seed \(seed)")
    }
  }

  @Test func namesThatAreNotASCIIAreKept() throws {
    let result = try ParseResult(Fixture.export("<a é=\"1–\"/><größe/><b ü=\"2\" ü=\"&lt;\"/>"))
    #expect(result.elements == [["a(-1) é=1–"], ["größe(-1)"], ["b(-1) ü=2"]])
    #expect(result.problems.counts == [.doubledAttribute: 1])
  }
}
