/// A tab-separated table with one header line, no quoting.
package struct TSVTable {
  package let name: String
  package let columns: [String]
  private let lines: [[String]]

  package init(name: String, text: String) {
    self.name = name
    let all = text.split(separator: "\n").map {
      $0.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
    }
    columns = all.first ?? []
    lines = Array(all.dropFirst())
  }

  /// The named columns of every line, in the order asked for. A field missing at the end of a line is empty.
  package func rows(_ wanted: [String]) throws(CatalogueError) -> [[String]] {
    var indexes: [Int] = []
    for column in wanted {
      guard let index = columns.firstIndex(of: column) else {
        throw CatalogueError.missingColumn(table: name, column: column)
      }
      indexes.append(index)
    }
    return lines.map { line in indexes.map { $0 < line.count ? line[$0] : "" } }
  }
}
