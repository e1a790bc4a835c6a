/// Columns that line up, for results on stdout.
struct TextTable {
  enum Alignment { case left, right }

  private let columns: [(title: String, alignment: Alignment)]
  private var rows: [[String]] = []

  init(_ columns: [(title: String, alignment: Alignment)]) { self.columns = columns }

  mutating func add(_ cells: [String]) {
    precondition(cells.count == columns.count)
    rows.append(cells)
  }

  /// A line of titles (when there are any), then the rows; two blanks between columns, none at the end of a line.
  func lines(indent: Int = 2, paint: Paint = Paint(isOn: false)) -> [String] {
    let titles = columns.map(\.title)
    let widths = columns.indices.map { column in ([titles] + rows).map { $0[column].count }.max() ?? 0 }
    func line(_ cells: [String]) -> String {
      let set = cells.indices.map { column in
        columns[column].alignment == .right
          ? cells[column].aligned(to: widths[column]) : cells[column].padded(to: widths[column])
      }
      return String(repeating: " ", count: indent) + set.joined(separator: "  ").droppingTrailingBlanks()
    }
    let head = titles.contains { !$0.isEmpty } ? [paint.faint(line(titles))] : []
    return head + rows.map(line)
  }
}

/// Emphasis on a terminal, nothing elsewhere.
struct Paint {
  var isOn: Bool
  func bold(_ text: String) -> String { wrapped(text, "1") }
  func faint(_ text: String) -> String { wrapped(text, "2") }
  func warning(_ text: String) -> String { wrapped(text, "33") }
  private func wrapped(_ text: String, _ code: String) -> String { isOn ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text }
}

extension String {
  func droppingTrailingBlanks() -> String {
    guard let last = lastIndex(where: { $0 != " " }) else { return "" }
    return String(self[...last])
  }

  /// Text from an export, safe to show: control characters, which a terminal would obey, become `?`; at most `limit`
  /// characters.
  func shown(limit: Int = 60) -> String {
    let clean = String(
      String.UnicodeScalarView(
        unicodeScalars.map { scalar in
          let isControl = scalar.properties.generalCategory == .control || scalar.properties.generalCategory == .format
          return isControl ? "?" : scalar
        }))
    return clean.count > limit ? clean.prefix(limit - 1) + "…" : clean
  }
}
