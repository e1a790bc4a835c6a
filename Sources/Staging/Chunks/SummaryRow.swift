package import HealthModel
import PostgresClient

/// One row of `healthkit_daily_summaries`, as it goes into a chunk.
package struct SummaryRow: Sendable, Equatable {
  package var metricType: String
  package var day: CivilDay
  package var average: Double?
  package var minimum: Double?
  package var maximum: Double?
  package var sum: Double?
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

extension ChunkWriter {
  /// Adds a summary of `userID` to a writer of `ChunkTable.dailySummaries`; its id is derived.
  package mutating func append(_ summary: SummaryRow, userID: String, user: UserKey) throws(StagingError) {
    try appendRow { row in
      row.append(uuid: RowID(summaryOf: Array(summary.metricType.utf8), day: summary.day, user: user))
      row.append(text: userID)
      row.append(text: summary.metricType)
      row.append(date: summary.day)
      for number in [summary.average, summary.minimum, summary.maximum, summary.sum] {
        if let number { row.append(float8: number) } else { row.appendNull() }
      }
      row.append(int4: Int32(clamping: summary.sampleCount))
      row.append(text: summary.unit)
    }
  }
}
