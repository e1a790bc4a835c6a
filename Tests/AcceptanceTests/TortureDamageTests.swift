import Foundation
import HealthModel
import TestSupport
import Testing

@testable import HK2PGCommand
@testable import ImportFlow

/// Damage that is repaired or kept (DESIGN §7.3, §7.4): one record each, and exactly the row that it becomes.
@Suite(.timeLimit(.minutes(20))) struct TortureDamageTests {
  struct Case: Sendable, CustomTestStringConvertible {
    var testDescription: String
    var export: [UInt8]
    var rows: [String]
    var problems: [ProblemKind: Int]

    init(_ name: String, _ export: [UInt8], _ rows: [String], _ problems: [ProblemKind: Int] = [:]) {
      testDescription = name
      self.export = export
      self.rows = rows
      self.problems = problems
    }

    init(_ name: String, _ export: String, _ rows: [String], _ problems: [ProblemKind: Int] = [:]) {
      self.init(name, Array(export.utf8), rows, problems)
    }

    /// The usual record with another source.
    static func source(_ name: String, _ source: [UInt8], _ stored: String, _ problem: ProblemKind?) -> Case {
      let parts = TortureText.record.split(separator: "Watch", maxSplits: 1)
      return Case(
        name, TortureText.export(bytes: Array(parts[0].utf8) + source + Array(parts[1].utf8)),
        [TortureText.row.replacing("Watch", with: stored)], problem.map { [$0: 1] } ?? [:])
    }

    static func source(_ name: String, _ source: String, _ stored: String, _ problem: ProblemKind?) -> Case {
      self.source(name, Array(source.utf8), stored, problem)
    }

    /// The usual record with a part replaced.
    static func record(
      _ name: String, _ old: String, _ new: String, _ row: (old: String, new: String)? = nil,
      _ problems: [ProblemKind: Int] = [:]
    ) -> Case {
      Case(
        name, TortureText.export(TortureText.record.replacing(old, with: new)),
        [row.map { TortureText.row.replacing($0.old, with: $0.new) } ?? TortureText.row], problems)
    }
  }

  static let characters: [Case] = [
    .source("a control character", "Wa\u{0B}tch", "Wa\u{FFFD}tch", .illegalCharacter),
    .source("a NUL", "Wa\u{0}tch", "Wa\u{FFFD}tch", .illegalCharacter),
    .source("U+FFFE", "Wa\u{FFFE}tch", "Wa\u{FFFD}tch", .illegalCharacter),
    .source("U+FFFF", "Wa\u{FFFF}tch", "Wa\u{FFFD}tch", .illegalCharacter),
    .source("a reference to a control character", "Wa&#11;tch", "Wa\u{FFFD}tch", .illegalReference),
    .source("a byte that is no UTF-8", [0x57, 0xFF, 0x61], "W\u{FFFD}a", .invalidUTF8),
    .source("a sequence cut short", [0x57, 0xE2, 0x82, 0x61], "W\u{FFFD}a", .invalidUTF8),
    .source("a plain ampersand", "Tom & Jerry", "Tom & Jerry", .rawAmpersand),
    .source("a plain less-than sign", "a<b", "a<b", .rawLessThan),
    .source("an undeclared entity", "a&nbsp;b", "a&nbsp;b", .undeclaredEntity),
    .source("a greater-than sign", "A > B />", "A > B />", nil),
    .source("entities", "&lt;&#183;&amp;&quot;", "<·&\"", nil),
    .source("a no-break space", "Apple\u{A0}Watch", "Apple Watch", nil),
    .source("TAB, LF and CR as references", "a&#9;b&#10;c&#13;d", "a\tb\nc\rd", nil),
  ]

  static let attributes: [Case] = [
    .record("an attribute without a value", " unit=", " device unit=", nil, [.attributeWithoutValue: 1]),
    .record("a value without quotation marks", "\"12\"", "12", nil, [.unquotedValue: 1]),
    .record("a doubled attribute", "value=\"12\"", "value=\"12\" value=\"13\"", nil, [.doubledAttribute: 1]),
    .record("apostrophes", "\"12\"", "'12'"),
    .record("space around the equals sign", "value=\"12\"", "value\n =\t\"12\" "),
    .record("no value", " value=\"12\"", "", ("|12|", "||"), [.missingValue: 1]),
    .record("an empty value", "\"12\"", "\"\"", ("|12|", "||"), [.missingValue: 1]),
    .record("an exponent", "\"12\"", "\"1.2e1\""),
    .record(
      "no end", #" endDate="2024-05-01 10:01:00 +0200""#, "", ("Z|2024-05-01T08:01", "Z|2024-05-01T08:00"),
      [.missingEnd: 1]),
    .record(
      "an end before the start", "10:01:00", "09:00:00", ("Z|2024-05-01T08:01", "Z|2024-05-01T08:00"),
      [.endBeforeStart: 1]),
    .record("no source", " sourceName=\"Watch\"", "", ("|Watch|", "||"), [.missingSource: 1]),
    .record("an unknown attribute", " value=", " mood=\"calm\" value=", nil, [.unknownAttribute: 1]),
    .record("an unknown unit", "\"count\"", "\"furlong\"", ("|count|", "|furlong|"), [.unknownUnit: 1]),
    .record(
      "AM and PM", "2024-05-01 10:00:00 +0200", "2024-05-01 10:00:00\u{202F}am +0200", nil),
    .record("an offset of 45 minutes", "10:00:00 +0200", "13:45:00 +0545"),
    .record("dates of iOS 8", "2024-05-01 10:00:00 +0200", "20240501100000+0200"),
  ]

  private static let unclosed = """
    <!DOCTYPE HealthData [
    <!-- HealthKit Export Version: 12 -->
    <!ATTLIST VisionPrescription
      brand CDATA #IMPLIED
    <!ELEMENT RightEye EMPTY>
    >
    ]>

    """
  private static let surplus = "<!DOCTYPE HealthData [\n<!ELEMENT Me EMPTY>\n>\n]>\n"
  private static let plain = TortureText.export(TortureText.record)

  static let documents: [Case] = [
    Case(
      "iOS 16: an unclosed declaration", TortureText.export(TortureText.record, doctype: unclosed), [TortureText.row],
      [.doctypeCut: 1]),
    Case(
      "iOS 16: a surplus bracket", TortureText.export(TortureText.record, doctype: surplus), [TortureText.row],
      [.doctypeCut: 1]),
    Case(
      "a sound DOCTYPE", TortureText.export(TortureText.record, doctype: "<!DOCTYPE HealthData [<!-- > ]> -->]>\n"),
      [TortureText.row]),
    Case("a byte order mark", [0xEF, 0xBB, 0xBF] + Array(plain.utf8), [TortureText.row], [.byteOrderMark: 1]),
    Case("CRLF", plain.replacing("\n", with: "\r\n"), [TortureText.row]),
    Case("minified", plain.replacing("\n ", with: "").replacing("\n", with: ""), [TortureText.row]),
    Case("stray text", plain.replacing(" <Record", with: " lost <Record"), [TortureText.row], [.ignoredText: 1]),
    Case(
      "a comment with tags in it", plain.replacing(" <Record", with: " <!-- <Record a='> --><Record"), [TortureText.row]
    ),
    Case(
      "end tags instead of empty elements", plain.replacing("value=\"12\"/>", with: "value=\"12\"></Record >"),
      [TortureText.row]),
    Case(
      "no XML declaration", plain.replacing("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n", with: ""), [TortureText.row]
    ),
    Case(
      "no ExportDate", plain.replacing(" <ExportDate value=\"2024-06-01 12:00:00 +0200\"/>\n", with: ""),
      [TortureText.row]),
  ]

  @Test(arguments: characters + attributes + documents) func isRepairedOrKept(_ test: Case) throws {
    let staged = try StagedExport.xml(test.export)
    #expect(staged.rows.map { String($0.prefix { $0 != "{" }) } == test.rows)
    #expect(staged.problems == test.problems)
    #expect(staged.exitCode == .done)
  }

  @Test func anyOrderOfAttributesIsTheSameRow() throws {
    let parts = [
      #"value="12""#, #"endDate="2024-05-01 10:01:00 +0200""#, #"unit="count""#, #"sourceName="Watch""#,
      #"type="HKQuantityTypeIdentifierStepCount""#, #"startDate="2024-05-01 10:00:00 +0200""#,
    ]
    for turn in parts.indices {
      let turned = parts[turn...] + parts[..<turn]
      let staged = try StagedExport.xml(TortureText.export(" <Record \(turned.joined(separator: " "))/>\n"))
      #expect(staged.rows == [TortureText.row])
    }
  }

  @Test func anAttributeOfMegabytesIsWhole() throws {
    let value = String(repeating: "0123456789ABCDE>", count: 350_000)
    let record = TortureText.record.replacing(
      "/>\n", with: #"><MetadataEntry key="HKNote" value="\#(value)"/></Record>"# + "\n")
    let staged = try StagedExport.xml(TortureText.export(record + TortureText.record.replacing("10:0", with: "11:0")))
    #expect(staged.rows.count == 2 && staged.problems.isEmpty)
    #expect(staged.rows[0] == TortureText.row + #"{"HKNote":"\#(value)"}"#)
    #expect(staged.rows[1] == TortureText.row.replacing("08:0", with: "09:0"))
  }

  @Test func theSecondStartOfAStatisticIsItsEnd() throws {
    let workout = """
       <Workout workoutActivityType="HKWorkoutActivityTypeRunning" sourceName="Watch" \(TortureText.times)>\
      <WorkoutStatistics type="HKQuantityTypeIdentifierActiveEnergyBurned" startDate="2024-05-01 10:00:00 +0200" \
      startDate="2024-05-01 10:00:30 +0200" sum="5" unit="Cal"/></Workout>

      """
    let staged = try StagedExport.xml(TortureText.export(workout))
    #expect(staged.problems == [.doubledStatisticsStart: 1])
    #expect(staged.rows.count == 1)
    #expect(staged.rows[0].contains(#""ended_at":"2024-05-01T08:00:30Z","started_at":"2024-05-01T08:00:00Z""#))
  }

  @Test func datesOf1970AndOfTheFutureAreLoadedAndNamed() throws {
    let created = #" creationDate="2024-05-01 10:00:00 +0200" value="#
    let old = TortureText.record.replacing("2024-05-01 10", with: "1970-01-01 01")
    let future = TortureText.record.replacing("2024-05-01 10", with: "2030-01-06 10").replacing(
      " value=", with: created)
    let staged = try StagedExport.xml(TortureText.export(old + future))
    #expect(
      staged.rows == [
        "Q:StepCount|12|count|Watch|1969-12-31T23:00:00Z|1969-12-31T23:01:00Z|",
        "Q:StepCount|12|count|Watch|2030-01-06T08:00:00Z|2030-01-06T08:01:00Z|",
      ])
    #expect(staged.problems == [.dateAt1970: 1, .dateInFuture: 1] && staged.exitCode == .done)
    #expect(staged.text.contains("1  sample of 1970") && staged.text.contains("1  sample that lies in the future"))
  }

  @Test func anExportWithoutSamplesIsFine() throws {
    let staged = try StagedExport.xml(TortureText.export(""))
    #expect(staged.rows.isEmpty && staged.report.samples.read == 0 && staged.exitCode == .done)
  }

  /// Samples of one second, far apart in the file: workers get to them in any order.
  @Test func samplesOfOneSecondInManySegments() throws {
    let folder = try TemporaryFolder()
    let padding = String(repeating: "x", count: 400_000)
    var body = ""
    for number in 0..<8 {
      body += TortureText.record.replacing(
        "\"12\"/>", with: #""\#(number % 5)"><MetadataEntry key="p" value="\#(padding)"/></Record>"#)
      body += TortureText.route("/workout-routes/\(number % 3).gpx", from: "10:00:00", to: "10:0\(number % 4):30")
      body += TortureText.clinical("Condition", "\(number % 3).json")
    }
    _ = try folder.write("e/export.xml", Array(TortureText.export(body).utf8))
    for number in 0..<3 {
      _ = try folder.write(
        "e/workout-routes/\(number).gpx",
        Array(TortureText.gpx(seconds: [number, number + 60], extra: "<trkpt lon=\"1\" lat=\"1\"/>").utf8))
      _ = try folder.write("e/clinical-records/\(number).json", Array("{\"n\":\(number)}".utf8))
    }
    let staged = try StagedExport("\(folder.path)/e", in: folder)
    #expect(staged.rows(of: "Q:StepCount").count == 5 && staged.rows(of: "HKWorkoutRouteTypeIdentifier").count == 8)
    #expect(staged.rows(of: "HKClinicalTypeIdentifierConditionRecord").count == 3)
    #expect(try staged.routePoints.count == 6 && staged.pointDigests.count == 3)
    #expect(staged.problems == [.pointWithoutTime: 3])
  }
}
