/// Nutrients and blood pressure, at the top level and in correlations.
extension ExportWriter {
  private func pressureType(_ side: Int) -> RecordType {
    recordType(
      "HKQuantityTypeIdentifierBloodPressure" + ["Systolic", "Diastolic"][side], "mmHg", decimals: 0, sources: [.cuff])
  }

  private func nutrientType(_ nutrient: Int) -> RecordType {
    let (name, unit) = Meal.nutrients[nutrient]
    return recordType(
      "HKQuantityTypeIdentifier" + name, unit, decimals: 3,
      notes: Meal.names.map { metadataLine("HKFoodType", $0) }, sources: [.foodLog])
  }

  private func sample(_ reading: PressureReading, side: Int) -> Sample {
    Sample(
      start: reading.start, end: reading.start, created: reading.start + 3,
      value: side == 0 ? reading.systolic : reading.diastolic, source: .cuff)
  }

  private func sample(_ meal: Meal, food: Int, nutrient: Int) -> Sample {
    Sample(
      start: meal.start, end: meal.start, created: meal.start + 40, value: meal.amount(food: food, nutrient: nutrient),
      source: .foodLog, note: meal.foods[food])
  }

  mutating func writePressure() throws(SyntheticExportError) {
    for side in 0...1 {
      let type = pressureType(side)
      for day in days {
        for reading in PressureReading.readings(layout, day) { samples.append(sample(reading, side: side)) }
        try writeSamples(of: type, on: day, repeating: false)
      }
    }
  }

  mutating func writeNutrients() throws(SyntheticExportError) {
    for nutrient in Meal.nutrients.indices {
      let type = nutrientType(nutrient)
      for (position, day) in days.enumerated() {
        for meal in Meal.meals(layout, day) {
          for food in meal.foods.indices {
            var sample = sample(meal, food: food, nutrient: nutrient)
            if nutrient == 0 { truth.days[position].dietaryMilliKilocalories += sample.value }
            // The copy at the top level does not always carry the metadata of the nested one.
            if nutrient == 4 { sample.note = -1 }
            samples.append(sample)
          }
        }
        try writeSamples(of: type, on: day, repeating: false)
      }
    }
  }

  // MARK: Correlations

  mutating func writeCorrelations() throws(SyntheticExportError) {
    let sides = [pressureType(0), pressureType(1)]
    let nutrients = Meal.nutrients.indices.map { nutrientType($0) }
    for day in days {
      document.beginAddresses(layout.random(Stream.pressure ^ Stream.pointers, day.index))
      for reading in PressureReading.readings(layout, day) where reading.isCorrelated {
        try beginCorrelation("HKCorrelationTypeIdentifierBloodPressure", sample(reading, side: 0), day)
        for side in 0...1 { writeMember(sample(reading, side: side), of: sides[side], day) }
        document.buffer.append(" </Correlation>\n")
      }
    }
    for day in days {
      document.beginAddresses(layout.random(Stream.meals ^ Stream.pointers, day.index))
      for meal in Meal.meals(layout, day) {
        for food in meal.foods.indices {
          try beginCorrelation("HKCorrelationTypeIdentifierFood", sample(meal, food: food, nutrient: 0), day)
          document.write(metadata: "HKFoodType", Meal.names[meal.foods[food]], indent: 2)
          document.write(metadata: "HKExternalUUID", meal.identifiers[food], indent: 2)
          for nutrient in nutrients.indices {
            writeMember(sample(meal, food: food, nutrient: nutrient), of: nutrients[nutrient], day)
          }
          document.buffer.append(" </Correlation>\n")
        }
      }
    }
  }

  private mutating func beginCorrelation(_ type: String, _ first: Sample, _ day: Day) throws(SyntheticExportError) {
    try document.makeRoom()
    document.buffer.append(0x20)
    document.write(RecordType.head("<Correlation type=\"\(type)\"", first.source, day.era))
    document.writeDates(first)
    document.buffer.append(">\n")
    truth.correlations += 1
  }

  private mutating func writeMember(_ sample: Sample, of type: RecordType, _ day: Day) {
    document.buffer.append("  ")
    document.writeStart(sample, of: type, era: day.era)
    if sample.note >= 0 {
      document.buffer.append(">\n ")
      document.buffer.append(type.notes[sample.note])
      document.buffer.append("  </Record>\n")
    } else {
      document.buffer.append("/>\n")
    }
    truth.nestedRecords += 1
  }
}
