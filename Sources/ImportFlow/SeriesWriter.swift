import HealthModel
import PostgresClient
import Staging

/// Writes the long series that do not belong into a row's metadata: points of routes, voltages of electrocardiograms.
struct SeriesWriter: ~Copyable {
  private var writer: ChunkWriter
  private let user: [UInt8]

  /// One writer per table and run: chunks are numbered from 1.
  init(folder: UnfinishedChunkFolder, table: ChunkTable, user: String) throws {
    writer = try ChunkWriter(folder: folder, table: table, prefix: table.filePrefix(ordinal: 1))
    self.user = Array(user.utf8)
  }

  consuming func finish() throws -> [Manifest.Chunk] { try writer.finish() }

  /// The points of one file recorded at `start` or later; `ordinal` counts all of them.
  mutating func append(_ points: [RoutePoint], digest: String, from start: Instant) throws {
    let digest = Array(digest.utf8)
    for (ordinal, point) in points.enumerated() {
      guard let recordedAt = point.recordedAt, recordedAt >= start else { continue }
      try writer.appendRow { row in
        row.append(text: user)
        row.append(text: digest)
        row.append(int4: Int32(ordinal))
        row.append(timestamptz: recordedAt)
        row.append(float8: point.longitude)
        row.append(float8: point.latitude)
        for number in [
          point.elevation, point.speed, point.course, point.horizontalAccuracy, point.verticalAccuracy,
        ] {
          row.append(optional: number)
        }
      }
    }
  }

  /// One recording, whose row has `id`.
  mutating func append(_ recording: ECGRecording, id: RowID) throws {
    try writer.appendRow { row in
      row.append(text: user)
      row.append(uuid: id)
      row.append(timestamptz: recording.recordedAt)
      row.append(optional: recording.sampleRateHz)
      row.append(optional: recording.lead)
      row.append(optional: recording.unit)
      row.append(float4Array: recording.voltages)
    }
  }
}

extension CopyEncoder {
  fileprivate mutating func append(optional number: Double?) {
    if let number { append(float8: number) } else { appendNull() }
  }

  fileprivate mutating func append(optional text: String?) {
    // A text of PostgreSQL has no NUL.
    if let text { append(text: text.replacing("\0", with: "\u{FFFD}")) } else { appendNull() }
  }
}
