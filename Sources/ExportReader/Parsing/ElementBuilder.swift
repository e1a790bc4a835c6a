import CXMLPush
import HealthModel

/// Reads the events of a push, one top-level element at a time.
struct ElementBuilder {
  private(set) var element = ExportElement()
  /// Nodes of the element that are open.
  private var open: [Int32] = []
  /// Where the next element begins, in the events and bytes of the push.
  private(set) var nextEvent = 0
  private var nextByte = 0
  private var firstEvent = 0

  private static let elementNames = ElementName.allCases
  private static let attributeNames = AttributeName.allCases

  mutating func beginPiece() {
    nextEvent = 0
    nextByte = 0
  }

  /// False when the events end before the element does.
  mutating func build(from parser: borrowing XMLPushParser, inputOffset: Int64) -> Bool {
    element.removeAll()
    element.inputOffset = inputOffset
    open.removeAll(keepingCapacity: true)
    firstEvent = nextEvent
    let count = parser.eventCount
    while nextEvent < count {
      let event = parser.event(nextEvent)
      nextEvent += 1
      if event.kind == Int32(CXMLEventStart) {
        append(event, of: parser)
      } else {
        open.removeLast()
        if open.isEmpty {
          let end = Int(event.bytes_end)
          parser.append(nextByte..<end, to: &element.bytes)
          nextByte = end
          return true
        }
      }
    }
    return false
  }

  private mutating func append(_ event: CXMLEvent, of parser: borrowing XMLPushParser) {
    let base = Int32(truncatingIfNeeded: nextByte)
    let parent = open.isEmpty ? -1 : open[open.count - 1]
    open.append(Int32(truncatingIfNeeded: element.nodes.count))
    element.nodes.append(
      ExportElement.Node(
        name: event.code < 0 ? .other : ElementBuilder.elementNames[Int(event.code)], parent: parent,
        firstAttribute: Int32(truncatingIfNeeded: element.attributes.count),
        attributeCount: Int32(truncatingIfNeeded: event.count),
        nameStart: event.code < 0 ? Int32(truncatingIfNeeded: event.name_start) - base : 0,
        nameLength: Int32(truncatingIfNeeded: event.name_length)))
    for index in Int(event.first)..<Int(event.first + event.count) {
      let attribute = parser.attribute(index)
      element.attributes.append(
        ExportElement.Attribute(
          name: attribute.code < 0 ? .other : ElementBuilder.attributeNames[Int(attribute.code)],
          nameStart: attribute.code < 0 ? Int32(truncatingIfNeeded: attribute.name_start) - base : 0,
          nameLength: Int32(truncatingIfNeeded: attribute.name_length),
          valueStart: Int32(truncatingIfNeeded: attribute.value_start) - base,
          valueLength: Int32(truncatingIfNeeded: attribute.value_length)))
    }
  }

  /// Of attributes with one name the first counts. iOS 16.0 wrote the end of a WorkoutStatistics as a second startDate:
  ///
  /// ```
  /// <WorkoutStatistics type="…" startDate="2022-09-20 18:03:00 +0200" startDate="2022-09-20 18:33:00 +0200" sum="…"/>
  /// ```
  mutating func undouble(event: Int, of parser: borrowing XMLPushParser, _ problems: inout ProblemTally) {
    let index = (firstEvent..<event).count { parser.event($0).kind == Int32(CXMLEventStart) }
    guard index < element.nodes.count else { return }
    let node = element.nodes[index]
    let range = node.attributeRange
    var kept: [ExportElement.Attribute] = []
    for attribute in element.attributes[range] {
      guard kept.contains(where: { isSameName($0, attribute) }) else {
        kept.append(attribute)
        continue
      }
      let isEnd =
        node.name == .workoutStatistics && attribute.name == .startDate
        && element.value(.endDate, of: index) == nil && !kept.contains { $0.name == .endDate }
      problems.add(isEnd ? .doubledStatisticsStart : .doubledAttribute, at: element.inputOffset)
      if isEnd {
        kept.append(attribute)
        kept[kept.count - 1].name = .endDate
      }
    }
    let removed = Int32(range.count - kept.count)
    element.attributes.replaceSubrange(range, with: kept)
    element.nodes[index].attributeCount -= removed
    for later in element.nodes.indices where later > index { element.nodes[later].firstAttribute -= removed }
  }

  private func isSameName(_ a: ExportElement.Attribute, _ b: ExportElement.Attribute) -> Bool {
    a.name == b.name
      && (a.name != .other || element.bytes[a.nameRange].elementsEqual(element.bytes[b.nameRange]))
  }
}
