import HealthModel
import PostgresClient

/// One row of `healthkit_metrics` in COPY form, straight from a resolved sample. The fields that all rows of a type
/// share are encoded once.
struct MetricsRow {
  let metricType: [UInt8]
  let userID: [UInt8]
  /// `user_id` and `metric_type`.
  private let shared: [UInt8]

  init(metricType: [UInt8], userID: [UInt8]) {
    self.metricType = metricType
    self.userID = userID
    var encoder = CopyEncoder()
    encoder.append(text: userID)
    encoder.append(text: metricType)
    shared = encoder.bytes
  }

  /// Columns in the order of `ChunkTable.metrics.columns`.
  func encode(
    _ row: ResolvedSample, payload: Span<UInt8>, symbols: [[UInt8]], into encoder: inout CopyEncoder
  ) {
    let flags = row.record.flags.rawValue
    encoder.beginRow(fieldCount: 9)
    encoder.append(uuid: row.id)
    encoder.appendEncoded(shared.span)
    if flags & SampleRecord.Flags.hasValue.rawValue != 0 {
      encoder.append(float8: row.record.value)
    } else {
      encoder.appendNull()
    }
    encoder.append(text: symbols[Int(row.unit.index)])
    encoder.append(text: symbols[Int(row.record.source.index)])
    encoder.append(timestamptz: row.startedAt)
    if flags & SampleRecord.Flags.hasEnd.rawValue != 0 {
      encoder.append(timestamptz: row.endedAt)
    } else {
      encoder.appendNull()
    }
    if row.record.payloadLength > 0 {
      let start = Int(row.record.payloadOffset)
      encoder.append(jsonb: payload.extracting(start..<start + Int(row.record.payloadLength)))
    } else {
      encoder.appendNull()
    }
  }
}
