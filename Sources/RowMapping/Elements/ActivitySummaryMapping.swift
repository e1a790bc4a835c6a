import HealthModel

extension RowMapper {
  /// ```
  /// <ActivitySummary dateComponents="2024-05-01" activeEnergyBurned="512.3" activeEnergyBurnedGoal="500"
  ///                  activeEnergyBurnedUnit="kcal" appleExerciseTime="31" … appleStandHours="12" …/>
  /// ```
  /// The sample starts and ends at UTC midnight; `IdentityResolver` moves it to the day in the user's zone. All
  /// attributes are in its metadata, numbers as numbers.
  mutating func mapActivitySummary(_ element: borrowing ExportElement, into buffer: inout SampleBuffer) {
    base.samplesRead += 1
    let bytes = element.bytes.span
    let common = CommonAttributes(node: 0, of: element)
    let date = element.piece(.dateComponents, of: 0)
    guard !date.isEmpty else { return refuse(.rejectedNoStart, element) }
    guard let day = DateParser.day(date.range, of: bytes) else { return refuse(.rejectedUnreadableStart, element) }
    guard
      var sample = beginSample(
        fixed.activitySummary, common, start: day.utcMidnight, end: day.advanced(by: 1).utcMidnight, of: element)
    else { return }
    object.removeAll()
    let energy = element.piece(.activeEnergyBurned, of: 0)
    if !energy.isEmpty {
      guard let value = DecimalParser.parse(energy.range, of: bytes) else {
        return refuse(.rejectedNotANumber, element)
      }
      setEnergy(value, of: &sample, unit: element.piece(.activeEnergyBurnedUnit, of: 0), in: element)
    }
    for index in element.nodes[0].attributeRange {
      let attribute = element.attributes[index]
      begin(attribute, of: element)
      if attribute.name == .dateComponents || !object.text.appendJSONNumber(attribute.valueRange, of: bytes) {
        cleaned += object.text.appendJSON(attribute.valueRange, of: bytes)
      }
      object.end()
    }
    object.reserve()
    let findings = addEntries(of: 0, in: element)
    take(findings, for: &sample.record, of: element)
    endSample(sample, common, of: element, into: &buffer)
  }

  /// kcal is the unit of exports that name none.
  private mutating func setEnergy(
    _ value: Double, of sample: inout Sample, unit: Piece, in element: borrowing ExportElement
  ) {
    sample.record.flags.insert(.hasValue)
    sample.record.value = value
    sample.record.exportedUnit =
      unit.isEmpty
      ? types.entries[sample.type].canonicalUnit : symbols.symbol(for: unit.range, of: element.bytes.span)
    let conversion = types.conversion(entry: sample.type, unit: sample.record.exportedUnit)
    if let kilocalories = conversion?(value), kilocalories.isFinite {
      sample.record.value = kilocalories
      sample.record.flags.insert(.isConverted)
    } else {
      base.problems.add(.unknownUnit, at: element.inputOffset)
      sample.record.flags.insert(.isUnconvertible)
    }
  }

  /// Rejects a sample.
  mutating func refuse(_ kind: ProblemKind, _ element: borrowing ExportElement) {
    let _: Void? = reject(kind, at: element.inputOffset)
  }
}
