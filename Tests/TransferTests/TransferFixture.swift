import Foundation
import HealthModel
import Loading
import PostgresClient
import Staging
import TestSupport

@testable import Transfer

/// Two fresh databases, and folders between them.
final class TransferFixture {
  static let anna = "f47ac10b-58cc-4372-a567-0e02b2c3d479"
  static let bob = "6f1c2a34-7b0e-4d8a-9c55-3f0a1b2c3d4e"
  static let steps = "HKQuantityTypeIdentifierStepCount"

  let source: TestDatabase
  let target: TestDatabase
  private let folder: String
  private var folderCount = 0

  init() throws {
    source = try TestDatabase()
    target = try TestDatabase()
    for database in [source, target] { try database.execute("SET timezone = 'UTC'") }
    folder = NSTemporaryDirectory() + "hk2pg-transfer-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func newPath() -> String {
    folderCount += 1
    return "\(folder)/\(folderCount)"
  }

  // MARK: Rows

  static func time(_ text: String) -> Instant {
    guard let instant = Instant(iso8601: text) else { preconditionFailure(text) }
    return instant
  }

  /// `count` minutes of steps from `start` on: 10, 11, … 16, 10 …
  static func rows(_ count: Int, from start: String = "2024-05-01T08:00:00Z") -> [ChunkFolderFixture.Row] {
    (0..<count).map { index in
      let begin = Instant(seconds: time(start).seconds + Int64(index) * 60)
      return .init(
        type: steps, start: begin, end: Instant(seconds: begin.seconds + 60), value: 10 + Double(index % 7))
    }
  }

  static func export(
    _ rows: [ChunkFolderFixture.Row], user: String = anna, date: String = "2024-06-01T12:00:00Z"
  ) -> ChunkFolderFixture {
    var export = ChunkFolderFixture(user: user)
    export.rows = rows
    export.exportDate = time(date)
    export.digest = "digest of \(date)"
    export.me = ["HKCharacteristicTypeIdentifierBloodType": "HKBloodTypeAPositive"]
    export.summaries = [
      DailySummary(
        metricType: steps, day: CivilDay(year: 2024, month: 5, day: 1), average: 13, minimum: 10, maximum: 16,
        sum: 13 * Double(rows.count), sampleCount: rows.count, unit: "count")
    ]
    return export
  }

  @discardableResult
  func load(_ export: ChunkFolderFixture, into database: TestDatabase) throws -> LoadOutcome {
    let loader = try Loader(database.settings, user: export.user)
    defer { loader.close() }
    return try loader.load(try export.write(at: newPath()))
  }

  /// A row of another program.
  static func insertLive(
    _ database: TestDatabase, id: String, at start: String, value: Double, source: String = "Apple Watch",
    user: String = anna, type: String = steps, metadata: String? = nil
  ) throws {
    try database.query(
      """
      INSERT INTO healthkit_metrics (id, user_id, metric_type, value, unit, source_device, started_at, ended_at,
        metadata, synced_at)
      SELECT $1::uuid, (json_populate_record(NULL::healthkit_metrics, json_build_object('user_id', $2::text))).user_id,
        $3, $4::float8, 'count', $5, $6::timestamptz, NULL, $7::jsonb, '2024-05-20T01:02:03.456789Z'
      """, [id, user, type, "\(value)", source, start, metadata])
  }

  // MARK: Moving

  /// Everything of a user of the source into a folder.
  func archive(
    user: String = anna, as newUser: String? = nil, from database: TestDatabase? = nil,
    limits: ChunkWriter.Limits = .init()
  ) throws -> ChunkFolder {
    let reader = try SourceDatabase((database ?? source).settings, isInterrupted: { false })
    defer { reader.close() }
    return try reader.snapshot {
      try ArchiveWriter($0, user: user, newUser: newUser ?? user, limits: limits).write(
        into: try ChunkFolder.create(at: newPath()), name: "test", version: "0")
    }
  }

  func receive(_ archive: ChunkFolder, into database: TestDatabase? = nil) throws -> ArchiveOutcome {
    let loader = try Loader((database ?? target).settings, user: archive.manifest.user)
    defer { loader.close() }
    return try loader.receive(archive)
  }

  /// All of a user of the source into the target.
  @discardableResult
  func copy(user: String = anna, as newUser: String? = nil) throws -> ArchiveOutcome {
    try receive(try archive(user: user, as: newUser))
  }

  func verify(
    user: String = anna, as newUser: String? = nil, _ kind: VerifyRules.Kind = .exact
  ) throws -> VerifyOutcome {
    let (left, right) = (
      try SourceDatabase(source.settings, isInterrupted: { false }),
      try SourceDatabase(target.settings, isInterrupted: { false })
    )
    return try left.snapshot { a in
      try right.snapshot { b in
        let (left, right) = (ComparedSide(a, user: user), ComparedSide(b, user: newUser ?? user))
        let rules = try kind == .contained ? .migration(from: left, to: right, b) : VerifyRules(kind)
        return try Verification(left, right, rules: rules).run()
      }
    }
  }

  // MARK: What is there

  static let columns =
    "id, user_id, metric_type, value, unit, source_device, started_at, ended_at, metadata, synced_at"

  static func rows(_ database: TestDatabase, _ condition: String = "true") throws -> [String] {
    try database.lines(
      "SELECT \(columns) FROM healthkit_metrics WHERE \(condition) ORDER BY metric_type, started_at, id")
  }
}
