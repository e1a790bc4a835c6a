/// Steps, distance, flights, exercise minutes: what the watch, the phone and an app each saw of the same walks.
///
/// The rule that makes the truth known: the watch's samples of a walk touch each other and cover it (or its first part,
/// when it was handed over), with the true number. The phone's samples of a walk that the watch saw lie inside the
/// watch's stretch, with numbers a little off. The app's sample is the whole walk, again a little off. So the merge by
/// rank (watch, iPhone, others; in proportion to time) gives the truth, but for rounding in handed-over walks.
extension ExportWriter {
  /// Seconds of a watch sample; the phone's are twice as long. Even a run's stay below 10 km, six digits.
  private var piece: Int { min(max(10, Int(64 / layout.density)), 1500) }

  mutating func writeSteps() throws(SyntheticExportError) {
    let type = recordType(
      "HKQuantityTypeIdentifierStepCount", "count", decimals: 0, sources: [.watch, .phone, .pedometer])
    for (position, day) in days.enumerated() {
      plan = DayPlan(layout, day)
      var random = layout.random(type.stream, day.index)
      for walk in plan.walks {
        truth.days[position].steps += walk.steps
        addSamples(of: walk, day, scale: 1, &random)
      }
      try writeSamples(of: type, on: day, repeating: true)
    }
    let extra = try writeExtra(of: type, part: 3, lasting: 60, range: 5...120)
    truth.extraSteps = extra.reduce(0) { $0 + $1.value }
  }

  mutating func writeDistance() throws(SyntheticExportError) {
    let type = recordType(
      "HKQuantityTypeIdentifierDistanceWalkingRunning", "km", decimals: 5, sources: [.watch, .phone, .pedometer])
    for (position, day) in days.enumerated() {
      plan = DayPlan(layout, day)
      var random = layout.random(type.stream, day.index)
      for walk in plan.walks {
        truth.days[position].walkingCentimetres += walk.steps * walk.strideCentimetres
        addSamples(of: walk, day, scale: walk.strideCentimetres, &random)
      }
      try writeSamples(of: type, on: day, repeating: false)
    }
  }

  /// All devices' samples of one walk; values are steps × `scale`.
  private mutating func addSamples(of walk: Walk, _ day: Day, scale: Int, _ random: inout SplitMix64) {
    let start = day.midnight + walk.start
    if walk.watchLength > 0 {
      addPieces(of: walk, start, 0..<walk.watchLength, piece, scale * 1000, .watch, &random)
    }
    switch walk.witness {
    case .watchOnly: return
    case .phoneOnly, .handOver:
      addPieces(of: walk, start, 0..<walk.length, piece * 2, scale * 1000, .phone, &random)
    case .both:
      // The phone notices a walk late and its end early.
      let seen = random.between(1, 9)..<walk.length - random.between(1, 9)
      addPieces(of: walk, start, seen, piece * 2, scale * random.between(930, 1050), .phone, &random)
      guard random.chance(1, of: 5), walk.length <= 1500 else { return }
      let value = walk.steps * scale * random.between(970, 1030) / 1000
      samples.append(
        Sample(
          start: start, end: start + walk.length, created: start + walk.length + 60, value: value, source: .pedometer))
    }
  }

  private mutating func addPieces(
    of walk: Walk, _ start: Int, _ range: Range<Int>, _ piece: Int, _ scale: Int, _ source: Source,
    _ random: inout SplitMix64
  ) {
    let count = max(1, range.count / piece)
    for index in 0..<count {
      let from = range.lowerBound + range.count * index / count
      let until = range.lowerBound + range.count * (index + 1) / count
      let steps = walk.stepsUntil(until) - walk.stepsUntil(from)
      samples.append(
        Sample(
          start: start + from, end: start + until, created: created(start + until, source, &random),
          value: max(1, steps * scale / 1000), source: source))
    }
  }

  mutating func writeFlights() throws(SyntheticExportError) {
    let type = recordType(
      "HKQuantityTypeIdentifierFlightsClimbed", "count", decimals: 0,
      notes: [metadataLine("HKMetadataKeyBarometricPressure", "98.6121 kPa")], sources: [.watch, .phone])
    for (position, day) in days.enumerated() {
      plan = DayPlan(layout, day)
      var random = layout.random(type.stream, day.index)
      for walk in plan.walks where random.chance(2, of: 3) {
        let source: Source = walk.watchLength > 0 ? .watch : .phone
        let climbs = layout.detail == .full ? random.between(1, 3) : 1
        for climb in 0..<climbs {
          let start = day.midnight + walk.start + (walk.watchLength > 0 ? walk.watchLength : walk.length) * climb / 4
          let value = random.between(1, 3)
          truth.days[position].flights += value
          samples.append(
            Sample(
              start: start, end: start + 15, created: created(start + 15, source, &random), value: value,
              source: source, note: source == .phone ? 0 : -1))
        }
      }
      try writeSamples(of: type, on: day, repeating: false)
    }
  }

  /// The watch's green ring: whole minutes of brisk movement.
  mutating func writeExerciseTime() throws(SyntheticExportError) {
    let type = recordType("HKQuantityTypeIdentifierAppleExerciseTime", "min", decimals: 0, sources: [.watch])
    for (position, day) in days.enumerated() {
      plan = DayPlan(layout, day)
      var random = layout.random(type.stream, day.index)
      let brisk = plan.walks.filter { $0.watchLength > 0 && random.chance(1, of: 3) }.map { ($0.start, $0.watchLength) }
      let workout = plan.workout.map { $0.isOnFoot ? [] : [($0.start, $0.length)] } ?? []
      // Small exports have one record per stretch instead of one per minute.
      let step = layout.detail == .full ? 1 : 15
      for (start, length) in brisk + workout {
        for minute in stride(from: 0, to: length / 60, by: step) {
          let from = day.midnight + start + minute * 60
          let minutes = min(step, length / 60 - minute)
          truth.days[position].exerciseMinutes += minutes
          samples.append(
            Sample(
              start: from, end: from + minutes * 60, created: created(from + minutes * 60, .watch, &random),
              value: minutes, source: .watch))
        }
      }
      try writeSamples(of: type, on: day, repeating: false)
    }
  }

  /// Rides: the watch's pieces cover them; the cycling app saves each ride once more as a whole.
  mutating func writeCyclingDistance() throws(SyntheticExportError) {
    let type = recordType(
      "HKQuantityTypeIdentifierDistanceCycling", "km", decimals: 5, sources: [.watch, .cyclingApp])
    for (position, day) in days.enumerated() {
      plan = DayPlan(layout, day)
      guard let ride = plan.workout, ride.kind == .cycling else { continue }
      var random = layout.random(type.stream, day.index)
      let start = day.midnight + ride.start
      let count = max(1, ride.length / max(20, piece))
      for index in 0..<count {
        let from = ride.length * index / count
        let until = ride.length * (index + 1) / count
        let value = ExportWriter.cyclingCentimetres(until) - ExportWriter.cyclingCentimetres(from)
        samples.append(
          Sample(
            start: start + from, end: start + until, created: created(start + until, .watch, &random), value: value,
            source: .watch))
      }
      let whole = ExportWriter.cyclingCentimetres(ride.length)
      truth.days[position].cyclingCentimetres += whole
      samples.append(
        Sample(
          start: start, end: start + ride.length, created: start + ride.length + 20, value: whole / 1000 * 1010,
          source: .cyclingApp))
      try writeSamples(of: type, on: day, repeating: false)
    }
  }

  /// 21.6 km/h.
  static func cyclingCentimetres(_ seconds: Int) -> Int { seconds * 600 }

  /// Lengths of a 50 m pool, one sample each, with their strokes.
  mutating func writeSwimming() throws(SyntheticExportError) {
    let distance = recordType("HKQuantityTypeIdentifierDistanceSwimming", "m", decimals: 0, sources: [.watch])
    let strokes = recordType(
      "HKQuantityTypeIdentifierSwimmingStrokeCount", "count", decimals: 0,
      notes: (2...5).map { metadataLine("HKSwimmingStrokeStyle", String($0)) }, sources: [.watch])
    for type in [distance, strokes] {
      for (position, day) in days.enumerated() {
        plan = DayPlan(layout, day)
        guard let swim = plan.workout, swim.kind == .swimming else { continue }
        var random = layout.random(type.stream, day.index)
        for lap in swim.laps(layout.detail) {
          let start = day.midnight + lap.lowerBound
          let isDistance = type.name == distance.name
          if isDistance { truth.days[position].swimmingMetres += 50 }
          samples.append(
            Sample(
              start: start, end: day.midnight + lap.upperBound,
              created: created(day.midnight + lap.upperBound, .watch, &random),
              value: isDistance ? 50 : random.between(19, 27), source: .watch, note: isDistance ? -1 : random.below(4)))
        }
        try writeSamples(of: type, on: day, repeating: false)
      }
    }
  }
}

extension PlannedWorkout {
  /// Seconds after midnight of each length of the pool.
  func laps(_ detail: ExportLayout.Detail) -> [Range<Int>] {
    let count = min(length / 70, [3, 8, 60][detail.rawValue])
    return (0..<count).map { start + 60 * $0..<start + 60 * $0 + 55 }
  }
}
