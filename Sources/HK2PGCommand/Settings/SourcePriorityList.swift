/// `--source-priority`: `A,B` for all types, or `TYPE=A,B;TYPE2=C`. A backslash takes the meaning from the next
/// character, since people name their devices as they like.
///
/// The result maps a metric type ("" for all) to source names, best first.
struct SourcePriorityList {
  private(set) var ranks: [String: [String]] = [:]

  init(parsing texts: [String]) throws(UsageError) {
    for text in texts {
      for part in SourcePriorityList.split(text, at: ";") { try add(part) }
    }
  }

  private mutating func add(_ part: String) throws(UsageError) {
    let sides = SourcePriorityList.split(part, at: "=")
    let type = sides.count == 2 ? SourcePriorityList.plain(sides[0]) : ""
    let names = SourcePriorityList.split(sides[sides.count - 1], at: ",").map(SourcePriorityList.plain)
    let isType = sides.count == 1 || (!type.isEmpty && !type.contains { $0.isWhitespace })
    guard sides.count <= 2, isType, !names.contains(""), ranks[type] == nil, Set(names).count == names.count else {
      let expected = #""A,B" or "TYPE=A,B;TYPE2=C", each type and each of its sources once"#
      throw .invalidValue(origin: OptionName.sourcePriority.flag, value: nil, expected: expected)
    }
    ranks[type] = names
  }

  /// Cuts at every separator that no backslash stands before; backslashes stay.
  private static func split(_ text: String, at separator: Character) -> [String] {
    var parts = [""]
    var isEscaped = false
    for character in text {
      if character == separator && !isEscaped {
        parts.append("")
      } else {
        parts[parts.count - 1].append(character)
      }
      isEscaped = character == "\\" && !isEscaped
    }
    return parts
  }

  /// Without outer blanks and escaping backslashes.
  private static func plain(_ text: String) -> String {
    var result = ""
    var isEscaped = false
    for character in text.trimmingWhitespace() {
      if character == "\\" && !isEscaped {
        isEscaped = true
      } else {
        result.append(character)
        isEscaped = false
      }
    }
    return result
  }
}
