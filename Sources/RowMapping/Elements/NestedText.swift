import HealthModel

/// What several elements inside a sample have in common, written into the text of the sample's metadata.
extension RowMapper {
  func hasChild(_ name: ElementName, of parent: Int, in element: borrowing ExportElement) -> Bool {
    var index = parent + 1
    while index < element.nodes.count, element.nodes[index].parent >= parent {
      if element.nodes[index].parent == parent, element.nodes[index].name == name { return true }
      index += 1
    }
    return false
  }

  /// `duration_seconds` of an element with duration and durationUnit.
  mutating func appendDuration(of node: Int, in element: borrowing ExportElement) {
    let duration = element.piece(.duration, of: node)
    guard !duration.isEmpty else { return }
    let conversion = secondsConversion(element.piece(.durationUnit, of: node), of: element)
    if conversion == nil { base.problems.add(.unknownUnit, at: element.inputOffset) }
    guard let conversion else { return }
    cleaned += object.text.append(
      member: "duration_seconds", number: duration, of: element.bytes.span, conversion: conversion)
  }

  /// `duration_seconds` of an element without duration: its end - its start, when it has both.
  mutating func appendInterval(of node: Int, in element: borrowing ExportElement) {
    let bytes = element.bytes.span
    guard let start = DateParser.parse(element.piece(.startDate, of: node).range, of: bytes),
      let end = DateParser.parse(element.piece(.endDate, of: node).range, of: bytes), start.instant <= end.instant
    else { return }
    object.text.append(member: "duration_seconds")
    object.text.append(json: end.instant.seconds - start.instant.seconds)
  }

  /// `metadata` of an element that has MetadataEntry children.
  mutating func appendNestedMetadata(of node: Int, in element: borrowing ExportElement) {
    guard hasChild(.metadataEntry, of: node, in: element) else { return }
    inner.removeAll()
    var findings = EntryFindings()
    for index in node + 1..<element.endOfSubtree(of: node)
    where element.nodes[index].parent == node && element.nodes[index].name == .metadataEntry {
      entries.add(index, of: element, to: &inner, isNested: true, findings: &findings)
    }
    cleaned += findings.cleanedCount
    object.text.append(member: "metadata")
    inner.write(into: &object.text)
  }

  /// A symbol's text as a JSON string.
  func appendText(of symbol: Symbol, to text: inout [UInt8]) {
    let bytes = table.bytes(of: symbol)
    text.appendJSON(0..<bytes.count, of: bytes.span)
  }

  /// An attribute under its own name, into `inner`: a number where it is one.
  mutating func addAttribute(_ attribute: ExportElement.Attribute, of element: borrowing ExportElement) {
    let bytes = element.bytes.span
    if attribute.name == .other {
      inner.begin(attribute.nameRange, of: bytes)
    } else {
      inner.begin(attribute.name.exportName)
    }
    if !inner.text.appendJSONNumber(attribute.valueRange, of: bytes) {
      cleaned += inner.text.appendJSON(attribute.valueRange, of: bytes)
    }
    inner.end()
  }
}
