import Foundation
import HealthModel

@testable import ImportFlow

/// A report in which every part has something to say.
func madeUpReport(_ command: String = "import") -> ImportReport {
  var export = ImportReport.Export(name: "export.zip", byteCount: 1_234_567_890)
  export.digest = "0123456789abcdef0123456789abcdef"
  export.exportDate = date(2025, 11, 30, 13)
  export.newestCreation = date(2025, 11, 30, 12)
  export.locale = "de_DE"
  var report = ImportReport(command: command, hk2pgVersion: "0.1.0", export: export)
  report.user = "6f1c2a34-0000-4000-8000-00000000000a"
  report.zone = .init(name: "Europe/Berlin", origin: "HKTimeZone in the export")
  report.database = "health on localhost:5432 as ann"
  report.samples.read = 2_611_004
  report.samples.written = 2_400_113
  report.samples.alreadyThere = 190_000
  report.samples.repeats = 10_891
  report.samples.superseded = 31
  report.samples.asideForLive = 60
  report.samples.withheld = 9_900
  report.samples.rejected = 9
  report.changes = .init()
  report.changes.changed = 12
  report.changes.removed = 3
  report.changes.keptMissing = 120
  report.changes.moved = 4_012
  report.types = [
    type("HKQuantityTypeIdentifierHeartRate", 1_200_000, 0, ["count/min": 1_200_000]),
    type("HKQuantityTypeIdentifierStepCount", 900_000, 9_900, ["count": 909_900]),
    type("HKQuantityTypeIdentifierDistanceWalkingRunning", 400_000, 0, ["km": 300_000, "mi": 100_000]),
    type("HKWorkoutTypeIdentifier", 113, 0, [:]),
  ]
  report.types += (0..<14).map { type("HKQuantityTypeIdentifierDietary\($0)", 10, 0, ["g": 10]) }
  report.sources = [
    .init(
      name: "Ann’s Apple Watch", deviceClass: "watch", samples: 1_500_000, first: date(2017, 1, 2, 3),
      last: date(2025, 11, 30, 12)),
    .init(
      name: "Ann’s iPhone", deviceClass: "phone", samples: 1_100_000, first: date(2016, 9, 24, 9),
      last: date(2025, 11, 30, 12)),
    .init(name: "\u{1B}[31mTrap", deviceClass: "other", samples: 11_004, first: nil, last: nil),
  ]
  report.sourceRanking = ["Ann’s Apple Watch", "Ann’s iPhone", "Sleep App"]
  report.problems = [
    problem(.doctypeCut, 1, 40), problem(.illegalCharacter, 17, 1_000_123), problem(.missingValue, 3, 2_000_000),
    problem(.ignoredText, 14, 5_000_000), problem(.rejectedUnreadableStart, 9, 123_456_789),
  ]
  report.unknownNames = ["Record@mood": 5]
  report.summaries = .init()
  report.summaries.days = 42_202
  report.summaries.written = 41_002
  report.summaries.unchanged = 1_200
  report.sizes.tableBytes = 1_100_000_000
  report.sizes.databaseBytes = 1_250_000_000
  report.timing.seconds = 65
  report.timing.stageSeconds = 40
  report.timing.loadSeconds = 25
  report.timing.samplesPerSecond = 40_169
  report.timing.peakMemoryBytes = 183_000_000
  report.truthCheck = .init(
    daysCompared: 1_000, daysWithinOnePercent: 987,
    worst: [.init(metricType: "HKQuantityTypeIdentifierActiveEnergyBurned", day: "2020-02-29", ours: 400, theirs: 390)])
  report.notes = [
    "120 rows of HKQuantityTypeIdentifierBodyMass were kept although the export lacks them, since that is more than "
      + "5 % of the type; --force removes them."
  ]
  return report
}

func date(_ year: Int, _ month: Int, _ day: Int, _ hour: Int = 0) -> Date {
  let days = CivilDay(year: year, month: month, day: day).daysSince1970
  return Date(timeIntervalSince1970: Double(days) * 86_400 + Double(hour) * 3600)
}

private func type(_ name: String, _ rows: Int, _ withheld: Int, _ units: [String: Int]) -> ImportReport.MetricType {
  .init(
    metricType: name, rows: rows, withheld: withheld, first: date(2016, 9, 24, 22), last: date(2025, 11, 30, 12),
    units: units)
}

private func problem(_ kind: ProblemKind, _ count: Int, _ offset: Int64) -> ImportReport.Problem {
  .init(kind: kind, severity: kind.severity, count: count, firstOffset: offset)
}
