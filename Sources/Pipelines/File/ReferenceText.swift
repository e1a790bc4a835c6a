/// A text in a pipeline file with references to the environment.
///
/// ```
/// ${DATABASE_URL}                  its value; a variable that is not set, or empty, is an error
/// ${HEALTH_EXPORTS:-~/Health}      its value, else what follows
/// $${NAME}                         the text ${NAME}
/// ```
struct ReferenceText: Equatable {
  enum Part: Equatable {
    case literal(String)
    case reference(String, fallback: String?)
  }

  private(set) var parts: [Part] = []

  /// Nil when a reference has no name or no end.
  init?(_ text: String) {
    var rest = text[...]
    var literal = ""
    while let character = rest.first {
      if rest.hasPrefix("$${") {
        literal += "${"
        rest = rest.dropFirst(3)
      } else if rest.hasPrefix("${") {
        guard let end = rest.firstIndex(of: "}"), let part = ReferenceText.reference(rest[..<end].dropFirst(2)) else {
          return nil
        }
        if !literal.isEmpty { parts.append(.literal(literal)) }
        literal = ""
        parts.append(part)
        rest = rest[rest.index(after: end)...]
      } else {
        literal.append(character)
        rest = rest.dropFirst()
      }
    }
    if !literal.isEmpty { parts.append(.literal(literal)) }
  }

  private static func reference(_ inner: Substring) -> Part? {
    var name = inner
    var fallback: String?
    if let separator = inner.firstRange(of: ":-") {
      name = inner[..<separator.lowerBound]
      fallback = String(inner[separator.upperBound...])
    }
    let isName =
      name.first.map { $0.isLetter || $0 == "_" } ?? false
      && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "_") }
    return isName ? .reference(String(name), fallback: fallback) : nil
  }

  /// What the file itself says, without the values of variables: nothing of that may be a secret.
  var ownText: String {
    parts.map { part in
      switch part {
      case .literal(let text): text
      case .reference(_, let fallback): fallback ?? ""
      }
    }.joined()
  }

  /// Names of the variables that are asked.
  var names: [String] {
    parts.compactMap { if case .reference(let name, _) = $0 { name } else { nil } }
  }

  struct MissingVariable: Error, Equatable { var name: String }

  func expanded(_ variables: (String) -> String?) throws(MissingVariable) -> String {
    var result = ""
    for part in parts {
      switch part {
      case .literal(let text): result += text
      case .reference(let name, let fallback):
        let value = variables(name).flatMap { $0.isEmpty ? nil : $0 }
        guard let text = value ?? fallback else { throw MissingVariable(name: name) }
        result += text
      }
    }
    return result
  }
}
