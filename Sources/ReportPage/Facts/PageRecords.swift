package import HealthModel
import Queries

/// An instant on the clock of the user's zone.
package struct PageMoment: Encodable, Equatable, Sendable {
  /// Days since 1970-01-01.
  package var day: Int
  /// Minutes after midnight, as the clock shows them.
  package var minute: Int

  package init(_ instant: Instant, _ zone: ZoneRules) {
    let seconds = instant.seconds + Int64(zone.offsetSeconds(at: instant))
    day = Int(seconds.flooredQuotient(86_400))
    minute = Int(seconds - Int64(day) * 86_400) / 60
  }
}

/// Shares of the goals, in per cent, by day; nil: no such goal.
package struct PageRings: Encodable, Equatable, Sendable {
  package var d: [Int] = []
  package var move: [Int?] = []
  package var exercise: [Int?] = []
  package var stand: [Int?] = []

  /// nil: there is no ring with a goal.
  init?(_ rings: [ActivityRings]) {
    func percent(_ share: Double?) -> Int? { share.map { Int((max(0, min($0, 100)) * 100).rounded(.down)) } }
    var last = 0
    for ring in rings where ring.move != nil || ring.exercise != nil || ring.stand != nil {
      let day = Int(ring.day.daysSince1970)
      d.append(day - last)
      last = day
      move.append(percent(ring.move))
      exercise.append(percent(ring.exercise))
      stand.append(percent(ring.stand))
    }
    if d.isEmpty { return nil }
  }
}

/// The latest workouts, in columns, newest first.
package struct PageWorkouts: Encodable, Equatable, Sendable {
  static let limit = 400

  package var day: [Int] = []
  package var minute: [Int] = []
  package var activity: [String] = []
  package var seconds: [Int] = []
  package var meters: [Int?] = []
  package var kilocalories: [Int?] = []
  package var source: [String] = []
  /// There are older ones.
  package var isCut: Bool

  /// nil: there are none.
  init?(_ workouts: [StoredWorkout], _ zone: ZoneRules) {
    if workouts.isEmpty { return nil }
    isCut = workouts.count >= PageWorkouts.limit
    for workout in workouts {
      let start = PageMoment(workout.start, zone)
      day.append(start.day)
      minute.append(start.minute)
      activity.append(workout.activity)
      seconds.append(PageWorkouts.whole(workout.seconds) ?? 0)
      meters.append(workout.distanceMeters.flatMap(PageWorkouts.whole))
      kilocalories.append(workout.energyKilocalories.flatMap(PageWorkouts.whole))
      source.append(workout.source)
    }
  }

  private static func whole(_ value: Double) -> Int? {
    value.isFinite && abs(value) < 1e12 ? Int(value.rounded()) : nil
  }
}

/// An app or device.
package struct PageSource: Encodable, Equatable, Sendable {
  package var name: String
  package var kind: String
  package var first: Int?
  package var last: Int?
  package var samples: Int

  init(_ source: StoredSource) {
    name = source.name
    kind = source.deviceClass.rawValue
    first = source.days.map { Int($0.lowerBound.daysSince1970) }
    last = source.days.map { Int($0.upperBound.daysSince1970) }
    samples = source.sampleCount
  }
}

/// One import, and what it noticed.
package struct PageImport: Encodable, Equatable, Sendable {
  package struct Problem: Encodable, Equatable, Sendable {
    package var severity: String
    package var words: String
    package var count: Int
  }

  package var number: Int
  package var name: String
  package var exportDate: PageMoment?
  package var finishedAt: PageMoment
  package var isSalvaged: Bool
  package var read: Int?
  package var written: Int?
  package var problems: [Problem]

  init(_ stored: StoredImport, _ zone: ZoneRules, _ words: (ProblemKind, Int) -> String) {
    number = stored.number
    name = stored.exportName
    exportDate = stored.exportDate.map { PageMoment($0, zone) }
    finishedAt = PageMoment(stored.finishedAt, zone)
    isSalvaged = stored.isSalvaged
    read = stored.read
    written = stored.written
    problems = stored.problems.map {
      Problem(severity: $0.kind.severity.rawValue, words: words($0.kind, $0.count), count: $0.count)
    }
  }
}
