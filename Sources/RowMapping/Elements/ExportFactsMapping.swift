import HealthModel

/// Elements that are no samples.
extension RowMapper {
  mutating func noteExportDate(_ element: borrowing ExportElement) {
    guard let date = DateParser.parse(element.piece(.value, of: 0).range, of: element.bytes.span) else { return }
    base.exportDate = max(base.exportDate ?? date.instant, date.instant)
    base.exportOffsetSeconds = date.offsetSeconds
  }

  /// The characteristics of the person: an attribute each.
  mutating func noteMe(_ element: borrowing ExportElement) {
    let bytes = element.bytes.span
    for index in element.nodes[0].attributeRange {
      let attribute = element.attributes[index]
      let name = attribute.name == .other ? bytes.string(attribute.nameRange) : attribute.name.exportName
      base.me[name] = bytes.string(attribute.valueRange)
    }
  }
}
