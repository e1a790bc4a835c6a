package import HealthModel

/// Compares our days with the ActivitySummary rows of the same export (DESIGN §4.5): what the Health app itself had
/// summed for active energy, exercise minutes and stand hours.
///
/// A date counts if the ActivitySummary has the value and either side is not zero: before the Watch was bought, dates
/// of zeros on both sides would only flatter the share.
package struct TruthCheck: Sendable {
  /// What is compared, in this order.
  package static let metricTypes = [
    "HKQuantityTypeIdentifierActiveEnergyBurned", "HKQuantityTypeIdentifierAppleExerciseTime",
    SummaryKind.standHourType,
  ]

  /// One date's ActivitySummary. nil: it does not say.
  package struct Witness: Equatable, Sendable {
    package var day: CivilDay
    /// kcal
    package var activeEnergy: Double?
    package var exerciseMinutes: Double?
    package var standHours: Double?

    /// - Parameters:
    ///   - day: dateComponents of the summary: in a `SampleRecord` `start.utcDay`.
    ///   - activeEnergy: the row's value, in kcal.
    ///   - metadata: its attributes as a JSON object, with numbers or strings.
    package init(day: CivilDay, activeEnergy: Double?, metadata: Span<UInt8>) {
      self.day = day
      self.activeEnergy = activeEnergy
      var exercise: Double?
      var stand: Double?
      TopLevelJSON.forEachMember(of: metadata) { key, value in
        if TopLevelJSON.equals(metadata, key, "appleExerciseTime") {
          exercise = TopLevelJSON.number(metadata, value)
        } else if TopLevelJSON.equals(metadata, key, "appleStandHours") {
          stand = TopLevelJSON.number(metadata, value)
        }
      }
      exerciseMinutes = exercise
      standHours = stand
    }

    fileprivate func value(of metricType: String) -> Double? {
      switch metricType {
      case TruthCheck.metricTypes[0]: activeEnergy
      case TruthCheck.metricTypes[1]: exerciseMinutes
      default: standHours
      }
    }
  }

  /// One date with both numbers, in the type's unit.
  package struct Day: Codable, Equatable, Sendable {
    package var day: String
    package var ours: Double
    package var activitySummary: Double

    package init(day: String, ours: Double, activitySummary: Double) {
      self.day = day
      self.ours = ours
      self.activitySummary = activitySummary
    }
  }

  package struct Comparison: Codable, Equatable, Sendable {
    package var metricType: String
    package var unit: String
    package var daysCompared: Int
    package var daysWithinOnePercent: Int
    /// The ten days that differ most, relative to the larger number.
    package var worst: [Day]

    /// 0...1; nil when nothing was compared.
    package var share: Double? { daysCompared == 0 ? nil : Double(daysWithinOnePercent) / Double(daysCompared) }
  }

  private var witnesses: [CivilDay: Witness] = [:]
  private var sums: [String: [CivilDay: Double]] = [:]

  package init() {}

  /// The last one of a date wins, as its row does.
  package mutating func add(_ witness: Witness) { witnesses[witness.day] = witness }

  /// Summaries of all types may be given; those compared are taken.
  package mutating func add(_ summaries: [DailySummary]) {
    for summary in summaries where TruthCheck.metricTypes.contains(summary.metricType) {
      sums[summary.metricType, default: [:]][summary.day] = summary.sum
    }
  }

  package func comparisons() -> [Comparison] { TruthCheck.metricTypes.map(comparison) }

  private func comparison(_ metricType: String) -> Comparison {
    var compared: [(day: CivilDay, ours: Double, theirs: Double)] = []
    for (day, witness) in witnesses {
      guard let theirs = witness.value(of: metricType) else { continue }
      let ours = sums[metricType]?[day] ?? 0
      if ours != 0 || theirs != 0 { compared.append((day, ours, theirs)) }
    }
    func isWithin(_ ours: Double, _ theirs: Double) -> Bool { abs(ours - theirs) <= 0.01 * abs(theirs) }
    func difference(_ ours: Double, _ theirs: Double) -> Double {
      abs(ours - theirs) / max(abs(ours), abs(theirs))
    }
    let off = compared.filter { $0.ours != $0.theirs }.sorted { a, b in
      let (x, y) = (difference(a.ours, a.theirs), difference(b.ours, b.theirs))
      return x != y ? x > y : a.day < b.day
    }
    return Comparison(
      metricType: metricType,
      unit: metricType == SummaryKind.standHourType ? "count" : Catalogue.canonicalUnit(ofType: metricType) ?? "",
      daysCompared: compared.count,
      daysWithinOnePercent: compared.count { isWithin($0.ours, $0.theirs) },
      worst: off.prefix(10).map { Day(day: $0.day.description, ours: $0.ours, activitySummary: $0.theirs) })
  }
}
