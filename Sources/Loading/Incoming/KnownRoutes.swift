import PostgresClient
import Staging

/// Route files whose points the table has all: a re-import copies none of them.
///
/// Points are stored once per content of their file, so as many points of one digest are the same points. They are
/// counted in the table, since a note of what was loaded could lie after a restore.
enum KnownRoutes {
  private static let fileDigest = 1

  /// Digests of the folder's files that need not be copied.
  static func read(_ folder: ChunkFolder, _ connection: PostgresConnection) throws -> Set<[UInt8]> {
    let chunks = folder.chunks(of: .routePoints)
    if chunks.isEmpty { return [] }
    let present = try connection.query(
      "SELECT file_digest, count(*) AS point_count FROM hk2pg.route_points WHERE user_id = $1 GROUP BY 1",
      [folder.manifest.user])
    if present.rows.isEmpty { return [] }
    let staged = try stagedCounts(folder, chunks)
    var result: Set<[UInt8]> = []
    for row in present.rows {
      let digest = Array(try row.text("file_digest").utf8)
      if try staged[digest] == row.int("point_count") { result.insert(digest) }
    }
    return result
  }

  private static func stagedCounts(_ folder: ChunkFolder, _ chunks: [Manifest.Chunk]) throws -> [[UInt8]: Int] {
    var counts: [[UInt8]: Int] = [:]
    var piece: [UInt8] = []
    for chunk in chunks {
      var decoder = CopyDecoder(fieldCount: ChunkTable.routePoints.columns.count)
      var reader = try folder.reader(of: chunk)
      while try reader.read(into: &piece) > 0 {
        decoder.append(piece.span)
        while try decoder.nextRow() {
          counts[try digest(of: decoder), default: 0] += 1
        }
      }
      try decoder.finish()
    }
    return counts
  }

  /// Of the file that the decoder's current point is from.
  private static func digest(of decoder: borrowing CopyDecoder) throws -> [UInt8] {
    Array(decoder.bytes[try decoder.required(decoder.range(of: fileDigest), fileDigest)])
  }

  /// Passes on points of other files.
  struct Filter: RowFilter {
    private let known: Set<[UInt8]>
    private var decoder = CopyDecoder(fieldCount: ChunkTable.routePoints.columns.count)
    private(set) var rowCount = 0

    init(known: Set<[UInt8]>) { self.known = known }

    mutating func filter(_ piece: Span<UInt8>, into output: inout CopyEncoder) throws {
      decoder.append(piece)
      while try decoder.nextRow() {
        if known.contains(try digest(of: decoder)) { continue }
        output.appendEncoded(decoder.bytes.span.extracting(decoder.encodedRow))
        rowCount += 1
      }
    }

    func finish() throws { try decoder.finish() }
  }
}
