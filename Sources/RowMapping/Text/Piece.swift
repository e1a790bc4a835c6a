import HealthModel

/// Where an attribute's value stands in an element's bytes; eight bytes, so that all attributes of a record fit into
/// registers and one cache line.
struct Piece: BitwiseCopyable {
  private var start: Int32
  private var length: Int32

  static let absent = Piece(start: 0, length: -1)

  private init(start: Int32, length: Int32) {
    self.start = start
    self.length = length
  }

  init(_ attribute: ExportElement.Attribute) { self.init(start: attribute.valueStart, length: attribute.valueLength) }

  var isPresent: Bool { length >= 0 }
  /// Absent or empty.
  var isEmpty: Bool { length <= 0 }
  var count: Int { max(Int(length), 0) }
  var range: Range<Int> { Int(start)..<Int(start) + count }
}

/// The attributes that Record, Correlation, Workout, WorkoutRoute and Audiogram share (export-format §4.2).
struct CommonAttributes: BitwiseCopyable {
  var type = Piece.absent
  var sourceName = Piece.absent
  var sourceVersion = Piece.absent
  var device = Piece.absent
  var unit = Piece.absent
  var creationDate = Piece.absent
  var startDate = Piece.absent
  var endDate = Piece.absent
  var value = Piece.absent
  /// Attributes that are not among these.
  var otherCount = 0

  static let names: Set<AttributeName> = [
    .type, .sourceName, .sourceVersion, .device, .unit, .creationDate, .startDate, .endDate, .value, .source,
  ]

  /// Of a repeated attribute the first counts.
  init(node: Int, of element: borrowing ExportElement) {
    let attributes = element.attributes.span
    for index in element.nodes[node].attributeRange.reversed() {
      let attribute = attributes[index]
      switch attribute.name {
      case .type: type = Piece(attribute)
      case .sourceName: sourceName = Piece(attribute)
      case .sourceVersion: sourceVersion = Piece(attribute)
      case .device: device = Piece(attribute)
      case .unit: unit = Piece(attribute)
      case .creationDate: creationDate = Piece(attribute)
      case .startDate: startDate = Piece(attribute)
      case .endDate: endDate = Piece(attribute)
      case .value: value = Piece(attribute)
      // iOS 8 wrote `source`.
      case .source: if !sourceName.isPresent { sourceName = Piece(attribute) }
      default: otherCount += 1
      }
    }
  }
}

extension ExportElement {
  /// The value of the first attribute `name` of a node.
  func piece(_ name: AttributeName, of node: Int) -> Piece {
    for index in nodes[node].attributeRange where attributes[index].name == name { return Piece(attributes[index]) }
    return .absent
  }

  /// The node after the last one inside `node`: children, their children, and so on stand between.
  func endOfSubtree(of node: Int) -> Int {
    var index = node + 1
    while index < nodes.count, nodes[index].parent >= node { index += 1 }
    return index
  }
}
