/// Active and basal energy, the bulk of an export: the watch tiles the day without gaps.
extension ExportWriter {
  mutating func writeActiveEnergy() throws(SyntheticExportError) {
    let type = recordType(
      "HKQuantityTypeIdentifierActiveEnergyBurned", "kcal", decimals: 3, sources: [.watch, .cyclingApp])
    for (position, day) in days.enumerated() {
      plan = DayPlan(layout, day)
      let window = 19_800..<day.length - 1800
      let count = max(1, min(layout.count(830, on: day, stream: type.stream), window.count / 4))
      truth.days[position].activeMilliKilocalories = addActiveTiles(type, day, window, count)
      if let ride = plan.workout, ride.kind == .cycling {
        let start = day.midnight + ride.start
        samples.append(
          Sample(
            start: start, end: start + ride.length, created: start + ride.length + 20, value: ride.length * 151,
            source: .cyclingApp))
      }
      try writeSamples(of: type, on: day, repeating: day.index > 0)
    }
    _ = try writeExtra(of: type, part: 1, lasting: 30, range: 90...900)
  }

  /// Contiguous samples with random borders; returns the sum of their values.
  private mutating func addActiveTiles(_ type: RecordType, _ day: Day, _ window: Range<Int>, _ count: Int) -> Int {
    var random = layout.random(type.stream, day.index)
    // Thousandths of a kilocalorie per second above rest: walks, and what a workout adds to its own.
    var efforts = plan.walks.map { (range: $0.start..<$0.start + $0.length, rate: 62) }
    if let workout = plan.workout { efforts.append((workout.start..<workout.end, 85)) }
    var sum = 0
    var start = window.lowerBound
    let jitter = max(1, window.count / count / 2)
    for index in 1...count {
      let border = window.lowerBound + window.count * index / count
      let end = index == count ? window.upperBound : border + random.below(jitter)
      var value = random.around(2, 7) * (end - start) + random.below(10)
      for (range, rate) in efforts where range.overlaps(start..<end) {
        value += range.clamped(to: start..<end).count * random.between(rate - 12, rate + 12)
      }
      let stop = day.midnight + end
      samples.append(
        Sample(
          start: day.midnight + start, end: stop, created: (stop / 900 + 1) * 900 + 37, value: value, source: .watch))
      sum += value
      start = end
    }
    return sum
  }

  mutating func writeBasalEnergy() throws(SyntheticExportError) {
    let type = recordType("HKQuantityTypeIdentifierBasalEnergyBurned", "kcal", decimals: 3, sources: [.watch])
    for (position, day) in days.enumerated() {
      let count = max(3, min(layout.count(362, on: day, stream: type.stream), day.length / 4))
      var random = layout.random(type.stream, day.index)
      var start = 0
      let jitter = max(1, day.length / count / 2)
      for index in 1...count {
        let end = index == count ? day.length : day.length * index / count + random.below(jitter)
        let value = random.around(19, 21) * (end - start) + random.below(10)
        let stop = day.midnight + end
        samples.append(
          Sample(
            start: day.midnight + start, end: stop, created: (stop / 900 + 1) * 900 + 37, value: value, source: .watch))
        truth.days[position].basalMilliKilocalories += value
        start = end
      }
      try writeSamples(of: type, on: day, repeating: false)
    }
    _ = try writeExtra(of: type, part: 2, lasting: 30, range: 400...700)
  }
}
