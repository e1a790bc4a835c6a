import HealthModel

/// Why a `--source-priority` text cannot be used.
package enum SourcePriorityError: Error, Equatable, Sendable {
  /// Nothing between two commas, or nothing at all; `type` is empty for the list of all types.
  case emptyName(type: String)
  /// Two lists for one type (empty: for all types).
  case doubledType(String)
  /// One source twice in a list.
  case doubledSource(String, type: String)
  /// What stands before `=` is no metric type.
  case unknownType(String)
}

/// Sources in order of rank, best first, for all types and for single ones.
///
/// ```
/// Jane’s Apple Watch,Jane’s iPhone
/// HKQuantityTypeIdentifierStepCount=Pedometer++,Jane’s iPhone;HKQuantityTypeIdentifierBodyMass=Scale
/// Scale\, upstairs,Watch                 a backslash before , ; = or \ makes it part of a name
/// ```
package enum SourcePriority {
  /// Metric type ("" for all types) to names, as `Manifest.Options.sourcePriority` keeps them. Spaces around names are
  /// cut. An empty text sets nothing.
  package static func parse(_ text: String) throws(SourcePriorityError) -> [String: [String]] {
    var result: [String: [String]] = [:]
    guard text.contains(where: { $0 != " " }) else { return result }
    for part in split(Array(text.unicodeScalars)[...], at: ";") {
      let sides = split(part, at: "=", limit: 2)
      let type = sides.count == 2 ? plain(sides[0]) : ""
      guard sides.count == 1 || isMetricType(type) else { throw .unknownType(type) }
      var names: [String] = []
      for side in split(sides[sides.count - 1], at: ",") {
        let name = plain(side)
        guard !name.isEmpty else { throw .emptyName(type: type) }
        guard !names.contains(name) else { throw .doubledSource(name, type: type) }
        names.append(name)
      }
      guard result[type] == nil else { throw .doubledType(type) }
      result[type] = names
    }
    return result
  }

  /// The text that parses to `priority`, types in byte order.
  package static func text(of priority: [String: [String]]) -> String {
    priority.sorted { $0.key.utf8.lexicographicallyPrecedes($1.key.utf8) }.map { type, names in
      let list = names.map(escaped).joined(separator: ",")
      return type.isEmpty ? list : "\(type)=\(list)"
    }.joined(separator: ";")
  }

  /// Health's identifiers all begin so; a short name like `StepCount` would silently match nothing.
  private static func isMetricType(_ type: String) -> Bool { type.utf8.starts(with: "HK".utf8) && !type.contains(" ") }

  private static func escaped(_ name: String) -> String {
    var result = ""
    for scalar in name.unicodeScalars {
      if ",;=\\".unicodeScalars.contains(scalar) { result.append("\\") }
      result.unicodeScalars.append(scalar)
    }
    return result
  }

  /// Parts between separators that have no backslash before them; backslashes stay.
  private static func split(_ text: ArraySlice<Unicode.Scalar>, at separator: Unicode.Scalar, limit: Int = .max)
    -> [ArraySlice<Unicode.Scalar>]
  {
    var parts: [ArraySlice<Unicode.Scalar>] = []
    var start = text.startIndex
    var index = start
    while index < text.endIndex {
      if text[index] == "\\" {
        index += 1
      } else if text[index] == separator, parts.count < limit - 1 {
        parts.append(text[start..<index])
        start = index + 1
      }
      index += 1
    }
    return parts + [text[start...]]
  }

  /// Without backslashes and outer spaces.
  private static func plain(_ text: ArraySlice<Unicode.Scalar>) -> String {
    var result = String.UnicodeScalarView()
    var isEscaped = false
    for scalar in text {
      isEscaped = scalar == "\\" && !isEscaped
      if !isEscaped { result.append(scalar) }
    }
    return String(decoding: SourceRanking.comparable(Array(String(result).utf8)), as: UTF8.self)
  }
}
