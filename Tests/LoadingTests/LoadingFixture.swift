import Foundation
import HealthModel
import PostgresClient
import Staging
import TestSupport

@testable import Loading

/// A fresh database and folders of chunks to load into it.
final class LoadingFixture {
  static let user = "f47ac10b-58cc-4372-a567-0e02b2c3d479"
  static let steps = "HKQuantityTypeIdentifierStepCount"
  static let heartRate = "HKQuantityTypeIdentifierHeartRate"

  let database: TestDatabase
  private let folder: String
  private var folderCount = 0

  convenience init() throws { try self.init(TestDatabase()) }

  convenience init(on server: ConnectionSettings) throws { try self.init(TestDatabase(on: server)) }

  private init(_ database: TestDatabase) throws {
    self.database = database
    folder = NSTemporaryDirectory() + "hk2pg-loading-\(UUID().uuidString)"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: folder) }

  func write(_ export: ChunkFolderFixture) throws -> ChunkFolder {
    folderCount += 1
    return try export.write(at: "\(folder)/\(folderCount)")
  }

  func loader(
    user: String = LoadingFixture.user, settings: ConnectionSettings? = nil, _ options: LoadOptions = LoadOptions(),
    onEvent: @escaping @Sendable (LoadEvent) -> Void = { _ in }
  ) throws -> Loader {
    try Loader(settings ?? database.settings, user: user, options: options, onEvent: onEvent)
  }

  @discardableResult
  func load(
    _ export: ChunkFolderFixture, settings: ConnectionSettings? = nil, _ options: LoadOptions = LoadOptions()
  ) throws -> LoadOutcome {
    let loader = try loader(user: export.user, settings: settings, options)
    defer { loader.close() }
    return try loader.load(try write(export))
  }

  // MARK: Exports

  static func time(_ text: String) -> Instant {
    guard let instant = Instant(iso8601: text) else { preconditionFailure(text) }
    return instant
  }

  /// An export with one row of a minute for each of `count` minutes from `start` on.
  static func export(
    _ count: Int, from start: String = "2024-05-01T08:00:00Z", source: String = "Apple Watch", type: String = steps,
    user: String = user, date: String = "2024-06-01T12:00:00Z", value: Double = 10
  ) -> ChunkFolderFixture {
    var export = ChunkFolderFixture(user: user)
    export.exportDate = Instant(iso8601: date)
    export.digest = "\(count)\(start)\(source)\(date)"
    export.rows = rows(count, from: start, source: source, type: type, value: value)
    return export
  }

  static func rows(
    _ count: Int, from start: String, source: String = "Apple Watch", type: String = steps, value: Double = 10
  ) -> [ChunkFolderFixture.Row] {
    let first = time(start)
    return (0..<count).map { index in
      let begin = Instant(seconds: first.seconds + Int64(index) * 60)
      return .init(
        type: type, source: source, start: begin, end: Instant(seconds: begin.seconds + 60),
        value: value + Double(index % 7))
    }
  }

  // MARK: What is there

  static let columns = "id, user_id, metric_type, value, unit, source_device, started_at, ended_at, metadata"

  /// Everything but synced_at.
  func rows() throws -> [String] {
    try database.execute("SET timezone = 'UTC'")
    return try database.lines(
      "SELECT \(LoadingFixture.columns) FROM healthkit_metrics ORDER BY user_id, metric_type, started_at, id")
  }

  func summaries() throws -> [String] {
    try database.lines(
      """
      SELECT id, user_id, metric_type, summary_date, avg_value, min_value, max_value, sum_value, sample_count, unit
      FROM healthkit_daily_summaries ORDER BY user_id, metric_type, summary_date
      """)
  }

  /// Row versions: equal before and after means that nothing was written.
  func versions() throws -> [String] {
    try database.lines("SELECT xmin, ctid, id FROM healthkit_metrics ORDER BY id")
      + database.lines("SELECT xmin, ctid, id FROM healthkit_daily_summaries ORDER BY id")
  }

  func count(_ table: String = "healthkit_metrics", _ condition: String = "true") throws -> Int {
    Int(try database.value("SELECT count(*) FROM \(table) WHERE \(condition)") ?? "") ?? -1
  }

  /// Working tables that are left.
  func leftovers() throws -> [String] {
    try database.lines("SELECT relname FROM pg_class WHERE relname LIKE 'incoming%' ORDER BY 1")
  }
}
