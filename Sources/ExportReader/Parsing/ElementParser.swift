import CXMLPush
package import HealthModel

/// Makes `ExportElement`s of a segment. One per worker, used over and over: the XML parser keeps its dictionary, the
/// element its arrays.
///
/// Whole top-level elements are pushed in pieces of some 32 KB, so that their events stay in the cache until they are
/// read. Text is ignored.
package struct ElementParser: ~Copyable {
  private let salvages: Bool
  private var parser: XMLPushParser
  private var builder = ElementBuilder()

  /// Since the last `takeProblems`: doubled attributes; with salvage `rejectedMalformed`, each of them a sample that was
  /// read and not mapped.
  private var problems = ProblemTally()
  private var malformed: [MalformedElement] = []

  private static let pieceByteCount = 32 << 10
  private static let opening = Array("<HealthData>".utf8)
  private static let closing = Array("</HealthData>".utf8)

  package init(salvage: Bool = false) {
    salvages = salvage
    parser = XMLPushParser()
    for name in ElementName.allCases where name != .other {
      parser.know(element: name.exportName, as: Int(name.rawValue))
    }
    for name in AttributeName.allCases where name != .other {
      parser.know(attribute: name.exportName, as: Int(name.rawValue))
    }
  }

  /// What was counted since the last call, and the elements counted as `rejectedMalformed`, with original offsets.
  package mutating func takeProblems() -> (tally: ProblemTally, malformed: [MalformedElement]) {
    defer {
      problems = ProblemTally()
      malformed = []
    }
    return (problems, malformed)
  }

  /// Calls `body` for each top-level element in order; the element is valid during the call. Throws what `body` throws,
  /// and `ExportError.malformed` (with salvage the element is left out instead).
  package mutating func parse(
    _ segment: borrowing XMLSegment, _ body: (borrowing ExportElement) throws -> Void
  ) throws {
    var progress = Progress(count: segment.elementStarts.count)
    while progress.next < progress.count {
      try begin(&progress, at: Int(segment.elementStarts[progress.next]))
      if try !parse(segment, &progress, body) { continue }
      try parser.push(ElementParser.closing.span, isLast: true)
    }
  }

  private mutating func begin(_ progress: inout Progress, at cleanOffset: Int) throws(ExportError) {
    progress.documentStart = cleanOffset
    try parser.restart()
    try parser.push(ElementParser.opening.span)
  }

  private struct Progress {
    let count: Int
    /// The top-level element to deliver next.
    var next = 0
    /// Clean offset at which the document given to the parser begins: anew after a malformed element.
    var documentStart = 0
    var cursor = 0
  }

  /// Pushes piece after piece; false when an element was left out.
  private mutating func parse(
    _ segment: borrowing XMLSegment, _ progress: inout Progress, _ body: (borrowing ExportElement) throws -> Void
  ) throws -> Bool {
    while progress.next < progress.count {
      let start = Int(segment.elementStarts[progress.next])
      var last = progress.next + 1
      while last < progress.count && Int(segment.elementStarts[last]) - start <= ElementParser.pieceByteCount {
        last += 1
      }
      let end = last < progress.count ? Int(segment.elementStarts[last]) : segment.bytes.count
      try parser.pushValues(segment.bytes.span.extracting(start..<end))
      if parser.hasErrors {
        try begin(&progress, at: start)
        try parser.push(segment.bytes.span.extracting(start..<end))
      }
      builder.beginPiece()
      var errors = parser.hasErrors ? parser.errors.filter(\.isFatal)[...] : []
      while progress.next < last {
        let offset = segment.offsetMap.original(of: Int(segment.elementStarts[progress.next]), cursor: &progress.cursor)
        let isWhole = builder.build(from: parser, inputOffset: offset)
        if !errors.isEmpty || !isWhole {
          let fault = examine(&errors, isWhole: isWhole)
          if let fault {
            try reject(segment, &progress, fault, at: offset)
            return false
          }
        }
        try body(builder.element)
        progress.next += 1
      }
    }
    return true
  }

  /// Takes the errors of the element just built: nil if they could be repaired.
  private mutating func examine(
    _ errors: inout ArraySlice<XMLPushParser.ParserError>, isWhole: Bool
  ) -> XMLPushParser.ParserError? {
    let own = isWhole ? errors.prefix { $0.eventIndex < builder.nextEvent } : errors
    errors = errors.dropFirst(own.count)
    if let fault = own.first(where: { $0.code != XMLPushParser.ParserError.doubledAttribute }) { return fault }
    if !isWhole { return XMLPushParser.ParserError(code: 0, isFatal: true, eventIndex: 0, offset: 0) }
    for event in Set(own.map(\.eventIndex)) { builder.undouble(event: event, of: parser, &problems) }
    return nil
  }

  private mutating func reject(
    _ segment: borrowing XMLSegment, _ progress: inout Progress, _ fault: XMLPushParser.ParserError, at offset: Int64
  ) throws {
    let start = Int(segment.elementStarts[progress.next])
    let defect = XMLDefect.parser(code: fault.code)
    guard salvages else {
      let clean = progress.documentStart + fault.offset - ElementParser.opening.count
      throw ExportError.malformed(at: segment.offsetMap.original(of: max(start, clean)), defect)
    }
    progress.next += 1
    let end = progress.next < progress.count ? Int(segment.elementStarts[progress.next]) : segment.bytes.count
    let text = segment.bytes[start..<min(end, start + MalformedElement.maximumTextByteCount)]
    problems.add(.rejectedMalformed, at: offset)
    malformed.append(MalformedElement(inputOffset: offset, defect: defect, text: Array(text)))
  }
}
