/// A night (credited to the day of waking) and perhaps a nap, as the two apps and the phone record it.
struct SleepPlan {
  enum Stage: Int { case inBed, unspecified, awake, core, deep, rem }

  /// Seconds relative to the midnight before waking.
  struct Stretch {
    var start: Int
    var end: Int
    var stage: Stage
    var source: Source
  }

  var stretches: [Stretch] = []
  /// Seconds per stage by DESIGN §4.3: stages from the watch where it was worn, in bed from the phone where it wrote.
  var truth: [Int] = Array(repeating: 0, count: 6)

  var asleep: Int { truth[1] + truth[3] + truth[4] + truth[5] }

  init(_ layout: ExportLayout, _ day: Day) {
    var random = layout.random(Stream.sleep, day.index)
    let bed = random.around(-4200, 2400)
    let cycles = [1, 3, 5][layout.detail.rawValue]
    var time = bed + random.between(4, 40) * 30
    let asleepFrom = time
    let hasWatch = !random.chance(1, of: 12)
    for cycle in 0..<cycles {
      let deep = (cycles == 1 ? 120 : 50 - cycle * 8) + random.between(0, 12)
      let pattern: [(Stage, Int)] = [
        (.core, (cycles == 1 ? 200 : 60) + random.between(0, 30)), (.deep, max(deep, 4)),
        (.core, 20 + random.between(0, 20)), (.rem, (cycles == 1 ? 90 : 20 + cycle * 12) + random.between(0, 14)),
        (.awake, random.between(1, 12)),
      ]
      for (stage, halfMinutes) in pattern {
        let end = time + halfMinutes * 30
        if hasWatch { add(time, end, stage, .watch) }
        time = end
      }
    }
    let up = time + random.between(2, 50) * 30
    // The Clock's rank among other apps depends on the whole export, so the two never compete for one night.
    let bedWitness: Source? = random.chance(4, of: 5) ? (random.chance(1, of: 9) ? .sleepSchedule : .phone) : nil
    if !hasWatch || random.chance(2, of: 3) {
      if bedWitness != .sleepSchedule {
        add(random.chance(1, of: 4) ? asleepFrom : bed + 30, up - 30, .inBed, .sleepApp)
      }
      add(asleepFrom + random.between(0, 9) * 60, time - random.between(0, 9) * 60, .unspecified, .sleepApp)
    }
    if let bedWitness { add(bed, up, .inBed, bedWitness) }
    count(.inBed, from: [.phone, .sleepSchedule, .sleepApp])
    if hasWatch {
      for stage in [Stage.core, .deep, .rem, .awake] { count(stage, from: [.watch]) }
    } else {
      count(.unspecified, from: [.sleepApp])
    }
    addNap(&random)
  }

  private mutating func addNap(_ random: inout SplitMix64) {
    guard random.chance(1, of: 16) else { return }
    let start = 50_400 + random.between(0, 60) * 60
    let end = start + random.between(30, 90) * 30
    add(start, end, .core, .watch)
    truth[Stage.core.rawValue] += end - start
  }

  private mutating func add(_ start: Int, _ end: Int, _ stage: Stage, _ source: Source) {
    stretches.append(Stretch(start: start, end: end, stage: stage, source: source))
  }

  /// Seconds of a stage from the first of the sources that has it.
  private mutating func count(_ stage: Stage, from sources: [Source]) {
    for source in sources {
      let mine = stretches.filter { $0.stage == stage && $0.source == source }
      guard !mine.isEmpty else { continue }
      truth[stage.rawValue] = mine.reduce(0) { $0 + $1.end - $1.start }
      return
    }
  }
}
