import HealthModel

/// Elements, attributes and types that no known version of the export has: loaded if they look like a sample, and
/// counted in any case (DESIGN §2.3).
extension RowMapper {
  /// An unknown element with type and start is a row of that type: its number if it has one, and every attribute.
  mutating func mapUnknown(_ element: borrowing ExportElement, into buffer: inout SampleBuffer) {
    countUnknownElement(0, of: element)
    let common = CommonAttributes(node: 0, of: element)
    if !common.type.isEmpty, !common.startDate.isEmpty {
      mapUnknownSample(common, of: element, into: &buffer)
    }
    mapNestedRecords(of: element, into: &buffer)
  }

  private mutating func mapUnknownSample(
    _ common: CommonAttributes, of element: borrowing ExportElement, into buffer: inout SampleBuffer
  ) {
    base.samplesRead += 1
    guard let type = typeSymbol(common.type, of: element), let start = startInstant(common.startDate, of: element),
      var sample = beginSample(
        type, common, start: start, end: endInstant(common.endDate, start: start, of: element), of: element)
    else { return }
    object.removeAll()
    setUnknownValue(&sample, common, 0, of: element)
    countUnknownChildren(of: 0, in: element, except: [.metadataEntry, .record])
    let findings = addEntries(of: 0, in: element)
    sample.record.naming = NamingHash.hash(findings, of: element)
    take(findings, for: &sample.record, of: element)
    endSample(sample, common, of: element, into: &buffer)
  }

  /// The value of a sample of unknown kind if it is a number, and every attribute in its metadata.
  mutating func setUnknownValue(
    _ sample: inout Sample, _ common: CommonAttributes, _ node: Int, of element: borrowing ExportElement
  ) {
    let bytes = element.bytes.span
    sample.record.exportedUnit = symbols.symbol(for: common.unit.range, of: bytes)
    if !common.value.isEmpty, let value = DecimalParser.parse(common.value.range, of: bytes) {
      sample.record.value = value
      sample.record.flags.insert(.hasValue)
    }
    addAttributes(of: node, in: element)
    // They all stand there now.
    unknownParts.removeAll(keepingCapacity: true)
  }

  /// Every attribute under its own name, as text.
  private mutating func addAttributes(of node: Int, in element: borrowing ExportElement) {
    let bytes = element.bytes.span
    for index in element.nodes[node].attributeRange {
      let attribute = element.attributes[index]
      begin(attribute, of: element)
      cleaned += object.text.append(unknown: attribute, of: bytes)
      object.end()
    }
    object.reserve()
  }

  /// Starts the member of an attribute, under its name in the file.
  mutating func begin(_ attribute: ExportElement.Attribute, of element: borrowing ExportElement) {
    if attribute.name == .other {
      object.begin(attribute.nameRange, of: element.bytes.span)
    } else {
      object.begin(attribute.name.exportName)
    }
  }

  /// Records inside another element: samples of their own, and possibly copies of ones at top level.
  mutating func mapNestedRecords(of element: borrowing ExportElement, into buffer: inout SampleBuffer) {
    for node in element.nodes.indices.dropFirst() where element.nodes[node].name == .record {
      mapRecord(node, of: element, isCopy: true, into: &buffer)
    }
  }

  // MARK: Counting

  /// Counts and keeps the children of `node` that are neither among `expected` nor mapped elsewhere.
  mutating func countUnknownChildren(
    of node: Int, in element: borrowing ExportElement, except expected: Set<ElementName>
  ) {
    for index in node + 1..<element.endOfSubtree(of: node)
    where element.nodes[index].parent == node && !expected.contains(element.nodes[index].name) {
      countUnknownElement(index, of: element)
    }
  }

  mutating func countUnknownElement(_ node: Int, of element: borrowing ExportElement) {
    countUnknown(.unknownElement, RowMapper.name(of: node, in: element), at: element.inputOffset)
    // What is unknown at top level is a sample itself, or none.
    if node > 0 { keepUnknownElement(node, of: element) }
  }

  /// Counts, as `Record/@name`, and keeps the attributes that no version of the export gives this element.
  mutating func countUnknownAttributes(
    of node: Int, in element: borrowing ExportElement, except expected: Set<AttributeName> = []
  ) {
    var unknown: [ExportElement.Attribute] = []
    for index in element.nodes[node].attributeRange {
      let attribute = element.attributes[index]
      guard !CommonAttributes.names.contains(attribute.name), !expected.contains(attribute.name) else { continue }
      unknown.append(attribute)
      let name =
        attribute.name == .other ? element.bytes.span.string(attribute.nameRange) : attribute.name.exportName
      countUnknown(
        .unknownAttribute, "\(RowMapper.name(of: node, in: element))/@\(name)", at: element.inputOffset)
    }
    if !unknown.isEmpty { keepUnknownAttributes(unknown, of: node, in: element) }
  }

  private static func name(of node: Int, in element: borrowing ExportElement) -> String {
    let name = element.nodes[node].name
    return name == .other ? element.bytes.span.string(element.nodes[node].nameRange) : name.exportName
  }
}
