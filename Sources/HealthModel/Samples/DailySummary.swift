/// One row of `healthkit_daily_summaries`: one metric type on one local day (DESIGN §4); what the fold gives, chunks carry
/// and the table holds.
package struct DailySummary: Equatable, Sendable {
  package var metricType: String
  package var day: CivilDay
  /// In `unit`, as the columns of the table; NULL where the type has none.
  package var average: Double?
  package var minimum: Double?
  package var maximum: Double?
  package var sum: Double?
  /// Samples that start on the day (sleep: of the chosen source); 0 where the day only receives a spill-over.
  package var sampleCount: Int
  package var unit: String

  package init(
    metricType: String, day: CivilDay, average: Double?, minimum: Double?, maximum: Double?, sum: Double?,
    sampleCount: Int, unit: String
  ) {
    self.metricType = metricType
    self.day = day
    self.average = average
    self.minimum = minimum
    self.maximum = maximum
    self.sum = sum
    self.sampleCount = sampleCount
    self.unit = unit
  }
}
