package import HealthModel

/// One metric on one local day, from one tier.
package struct DailyPoint: Equatable, Sendable {
  package enum Tier: String, Sendable, CaseIterable {
    /// The stored daily summary.
    case summary
    /// Summed up from raw rows just now, by the fold that makes the summaries.
    case raw
  }

  package var summary: DailySummary
  package var tier: Tier

  package init(_ summary: DailySummary, _ tier: Tier) {
    self.summary = summary
    self.tier = tier
  }

  package var day: CivilDay { summary.day }
  package var unit: String { summary.unit }
  package var sampleCount: Int { summary.sampleCount }

  /// The day's figure. nil: another program's summary lacks it, or the day has only a spill-over.
  package func value(_ measure: Metric.Measure) -> Double? {
    switch measure {
    case .total: summary.sum
    case .average, .level: summary.average
    }
  }
}
