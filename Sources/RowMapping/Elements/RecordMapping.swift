import HealthModel

extension RowMapper {
  /// ```
  /// <Record type="HKQuantityTypeIdentifierHeartRate" sourceName="Apple Watch" sourceVersion="10.1" device="<<HKDevice…"
  ///         unit="count/min" creationDate="…" startDate="…" endDate="…" value="62">
  ///  <MetadataEntry key="HKMetadataKeyHeartRateMotionContext" value="1"/>
  /// ```
  /// Returns the sample as a Correlation lists it among its members; nil when it was rejected.
  @discardableResult
  mutating func mapRecord(
    _ node: Int, of element: borrowing ExportElement, isCopy: Bool, into buffer: inout SampleBuffer
  ) -> Sample? {
    base.samplesRead += 1
    let common = CommonAttributes(node: node, of: element)
    if common.otherCount > 0 { countUnknownAttributes(of: node, in: element) }
    guard let type = typeSymbol(common.type, of: element), let start = startInstant(common.startDate, of: element),
      var sample = beginSample(
        type, common, start: start, end: endInstant(common.endDate, start: start, of: element), of: element)
    else { return nil }
    if isCopy { sample.record.flags.insert(.isCopy) }
    object.removeAll()
    let kind = types.entries[sample.type].kind
    switch kind {
    case .quantity: guard setQuantity(&sample, common, of: element) else { return nil }
    case .category: setCategory(&sample, common, of: element)
    // A Record of a type that is neither, HKDataTypeSleepDurationGoal for instance.
    default: setUnknownValue(&sample, common, node, of: element)
    }
    if element.nodes.count > node + 1 { addChildren(of: node, in: element, to: &sample.record) }
    endSample(sample, common, of: element, into: &buffer)
    return sample
  }

  /// False: the sample was rejected.
  private mutating func setQuantity(
    _ sample: inout Sample, _ common: CommonAttributes, of element: borrowing ExportElement
  ) -> Bool {
    let bytes = element.bytes.span
    sample.record.exportedUnit = symbols.symbol(for: common.unit.range, of: bytes, recent: &recentUnit)
    let conversion = types.conversion(entry: sample.type, unit: sample.record.exportedUnit)
    guard !common.value.isEmpty else {
      base.problems.add(.missingValue, at: element.inputOffset)
      if conversion != nil { sample.record.flags.insert(.isConverted) }
      return true
    }
    guard let value = DecimalParser.parse(common.value.range, of: bytes) else {
      let _: Void? = reject(.rejectedNotANumber, at: element.inputOffset)
      return false
    }
    sample.record.flags.insert(.hasValue)
    if let converted = conversion?(value), converted.isFinite {
      sample.record.value = converted
      sample.record.flags.insert(.isConverted)
    } else {
      sample.record.value = value
      if types.entries[sample.type].isListed { sample.record.flags.insert(.isUnconvertible) }
    }
    return true
  }

  /// The enum's raw integer: 0 when the export has no value, none for a name that is unknown.
  private mutating func setCategory(
    _ sample: inout Sample, _ common: CommonAttributes, of element: borrowing ExportElement
  ) {
    let bytes = element.bytes.span
    if !common.unit.isEmpty { sample.record.exportedUnit = symbols.symbol(for: common.unit.range, of: bytes) }
    sample.record.flags.insert(.isConverted)
    guard !common.value.isEmpty else {
      sample.record.flags.insert(.hasValue)
      return
    }
    sample.record.subtype = symbols.symbol(for: common.value.range, of: bytes)
    if let value = categories.rawValue(of: sample.record.subtype, at: element.inputOffset) {
      sample.record.value = Double(value)
      sample.record.flags.insert(.hasValue)
    } else {
      addText("category_value", common.value, of: element)
    }
    if types.entries[sample.type].isSleep { addText("sleep_stage", common.value, of: element) }
  }

  /// A member of text in the sample's metadata.
  mutating func addText(_ key: String, _ piece: Piece, of element: borrowing ExportElement) {
    object.begin(key)
    cleaned += object.text.appendJSON(piece.range, of: element.bytes.span)
    object.end()
  }

  /// The children of a sample whose element is `node`: MetadataEntry pairs and beats.
  private mutating func addChildren(
    of node: Int, in element: borrowing ExportElement, to record: inout SampleRecord
  ) {
    var findings = EntryFindings()
    var index = node + 1
    while index < element.nodes.count, element.nodes[index].parent >= node {
      if element.nodes[index].parent == node {
        switch element.nodes[index].name {
        case .metadataEntry:
          entries.add(index, of: element, to: &object, isNested: false, findings: &findings)
        case .heartRateVariabilityMetadataList: addBeats(index, of: element, start: record.start)
        default: countUnknownElement(index, of: element)
        }
      }
      index += 1
    }
    record.naming = NamingHash.hash(findings, of: element)
    take(findings, for: &record, of: element)
  }

  /// The MetadataEntry children of `node`, into the sample's metadata.
  mutating func addEntries(of node: Int, in element: borrowing ExportElement) -> EntryFindings {
    var findings = EntryFindings()
    for index in node + 1..<element.endOfSubtree(of: node)
    where element.nodes[index].parent == node && element.nodes[index].name == .metadataEntry {
      entries.add(index, of: element, to: &object, isNested: false, findings: &findings)
    }
    return findings
  }

  /// Adds entries, naming and the row of a sample whose own metadata stands in `object`.
  mutating func finish(
    _ sample: inout Sample, _ common: CommonAttributes, of element: borrowing ExportElement,
    expecting children: Set<ElementName>, into buffer: inout SampleBuffer
  ) {
    let findings = addEntries(of: 0, in: element)
    countUnknownChildren(of: 0, in: element, except: children)
    sample.record.naming = NamingHash.hash(findings, of: element)
    take(findings, for: &sample.record, of: element)
    endSample(sample, common, of: element, into: &buffer)
  }
}
