import HealthModel

/// Writes one export.xml, type by type, each over all days. The order of sections is the order of the file.
///
/// Records of one type ascend by creation date across sources, as in real exports, and nothing is kept but one day's
/// samples of one type and the truths of the days.
struct ExportWriter: ~Copyable {
  let layout: ExportLayout
  let days: [Day]
  var document: ExportDocument
  var truth: ExportTruth
  /// Samples of the day being written.
  var samples: [Sample] = []
  /// The day's plan, made again for each type that needs it.
  var plan: DayPlan
  private let withExtra: Bool

  /// `days`: all of the layout's, or a few of them to measure with.
  init(layout: ExportLayout, days: [Day], sink: any ByteSink, withExtra: Bool) {
    self.layout = layout
    self.days = days
    self.withExtra = withExtra
    document = ExportDocument(sink: sink, offset: layout.offset)
    truth = ExportTruth(dayCount: days.count)
    plan = DayPlan(layout, layout.day(0))
  }

  /// The whole file; the number of its bytes.
  mutating func write() throws(SyntheticExportError) -> Int {
    try writeOpening()
    for series in Series.body.prefix(3) { try write(series) }
    try writeHeartRate()
    for series in Series.body.dropFirst(3) { try write(series) }
    try writePressure()
    try writeSteps()
    try writeDistance()
    try writeBasalEnergy()
    try writeActiveEnergy()
    try writeFlights()
    try writeExerciseTime()
    try writeCyclingDistance()
    try writeSwimming()
    for series in Series.activity { try write(series) }
    try writeNutrients()
    try writeEffortScores()
    try writeSleepGoal()
    try writeSleep()
    try writeStandHours()
    for series in Series.events { try write(series) }
    try writeHeartRateVariability()
    try writeCorrelations()
    try writeWorkouts()
    try writeActivitySummaries()
    try writeClinicalRecords()
    try writeHearingAndVision()
    document.buffer.append("</HealthData>\n")
    try document.flush()
    return document.byteCount
  }

  // MARK: One type, one day

  func recordType(
    _ name: String, _ unit: String?, decimals: Int, notes: [String] = [], sources: [Source]
  ) -> RecordType {
    RecordType(
      name, unit: unit, value: .number(decimals: decimals), notes: notes, sources: sources, eraCount: layout.eraCount)
  }

  func recordType(_ name: String, names: [String], notes: [String] = [], sources: [Source]) -> RecordType {
    RecordType(
      name, unit: nil, value: .names(names.map { Array($0.utf8) }), notes: notes, sources: sources,
      eraCount: layout.eraCount)
  }

  /// Writes the samples of `samples` in order of creation. `repeating`: now and then one of them twice, as apps that
  /// save twice do; always one on the first day.
  mutating func writeSamples(of type: RecordType, on day: Day, repeating: Bool) throws(SyntheticExportError) {
    guard !samples.isEmpty else { return }
    if !isSortedByCreation { samples.sort { ($0.created, $0.start) < ($1.created, $1.start) } }
    let random = layout.random(type.stream ^ Stream.pointers, day.index)
    document.beginAddresses(random)
    var repeated = -1
    if repeating {
      var draw = layout.random(type.stream ^ Stream.pointers &* 3, day.index)
      if day.index == 0 || draw.below(1500) < samples.count { repeated = draw.below(samples.count) }
    }
    for index in samples.indices {
      try document.write(samples[index], of: type, era: day.era)
      if index == repeated {
        try document.write(samples[index], of: type, era: day.era)
        truth.repeatedRecords += 1
      }
    }
    truth.count(type.name, samples.count + (repeated >= 0 ? 1 : 0))
    samples.removeAll(keepingCapacity: true)
  }

  private var isSortedByCreation: Bool {
    for index in samples.indices.dropFirst() where samples[index].created < samples[index - 1].created { return false }
    return true
  }

  /// The new records of `--extra`, the last of their type, evenly over the morning after the last day.
  mutating func writeExtra(
    of type: RecordType, part: Int, lasting: Int, range: ClosedRange<Int>, note: Int = -1
  ) throws(SyntheticExportError) -> [Sample] {
    guard withExtra else { return [] }
    let total = layout.request.extraRecordCount
    let count = total / ExportWriter.extraParts + (part < total % ExportWriter.extraParts ? 1 : 0)
    guard count > 0 else { return [] }
    var random = layout.random(type.stream ^ Stream.extra, 0)
    document.beginAddresses(random)
    let midnight = layout.zone.midnight(layout.request.lastDay.advanced(by: 1))
    let stride = max(1, ExportWriter.extraWindow / count)
    var written: [Sample] = []
    for index in 0..<count {
      let start = midnight + 60 + index * stride
      let end = start + min(lasting, stride)
      let sample = Sample(
        start: start, end: end, created: midnight + ExportWriter.extraWindow + 600,
        value: random.around(range.lowerBound, range.upperBound), source: .watch, note: note)
      try document.write(sample, of: type, era: layout.eraCount - 1)
      written.append(sample)
    }
    truth.count(type.name, count)
    truth.extraRecords += count
    return written
  }

  /// Types that share the extra records, and the seconds of the morning they fall into.
  static let extraParts = 5
  static let extraWindow = 27_000

  // MARK: Plain series

  mutating func write(_ series: Series) throws(SyntheticExportError) {
    let type = RecordType(
      series.name, unit: series.unit, value: series.value, notes: series.notes, sources: [series.source],
      eraCount: layout.eraCount)
    for day in days {
      let count = layout.count(series.perDay, on: day, stream: type.stream)
      guard count > 0 else { continue }
      fill(series, type, day, count)
      try writeSamples(of: type, on: day, repeating: series.source == .scale)
    }
    if series.name == "HKQuantityTypeIdentifierEnvironmentalAudioExposure" {
      _ = try writeExtra(of: type, part: 4, lasting: 1800, range: series.range)
    }
  }

  /// Spreads `count` samples over the window, one in each of as many equal slots, so that no two start together.
  private mutating func fill(_ series: Series, _ type: RecordType, _ day: Day, _ count: Int) {
    var random = layout.random(type.stream, day.index)
    let (begin, end) = window(series.window, day)
    guard end > begin else { return }
    let slots = min(count, (end - begin) / 2)
    for index in 0..<slots {
      let from = begin + (end - begin) * index / slots
      let until = begin + (end - begin) * (index + 1) / slots
      let moment = day.midnight + from + random.below(max(1, (until - from) * 3 / 4))
      let lasting = random.between(series.lasting.lowerBound, series.lasting.upperBound)
      let start = lasting > 86_400 ? moment - lasting : moment
      let stop = start + lasting
      let value = random.around(series.range.lowerBound, series.range.upperBound)
      let note = series.notes.isEmpty || random.chance(1, of: 8) ? -1 : random.below(series.notes.count)
      samples.append(
        Sample(
          start: start, end: stop, created: created(stop, series.source, &random), value: value,
          source: series.source, note: note))
    }
  }

  private mutating func window(_ window: Series.Window, _ day: Day) -> (Int, Int) {
    switch window {
    case .day: return (DayPlan.morning, DayPlan.evening)
    case .night: return (0, 21_600)
    case .wholeDay: return (0, day.length)
    case .runs:
      plan = DayPlan(layout, day)
      guard let workout = plan.workout, workout.kind == .running || workout.kind == .intervals else { return (0, 0) }
      return (workout.start, workout.end)
    }
  }

  /// When the phone saved a sample: the watch sends a quarter of an hour at a time, the phone saves a little later,
  /// and sometimes (observed in 2 %) a little before the end.
  func created(_ end: Int, _ source: Source, _ random: inout SplitMix64) -> Int {
    switch source {
    case .watch: (end / 900 + 1) * 900 + 37
    case .phone: random.chance(1, of: 20) ? end - 2 : end + random.between(3, 400)
    default: end + random.between(0, 5)
    }
  }
}
