import Foundation
import HealthModel
import Testing

@testable import SyntheticExport

/// The truth file against the records: recomputed from the XML alone, by the rules of DESIGN §4.
@Suite struct ExportTruthTests {
  struct Piece {
    var start: Int
    var end: Int
    var source: String
    var value: Double
    /// Watch, iPhone, others.
    var rank: Int { source.contains("Watch") ? 0 : source.contains("iPhone") ? 1 : 2 }
  }

  /// An export and what it says of itself.
  struct Case {
    let elements: [StrictScanner.Element]
    let truth: [String: Any]
    let zone: LocalZone

    init(_ request: ExportRequest) throws {
      let export = try SyntheticExport(request)
      elements = try StrictScanner.elements(of: export.xmlBytes())
      truth = try #require(
        JSONSerialization.jsonObject(with: Data(export.truthText().utf8)) as? [String: Any])
      zone = try #require(LocalZone.all.first { $0.name == request.zoneName })
    }

    var days: [[String: Any]] { truth["days"] as? [[String: Any]] ?? [] }
    var counts: [String: Int] { truth["elements"] as? [String: Int] ?? [:] }

    /// Records of a type at the top level; exact repeats once.
    func pieces(_ type: String, value: (String) -> Double? = { Double($0) }) throws -> [Piece] {
      var seen: Set<String> = []
      var pieces: [Piece] = []
      for element in elements where element.name == "Record" && element.depth == 1 && element["type"] == type {
        let identity = ["sourceName", "startDate", "endDate", "value"].map { element[$0] ?? "" }.joined(separator: "|")
        guard seen.insert(identity).inserted, let number = value(element["value"] ?? "") else { continue }
        pieces.append(
          Piece(
            start: try instant(element["startDate"] ?? ""), end: try instant(element["endDate"] ?? ""),
            source: element["sourceName"] ?? "", value: number))
      }
      return pieces
    }

    func day(of instant: Int) -> String {
      let local = instant + zone.offset(at: instant)
      return CivilDay(daysSince1970: Int32(local.flooredQuotient(86_400))).description
    }

    /// Sums per day; of each sample the part of its time that no better source covers.
    func merged(_ type: String) throws -> [String: Double] {
      var sums: [String: Double] = [:]
      var covered: [Range<Int>] = []
      for (_, group) in Dictionary(grouping: try pieces(type), by: \.rank).sorted(by: { $0.key < $1.key }) {
        for piece in group {
          let hidden = covered.reduce(0) { $0 + $1.clamped(to: piece.start..<piece.end).count }
          let share = piece.end == piece.start ? 1 : 1 - Double(hidden) / Double(piece.end - piece.start)
          sums[day(of: piece.start), default: 0] += piece.value * share
        }
        covered = union(covered + group.map { $0.start..<$0.end })
      }
      return sums
    }

    private func union(_ ranges: [Range<Int>]) -> [Range<Int>] {
      var result: [Range<Int>] = []
      for range in ranges.sorted(by: { $0.lowerBound < $1.lowerBound }) where !range.isEmpty {
        if let last = result.last, range.lowerBound <= last.upperBound {
          result[result.count - 1] = last.lowerBound..<max(last.upperBound, range.upperBound)
        } else {
          result.append(range)
        }
      }
      return result
    }
  }

  static let requests: [ExportRequest] = {
    var small = ExportRequest(byteCount: 300_000, seed: 21)
    small.extraRecordCount = 40
    var overDST = ExportRequest(byteCount: 1_500_000, seed: 22)
    overDST.zoneName = "America/New_York"
    overDST.firstDay = CivilDay(year: 2025, month: 10, day: 27)
    overDST.lastDay = CivilDay(year: 2025, month: 11, day: 8)
    return [small, ExportRequest(byteCount: 1_000_000, seed: 20), overDST]
  }()

  @Test(arguments: requests.indices)
  func mergedSourcesGiveTheTruth(index: Int) throws {
    let export = try Case(Self.requests[index])
    let types = [
      ("StepCount", "steps", 0.01), ("DistanceWalkingRunning", "distance_walking_running_km", 0.01),
      ("DistanceCycling", "distance_cycling_km", 1e-9), ("DistanceSwimming", "distance_swimming_m", 1e-9),
      ("FlightsClimbed", "flights_climbed", 1e-9), ("AppleExerciseTime", "exercise_min", 1e-9),
      ("DietaryEnergyConsumed", "dietary_energy_kcal", 1e-9), ("ActiveEnergyBurned", "active_energy_kcal", 1e-9),
      ("BasalEnergyBurned", "basal_energy_kcal", 1e-9),
    ]
    for (type, field, tolerance) in types {
      let sums = try export.merged("HKQuantityTypeIdentifier" + type)
      for day in export.days {
        guard let name = day["day"] as? String, let expected = (day[field] as? NSNumber)?.doubleValue else { continue }
        let sum = sums[name] ?? 0
        #expect(abs(sum - expected) <= tolerance * max(expected, 1e-9), "\(type) on \(name): \(sum), true \(expected)")
      }
    }
    let steps = try export.pieces("HKQuantityTypeIdentifierStepCount").reduce(0) { $0 + $1.value }
    let trueSteps = export.days.reduce(0.0) { $0 + (($1["steps"] as? NSNumber)?.doubleValue ?? 0) }
    #expect(steps > trueSteps * 1.15, "two devices must have seen the same walks")
  }

  @Test(arguments: requests.indices)
  func activitySummariesAgree(index: Int) throws {
    let export = try Case(Self.requests[index])
    var last: [String: StrictScanner.Element] = [:]
    for element in export.elements where element.name == "ActivitySummary" {
      last[element["dateComponents"] ?? ""] = element
    }
    let stood = try export.pieces("HKCategoryTypeIdentifierAppleStandHour") { $0.hasSuffix("Stood") ? 1 : nil }
    for day in export.days {
      guard let energy = day["active_energy_kcal"] as? NSNumber, let name = day["day"] as? String else { continue }
      let summary = try #require(last[name])
      #expect(Double(summary["activeEnergyBurned"] ?? "") == energy.doubleValue)
      #expect(summary["appleExerciseTime"] == (day["exercise_min"] as? NSNumber)?.stringValue)
      #expect(summary["appleStandHours"] == (day["stand_hours"] as? NSNumber)?.stringValue)
      #expect(stood.filter { export.day(of: $0.start) == name }.count == (day["stand_hours"] as? NSNumber)?.intValue)
    }
  }

  /// Sessions with gaps up to an hour, credited to the day they end; stages from the one source that has them.
  @Test(arguments: requests.indices)
  func sleepIsAsTrue(index: Int) throws {
    let export = try Case(Self.requests[index])
    let prefix = "HKCategoryValueSleepAnalysis"
    let names = ["InBed", "AsleepUnspecified", "Awake", "AsleepCore", "AsleepDeep", "AsleepREM"]
    let rows = try export.pieces("HKCategoryTypeIdentifierSleepAnalysis") { value in
      names.firstIndex { prefix + $0 == value }.map(Double.init)
    }.sorted { $0.start < $1.start }
    var sessions: [[Piece]] = []
    for row in rows {
      let end = sessions.last?.map(\.end).max() ?? .min
      if end != .min, row.start - end <= 3600 {
        sessions[sessions.count - 1].append(row)
      } else {
        sessions.append([row])
      }
    }
    var minutes: [String: [Double]] = [:]
    for session in sessions {
      let day = export.day(of: session.map(\.end).max() ?? 0)
      let staged = session.first { $0.value >= 3 } ?? session.first { $0.value == 1 }
      let bed = session.filter { $0.value == 0 }.min { $0.rank < $1.rank }
      for row in session where row.source == (row.value == 0 ? bed : staged)?.source {
        minutes[day, default: Array(repeating: 0, count: 6)][Int(row.value)] += Double(row.end - row.start) / 60
      }
    }
    let fields = [
      "in_bed_min", "asleep_unspecified_min", "awake_min", "asleep_core_min", "asleep_deep_min", "asleep_rem_min",
    ]
    for day in export.days where day["asleep_min"] != nil {
      let found = minutes[day["day"] as? String ?? ""] ?? Array(repeating: 0, count: 6)
      #expect(found == fields.map { (day[$0] as? NSNumber)?.doubleValue ?? -1 }, "\(day["day"] ?? "")")
    }
  }

  @Test(arguments: requests.indices)
  func countsAreThoseOfTheFile(index: Int) throws {
    let export = try Case(Self.requests[index])
    func count(_ name: String, depth: Int? = nil) -> Int {
      export.elements.count { $0.name == name && (depth == nil || $0.depth == depth) }
    }
    var found: [String: Int] = [:]
    for element in export.elements where element.name == "Record" && element.depth == 1 {
      found[element["type"] ?? "", default: 0] += 1
    }
    #expect(found == export.truth["types"] as? [String: Int])
    let counts = export.counts
    #expect(counts["records"] == count("Record", depth: 1))
    #expect(counts["nested_records"] == count("Record", depth: 2))
    #expect(counts["correlations"] == count("Correlation"))
    #expect(counts["workouts"] == count("Workout"))
    #expect(counts["workout_routes"] == count("WorkoutRoute"))
    #expect(counts["activity_summaries"] == count("ActivitySummary"))
    #expect(counts["clinical_records"] == count("ClinicalRecord"))
    #expect(counts["audiograms"] == count("Audiogram"))
    #expect(counts["vision_prescriptions"] == count("VisionPrescription"))
    #expect(counts["beats"] == count("InstantaneousBeatsPerMinute"))
    #expect(counts["extra_records"] == Self.requests[index].extraRecordCount)
  }

  /// Every record inside a Correlation or Workout stands at the top level too; repeats are as many as said.
  @Test(arguments: requests.indices)
  func nestedRecordsAreCopies(index: Int) throws {
    let export = try Case(Self.requests[index])
    func identity(_ element: StrictScanner.Element) -> String {
      ["type", "sourceName", "startDate", "endDate", "unit", "value"].map { element[$0] ?? "" }.joined(separator: "|")
    }
    let records = export.elements.filter { $0.name == "Record" }
    let top = records.filter { $0.depth == 1 }.map(identity)
    let distinct = Set(top)
    #expect(records.filter { $0.depth == 2 }.allSatisfy { distinct.contains(identity($0)) })
    #expect(top.count - distinct.count == export.counts["repeated_records"])
  }
}
