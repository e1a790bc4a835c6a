import Foundation

/// A provisioning file of Grafana, read strictly: the part of YAML that those files use, and an error for anything else.
///
/// ```
/// datasources:          datasources.0.name = hk2pg
///   - name: hk2pg       datasources.0.jsonData.sslmode = $HK2PG_GRAFANA_SSLMODE
///     jsonData:
///       sslmode: $HK2PG_GRAFANA_SSLMODE
/// ```
struct ProvisioningFile {
  struct Malformed: Error {
    var line: Int
  }

  private(set) var values: [String: String] = [:]

  init(path: String) throws {
    let text = try String(contentsOfFile: path, encoding: .utf8)
    guard text.hasSuffix("\n") else { throw Malformed(line: 0) }
    // The keys that hold the next line, with the columns they stand in.
    var open: [(column: Int, key: String, mayHoldMore: Bool)] = []
    var items: [String: Int] = [:]
    for (index, line) in text.split(separator: "\n", omittingEmptySubsequences: false).enumerated() {
      if line.isEmpty || line.hasPrefix("#") { continue }
      var column = line.prefix { $0 == " " }.count
      var rest = line.dropFirst(column)
      open.removeAll { $0.column >= column }
      guard column % 2 == 0, open.last?.mayHoldMore ?? (column == 0) else { throw Malformed(line: index + 1) }
      if rest.hasPrefix("- ") {
        let list = open.map(\.key).joined(separator: ".")
        let number = items[list, default: -1] + 1
        items[list] = number
        open.append((column, "\(number)", true))
        column += 2
        rest = rest.dropFirst(2)
      }
      let parts = rest.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
      guard parts.count == 2, let key = parts.first, !key.isEmpty, key.allSatisfy(\.isLetter) else {
        throw Malformed(line: index + 1)
      }
      let name = (open.map(\.key) + [String(key)]).joined(separator: ".")
      open.append((column, String(key), parts[1].isEmpty))
      if parts[1].isEmpty { continue }
      let value = parts[1].dropFirst()
      // Plain words: what YAML would read otherwise has to be quoted, and is not used here.
      guard parts[1].first == " ", !value.isEmpty,
        value.allSatisfy({ $0.isLetter || $0.isNumber || "$_-".contains($0) }),
        values.updateValue(String(value), forKey: name) == nil
      else { throw Malformed(line: index + 1) }
    }
  }
}
