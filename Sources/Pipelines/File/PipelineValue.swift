/// Any JSON5 value, as Foundation's decoder reads it.
enum PipelineValue: Decodable, Equatable {
  case null
  case flag(Bool)
  case whole(Int)
  case decimal(Double)
  case text(String)
  case list([PipelineValue])
  case object([String: PipelineValue])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let flag = try? container.decode(Bool.self) {
      self = .flag(flag)
    } else if let number = try? container.decode(Int.self) {
      self = .whole(number)
    } else if let number = try? container.decode(Double.self) {
      self = .decimal(number)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let list = try? container.decode([PipelineValue].self) {
      self = .list(list)
    } else {
      self = .object(try container.decode([String: PipelineValue].self))
    }
  }

  /// For messages; never the value itself, which may be private.
  var kind: String {
    switch self {
    case .null: "null"
    case .flag: "true or false"
    case .whole, .decimal: "a number"
    case .text: "text"
    case .list: "a list"
    case .object: "an object"
    }
  }
}
