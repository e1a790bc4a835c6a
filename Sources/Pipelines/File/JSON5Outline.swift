/// Where the keys of a JSON5 text stand, and where its first fault is. Foundation's decoder reads the values, but names
/// no lines, and takes the last of two equal keys without a word.
///
/// ```
/// {
///   steps: ["import"],        // keys["steps"] = 2
///   'source_priority': {      // keys["source_priority"] = 3
///     all: ["Watch"],         // keys["source_priority.all"] = 4
///   },
/// }
/// ```
/// Elements of arrays count in brackets: `steps[1].older_than`.
struct JSON5Outline {
  struct Fault: Equatable {
    var line: Int
    var reason: PipelineFileError.Fault
  }

  /// Path of a key or an element to its line, from 1.
  private(set) var lines: [String: Int] = [:]
  /// The first key that stands twice in one object.
  private(set) var doubled: (path: String, line: Int)?
  private(set) var fault: Fault?

  private let text: [UInt8]
  private var position = 0
  private var line = 1

  private static let maximumDepth = 32

  init(_ text: [UInt8]) {
    // A byte order mark is none of the text.
    self.text = text.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(text.dropFirst(3)) : text
    do throws(Stop) {
      try skipBlanks()
      try value("", depth: 0)
      try skipBlanks()
      if position < self.text.count { throw stop(.unexpected(character)) }
    } catch {}
  }

  private struct Stop: Error {}

  /// What is wrong here; at the end of the text that is all there is to say.
  private mutating func stop(_ reason: PipelineFileError.Fault) -> Stop {
    stop(position < text.count ? reason : .endsEarly, at: line)
  }

  private mutating func stop(_ reason: PipelineFileError.Fault, at line: Int) -> Stop {
    fault = fault ?? Fault(line: line, reason: reason)
    return Stop()
  }

  private var character: String {
    guard position < text.count else { return "" }
    return String(String(decoding: text[position...].prefix(8), as: UTF8.self).prefix(1))
  }

  private func next(is byte: Character) -> Bool { position < text.count && text[position] == byte.asciiValue }

  private mutating func advance() {
    if text[position] == UInt8(ascii: "\n") { line += 1 }
    position += 1
  }

  // MARK: Grammar

  private mutating func value(_ path: String, depth: Int) throws(Stop) {
    lines[path] = lines[path] ?? line
    if depth > JSON5Outline.maximumDepth { throw stop(.tooDeep) }
    if next(is: "{") {
      try list(from: "{", to: "}") { (self, seen: inout Set<String>) throws(Stop) in
        try self.member(of: path, &seen, depth)
      }
    } else if next(is: "[") {
      var index = 0
      try list(from: "[", to: "]") { (self, _) throws(Stop) in
        try self.value("\(path)[\(index)]", depth: depth + 1)
        index += 1
      }
    } else if next(is: "\"") || next(is: "'") {
      _ = try string()
    } else if try word().isEmpty {
      throw stop(.unexpected(character))
    }
  }

  private mutating func list(
    from open: Character, to close: Character, _ element: (inout Self, inout Set<String>) throws(Stop) -> Void
  ) throws(Stop) {
    let start = line
    advance()
    var seen: Set<String> = []
    while true {
      try skipBlanks()
      if next(is: close) { return advance() }
      if position == text.count { throw stop(.unclosed(String(open), line: start), at: line) }
      try element(&self, &seen)
      try skipBlanks()
      if next(is: ",") {
        advance()
      } else if !next(is: close) {
        throw position == text.count ? stop(.unclosed(String(open), line: start), at: line) : stop(.missingComma)
      }
    }
  }

  private mutating func member(of path: String, _ seen: inout Set<String>, _ depth: Int) throws(Stop) {
    let keyLine = line
    let key = next(is: "\"") || next(is: "'") ? try string() : try word()
    if key.isEmpty { throw stop(.unexpected(character)) }
    let keyPath = path.isEmpty ? key : "\(path).\(key)"
    if !seen.insert(key).inserted { doubled = doubled ?? (keyPath, keyLine) }
    lines[keyPath] = keyLine
    try skipBlanks()
    guard next(is: ":") else { throw stop(.missingColon(key)) }
    advance()
    try skipBlanks()
    try value(keyPath, depth: depth + 1)
  }

  // MARK: Tokens

  /// The text between the quotes; escapes stay as they are, since keys that matter have none.
  private mutating func string() throws(Stop) -> String {
    let (quote, start) = (text[position], line)
    advance()
    let first = position
    while position < text.count, text[position] != quote {
      if text[position] == UInt8(ascii: "\\"), position + 1 < text.count {
        advance()
      } else if text[position] == UInt8(ascii: "\n") {
        throw stop(.unclosedString, at: start)
      }
      advance()
    }
    guard position < text.count else { throw stop(.unclosedString, at: start) }
    let result = String(decoding: text[first..<position], as: UTF8.self)
    advance()
    return result
  }

  /// A name, a number, true, false, null.
  private mutating func word() throws(Stop) -> String {
    let first = position
    let ends = Array(" \t\r\n,:{}[]\"'/".utf8)
    while position < text.count, !ends.contains(text[position]) { position += 1 }
    return String(decoding: text[first..<position], as: UTF8.self)
  }

  private mutating func skipBlanks() throws(Stop) {
    while position < text.count {
      if text[position...].starts(with: "//".utf8) {
        while position < text.count, !next(is: "\n") { advance() }
      } else if text[position...].starts(with: "/*".utf8) {
        let start = line
        while position < text.count, !text[position...].starts(with: "*/".utf8) { advance() }
        guard position < text.count else { throw stop(.unclosed("/*", line: start), at: start) }
        position += 2
      } else if Array(" \t\r\n\u{0B}\u{0C}".utf8).contains(text[position]) {
        advance()
      } else if text[position...].starts(with: "\u{A0}".utf8) {
        position += 2
      } else {
        return
      }
    }
  }
}
