import HealthModel

extension RowMapper {
  /// ```
  /// <Correlation type="HKCorrelationTypeIdentifierBloodPressure" sourceName="…" startDate="…" endDate="…">
  ///  <Record type="HKQuantityTypeIdentifierBloodPressureSystolic" unit="mmHg" startDate="…" endDate="…" value="120"/>
  ///  <Record type="HKQuantityTypeIdentifierBloodPressureDiastolic" …/>
  /// ```
  /// A row without value that lists its members, and one row per member, which mostly is at top level, too.
  mutating func mapCorrelation(_ element: borrowing ExportElement, into buffer: inout SampleBuffer) {
    base.samplesRead += 1
    let members = mapMembers(of: element, into: &buffer)
    let common = CommonAttributes(node: 0, of: element)
    if common.otherCount > 0 { countUnknownAttributes(of: 0, in: element) }
    guard let type = typeSymbol(common.type, of: element), let start = startInstant(common.startDate, of: element),
      var sample = beginSample(
        type, common, start: start, end: endInstant(common.endDate, start: start, of: element), of: element)
    else { return }
    object.removeAll()
    if !members.isEmpty {
      object.begin("members")
      object.text.append(UInt8(ascii: "["))
      for member in members {
        object.text.appendSeparator()
        object.text.append(contentsOf: member)
      }
      object.text.append(UInt8(ascii: "]"))
      object.end()
    }
    let findings = addEntries(of: 0, in: element)
    countUnknownChildren(of: 0, in: element, except: [.metadataEntry, .record])
    sample.record.naming = NamingHash.hash(findings, of: element)
    take(findings, for: &sample.record, of: element)
    endSample(sample, common, of: element, into: &buffer)
  }

  /// Maps the members and returns `{metric_type, value, unit, started_at}` of each, in byte order: HealthKit keeps them
  /// in a set, so their order in an export means nothing.
  private mutating func mapMembers(
    of element: borrowing ExportElement, into buffer: inout SampleBuffer
  ) -> [[UInt8]] {
    var members: [[UInt8]] = []
    for node in element.nodes.indices.dropFirst() where element.nodes[node].name == .record {
      guard let member = mapRecord(node, of: element, isCopy: true, into: &buffer) else { continue }
      members.append(description(of: member))
    }
    return members.sorted { $0.lexicographicallyPrecedes($1) }
  }

  private func description(of member: Sample) -> [UInt8] {
    let type = types.entries[member.type]
    let record = member.record
    var text: [UInt8] = []
    text.append(UInt8(ascii: "{"))
    text.append(member: "metric_type")
    appendText(of: type.symbol, to: &text)
    text.append(member: "started_at")
    text.append(json: record.start)
    let unit = record.flags.contains(.isConverted) ? type.canonicalUnit : record.exportedUnit
    if unit != .empty {
      text.append(member: "unit")
      appendText(of: unit, to: &text)
    }
    if let value = record.numericValue {
      text.append(member: "value")
      text.append(json: value)
    }
    text.append(UInt8(ascii: "}"))
    return text
  }
}
