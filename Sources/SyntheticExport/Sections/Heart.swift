/// Heart rate, and heart rate variability with its beats.
extension ExportWriter {
  mutating func writeHeartRate() throws(SyntheticExportError) {
    let type = recordType(
      "HKQuantityTypeIdentifierHeartRate", "count/min", decimals: 3,
      notes: (0...2).map { metadataLine("HKMetadataKeyHeartRateMotionContext", String($0)) },
      sources: [.watch, .chestStrap])
    for day in days {
      plan = DayPlan(layout, day)
      let count = min(layout.count(358, on: day, stream: type.stream), day.length / 4)
      var random = layout.random(type.stream, day.index)
      for index in 0..<count {
        let from = day.length * index / count
        let until = day.length * (index + 1) / count
        let second = from + random.below(max(1, (until - from) * 3 / 4))
        addHeartRate(at: second, day, &random)
      }
      try writeSamples(of: type, on: day, repeating: true)
    }
    _ = try writeExtra(of: type, part: 0, lasting: 0, range: 52_000...88_000, note: 1)
  }

  private mutating func addHeartRate(at second: Int, _ day: Day, _ random: inout SplitMix64) {
    let isNight = second < 21_600 || second > 82_000
    let isWorkout = plan.workout.map { ($0.start..<$0.end).contains(second) } ?? false
    let rate = isWorkout ? random.around(112, 178) : isNight ? random.around(44, 62) : random.around(54, 108)
    let moment = day.midnight + second
    // One in eight carries decimals, as averaged values do.
    let value = rate * 1000 + (random.chance(1, of: 8) ? random.below(1000) : 0)
    let note = isWorkout ? 2 : isNight ? 1 : random.below(3)
    samples.append(
      Sample(
        start: moment, end: moment, created: (moment / 900 + 1) * 900 + 37, value: value, source: .watch, note: note))
    // A strap worn in every workout reports in the very seconds of the watch.
    if isWorkout {
      samples.append(
        Sample(
          start: moment, end: moment, created: moment + 2, value: (rate + 1) * 1000, source: .chestStrap))
    }
  }

  mutating func writeHeartRateVariability() throws(SyntheticExportError) {
    let type = recordType("HKQuantityTypeIdentifierHeartRateVariabilitySDNN", "ms", decimals: 4, sources: [.watch])
    for day in days {
      let count = layout.count(5.4, on: day, stream: type.stream)
      var random = layout.random(type.stream, day.index)
      document.beginAddresses(layout.random(type.stream ^ Stream.pointers, day.index))
      for index in 0..<count {
        let start = day.midnight + 3600 + 79_000 * index / count + random.below(79_000 / count / 2)
        let end = start + random.between(58, 65)
        let sample = Sample(
          start: start, end: end, created: created(end, .watch, &random), value: random.around(180_000, 990_000),
          source: .watch)
        try document.makeRoom()
        document.buffer.append(0x20)
        document.writeStart(sample, of: type, era: day.era)
        document.buffer.append(">\n  <MetadataEntry key=\"HKAlgorithmVersion\" value=\"2\"/>\n")
        writeBeats(from: start, &random)
        document.buffer.append(" </Record>\n")
      }
      truth.count(type.name, count)
    }
  }

  /// Beats carry the wall clock of the place and season, unlike every other date of the file (export-format §5.3).
  private mutating func writeBeats(from start: Int, _ random: inout SplitMix64) {
    let offset = layout.zone.offset(at: start)
    var hundredths = (start + offset).flooredModulo(86_400) * 100 + random.below(100)
    let beats = layout.detail == .full ? random.between(38, 58) : random.between(5, 9)
    truth.beats += beats
    document.buffer.append("  <HeartRateVariabilityMetadataList>\n")
    for _ in 0..<beats {
      let rate = random.around(48, 82)
      document.buffer.append("   <InstantaneousBeatsPerMinute bpm=\"")
      document.buffer.append(integer: rate)
      document.buffer.append("\" time=\"")
      document.buffer.append(beatClock: hundredths, region: layout.zone.region)
      document.buffer.append("\"/>\n")
      hundredths = (hundredths + 6000 / rate) % 8_640_000
    }
    document.buffer.append("  </HeartRateVariabilityMetadataList>\n")
  }
}

extension ByteBuffer {
  /// `00:20:37,80` on the continent, `7:47:41.86 PM` (U+202F before PM) elsewhere.
  mutating func append(beatClock hundredths: Int, region: LocalZone.Region) {
    let seconds = hundredths / 100
    switch region {
    case .continental:
      append(clock: seconds)
      append(0x2C)
      append(twoDigits: hundredths % 100)
    case .english:
      append(integer: (seconds / 3600 + 11) % 12 + 1)
      append(0x3A)
      append(twoDigits: seconds / 60 % 60)
      append(0x3A)
      append(twoDigits: seconds % 60)
      append(0x2E)
      append(twoDigits: hundredths % 100)
      append(seconds < 43_200 ? "\u{202F}AM" : "\u{202F}PM")
    }
  }
}

extension Int {
  /// Remainder that is never negative.
  func flooredModulo(_ divisor: Int) -> Int {
    let rest = self % divisor
    return rest < 0 ? rest + divisor : rest
  }
}
