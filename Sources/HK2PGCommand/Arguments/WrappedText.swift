/// Plain text set in columns, for help pages.
enum WrappedText {
  /// Lines of at most `width` characters, broken at blanks; a longer word stands alone.
  static func lines(_ text: String, width: Int) -> [String] {
    var lines: [String] = []
    var line = ""
    for word in text.split(whereSeparator: { $0 == " " || $0 == "\n" }) {
      if !line.isEmpty && line.count + 1 + word.count > width {
        lines.append(line)
        line = ""
      }
      line += line.isEmpty ? word : " " + word
    }
    return line.isEmpty ? lines : lines + [line]
  }

  /// `term` at `indent`, its text from column `column` on; a term that is too long has a line of its own.
  static func entry(_ term: String, _ text: String, indent: Int, column: Int, width: Int) -> [String] {
    let body = lines(text, width: width - column)
    let head = String(repeating: " ", count: indent) + term
    let blank = String(repeating: " ", count: column)
    guard head.count + 2 <= column, let first = body.first else {
      return [head] + body.map { blank + $0 }
    }
    return [head.padded(to: column) + first] + body.dropFirst().map { blank + $0 }
  }
}

extension String {
  /// Blanks added on the right up to `width` characters.
  func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }

  /// Blanks added on the left: for numbers.
  func aligned(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
