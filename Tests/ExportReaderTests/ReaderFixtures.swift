import HealthModel

@testable import ExportReader

/// What the tests share: made-up exports, and a run of scanner and parser over them.
enum Fixture {
  static let soundDoctype = """
    <!DOCTYPE HealthData [
    <!-- HealthKit Export Version: 14 -->
    <!ELEMENT HealthData (ExportDate,Me,(Record|Workout)*)>
    <!ATTLIST HealthData
      locale CDATA #REQUIRED
    >
    ]>

    """

  /// Wraps body lines into an export; the body begins at `bodyOffset`.
  static func export(_ body: String, doctype: String = "") -> [UInt8] { Array((head(doctype) + body + tail).utf8) }

  static func export(bytes body: [UInt8]) -> [UInt8] { Array(head("").utf8) + body + Array(tail.utf8) }

  static func head(_ doctype: String) -> String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\(doctype)<HealthData locale=\"en_US\">\n"
  }
  static let tail = "</HealthData>\n"
  static let bodyOffset = Int64(head("").utf8.count)

  /// A made-up sample of everything the scanner knows.
  static let small = export(
    """
     <ExportDate value="2024-03-01 10:00:00 +0100"/>
     <!-- a <comment> "of' -- sorts -->
     <Me HKCharacteristicTypeIdentifierDateOfBirth="1970-01-01"/>
     <Record type="HKQuantityTypeIdentifierStepCount" sourceName="Anna’s Watch – 測試 👟" unit="count" value="12"/>
     <Record type='x' device="&lt;&lt;HKDevice: 0x1&gt;, name:A&#183;B>" startDate="2024-01-01 00:00:00 +0100">
      <MetadataEntry key="a b" value="Tom &amp; Jerry"/>
      <?php echo ?>
     </Record >
     <Workout a="1"><WorkoutEvent/><WorkoutStatistics b="2"></WorkoutStatistics></Workout>

    """, doctype: soundDoctype)
}

/// Everything a scan gave, in comparable form.
struct ScanResult: Equatable {
  var segments: [[UInt8]] = []
  var starts: [[UInt32]] = []
  var originals: [[Int64]] = []
  var problems = ProblemTally()
  var malformed: [MalformedElement] = []
  var root: ExportRoot?

  var text: String { String(decoding: segments.joined(), as: UTF8.self) }

  /// Feeds `input` in pieces, whose sizes repeat.
  init(
    _ input: [UInt8], pieces: [Int] = [1 << 20], salvage: Bool = false, segmentByteCount: Int = 1 << 20
  ) throws(ExportError) {
    var scanner = ElementScanner(path: "test.xml", salvage: salvage, segmentByteCount: segmentByteCount)
    var position = 0
    var turn = 0
    while position < input.count {
      let end = min(input.count, position + pieces[turn % pieces.count])
      try scanner.consume(input.span.extracting(position..<end))
      position = end
      turn += 1
      while let segment = scanner.nextSegment() { add(segment) }
    }
    try scanner.finish()
    while let segment = scanner.nextSegment() { add(segment) }
  }

  private mutating func add(_ segment: XMLSegment) {
    precondition(segment.index == segments.count)
    segments.append(segment.bytes)
    starts.append(segment.elementStarts)
    originals.append(segment.elementStarts.map { segment.offsetMap.original(of: Int($0)) })
    problems.merge(segment.repairs)
    malformed += segment.malformed
    root = root ?? segment.root
  }
}

/// An element as readable text: `name(parent) attribute=value …`, one node a line.
func describe(_ element: borrowing ExportElement) -> [String] {
  var lines: [String] = []
  for node in element.nodes {
    let name =
      node.name == .other ? String(decoding: element.bytes[node.nameRange], as: UTF8.self) : node.name.exportName
    var parts = ["\(name)(\(node.parent))"]
    for index in node.attributeRange {
      let attribute = element.attributes[index]
      let key =
        attribute.name == .other
        ? String(decoding: element.bytes[attribute.nameRange], as: UTF8.self) : attribute.name.exportName
      parts.append("\(key)=\(String(decoding: element.bytes[attribute.valueRange], as: UTF8.self))")
    }
    lines.append(parts.joined(separator: " "))
  }
  return lines
}

/// Scanner and parser over a whole input.
struct ParseResult {
  var elements: [[String]] = []
  var offsets: [Int64] = []
  var problems = ProblemTally()
  var malformed: [MalformedElement] = []

  init(_ input: [UInt8], salvage: Bool = false, segmentByteCount: Int = 1 << 20) throws {
    var scanner = ElementScanner(salvage: salvage, segmentByteCount: segmentByteCount)
    var parser = ElementParser(salvage: salvage)
    try scanner.consume(input.span)
    try scanner.finish()
    var elements: [[String]] = []
    var offsets: [Int64] = []
    while let segment = scanner.nextSegment() {
      problems.merge(segment.repairs)
      malformed += segment.malformed
      try parser.parse(segment) { element in
        elements.append(describe(element))
        offsets.append(element.inputOffset)
      }
      let found = parser.takeProblems()
      problems.merge(found.tally)
      malformed += found.malformed
    }
    self.elements = elements
    self.offsets = offsets
  }
}

extension ProblemTally {
  /// Kind to count, for comparing.
  var counts: [ProblemKind: Int] { entries.mapValues(\.count) }
}
