package import HealthModel
import PostgresClient

extension ChunkWriter {
  /// Adds a summary of `userID` to a writer of `ChunkTable.dailySummaries`; its id is derived.
  package mutating func append(_ summary: DailySummary, userID: String, user: UserKey) throws(StagingError) {
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
