import HealthModel

/// Sleep from the watch, another app and the phone; stand hours.
extension ExportWriter {
  mutating func writeSleep() throws(SyntheticExportError) {
    let names = ["InBed", "AsleepUnspecified", "Awake", "AsleepCore", "AsleepDeep", "AsleepREM"]
    let type = recordType(
      "HKCategoryTypeIdentifierSleepAnalysis", names: names.map { "HKCategoryValueSleepAnalysis" + $0 },
      notes: [metadataLine("HKTimeZone", layout.zone.name)], sources: [.watch, .phone, .sleepApp, .sleepSchedule])
    for (position, day) in days.enumerated() {
      let night = SleepPlan(layout, day)
      truth.days[position].sleepSeconds = night.truth
      for stretch in night.stretches {
        // Apple's own rows are saved in the morning, all together, and name their zone.
        let isApple = stretch.source != .sleepApp
        let end = day.midnight + stretch.end
        samples.append(
          Sample(
            start: day.midnight + stretch.start, end: end, created: isApple ? day.midnight + 43_200 : end + 30,
            value: stretch.stage.rawValue, source: stretch.source, note: isApple ? 0 : -1))
      }
      try writeSamples(of: type, on: day, repeating: day.index == 0)
    }
  }

  /// The goal has neither source version nor device, and its type is not a "TypeIdentifier" (export-format §4.4).
  mutating func writeSleepGoal() throws(SyntheticExportError) {
    let type = recordType("HKDataTypeSleepDurationGoal", "hr", decimals: 1, sources: [.sleepSchedule])
    for day in days where layout.occurrences(0.004, on: day, stream: type.stream) > 0 {
      let moment = day.midnight + 75_600
      samples.append(Sample(start: moment, end: moment, created: moment, value: 80, source: .sleepSchedule))
      try writeSamples(of: type, on: day, repeating: false)
    }
  }

  mutating func writeStandHours() throws(SyntheticExportError) {
    let type = recordType(
      "HKCategoryTypeIdentifierAppleStandHour",
      names: ["HKCategoryValueAppleStandHourStood", "HKCategoryValueAppleStandHourIdle"], sources: [.watch])
    let hours = [3, 9, 16][layout.detail.rawValue]
    for (position, day) in days.enumerated() {
      var random = layout.random(type.stream, day.index)
      for hour in 7..<7 + hours {
        let start = day.midnight + hour * 3600
        let isIdle = random.chance(1, of: 4)
        if !isIdle { truth.days[position].standHours += 1 }
        samples.append(
          Sample(
            start: start, end: start + 3600, created: start + 3720, value: isIdle ? 1 : 0, source: .watch))
      }
      try writeSamples(of: type, on: day, repeating: false)
    }
  }
}
