import Foundation
import HealthModel
import PostgresClient
import Staging
import Synchronization
import TestSupport
import Testing

@testable import Loading

/// An app that writes all the time is never held up longer than the publish takes, and by nothing else at all (DESIGN
/// §7.7).
@Suite(.serialized, .enabled(if: TestDatabase.isAvailable, "\(TestDatabase.missing)"))
struct LiveWriterTests {
  private let fixture: LoadingFixture
  private let user = LoadingFixture.user

  init() throws {
    fixture = try LoadingFixture()
    try Schema.apply(fixture.database.connection)
  }

  /// 28 days of minutes.
  private func large(_ date: String, value: Double = 10) -> ChunkFolderFixture {
    var export = LoadingFixture.export(0, date: date)
    for day in 1...28 {
      export.rows += LoadingFixture.rows(
        1440, from: "2024-02-\(day < 10 ? "0" : "")\(day)T00:00:00Z", value: value)
    }
    return export
  }

  /// Loads `folder` beside a writer, and returns what it did and how long its publish and the writer's longest wait took.
  private func load(
    _ folder: ChunkFolder, beside writer: LiveWriter, pausing points: Set<String> = []
  ) throws -> (outcome: LoadOutcome, publish: Double, longestWait: Double) {
    let span = Mutex<(began: Double, ended: Double)>((0, 0))
    var options = LoadOptions()
    let stalled = Mutex<[String]>([])
    options.faults = FaultPoints { point in
      if points.contains(point), !writer.goesOn() { stalled.withLock { $0.append(point) } }
    }
    let loader = try fixture.loader(options) { event in
      switch event {
      case .began(.publish, _): span.withLock { $0.began = LiveWriter.now }
      case .ended(.publish): span.withLock { $0.ended = LiveWriter.now }
      default: break
      }
    }
    writer.start()
    let outcome = try loader.load(folder)
    loader.close()
    try writer.stop()
    #expect(stalled.withLock { $0 } == [])
    let (began, ended) = span.withLock { $0 }
    print("publish \(ended - began) s, longest wait of \(writer.count) writes \(writer.longestWait) s")
    return (outcome, ended - began, writer.longestWait)
  }

  /// Points at which chunks are being copied, keys are built or compared, and no row of the shared table is locked.
  private static let beforeWriting: Set<String> = [
    "after-lease", "in-chunk", "after-chunk-1", "after-chunks", "before-publish", "after-compare",
  ]

  @Test func aBackfillIntoASharedTableHoldsUpNobody() throws {
    // Another user's rows make it a shared table; the writer is this user's app.
    try fixture.load(LoadingFixture.export(100, user: "somebody else"))
    let writer = LiveWriter(fixture.database.settings, user: user, isColliding: false)
    let points = LiveWriterTests.beforeWriting.union(["before-insert", "in-publish"])
    let (outcome, publish, longestWait) = try load(
      try fixture.write(large("2024-06-01T00:00:00Z")), beside: writer, pausing: points)
    #expect(outcome.new == 28 * 1440)
    #expect(longestWait <= publish)
    #expect(try fixture.count("healthkit_metrics", "value = -1") == writer.count)
  }

  @Test func aReimportHoldsUpAnAppNoLongerThanItPublishes() throws {
    try fixture.load(large("2024-06-01T00:00:00Z"))
    // Every value is another one; the app writes to the very rows that are being rewritten.
    let writer = LiveWriter(fixture.database.settings, user: user, isColliding: true)
    let (outcome, publish, longestWait) = try load(
      try fixture.write(large("2024-06-02T00:00:00Z", value: 100)), beside: writer,
      pausing: LiveWriterTests.beforeWriting)
    #expect(outcome.isBalanced)
    #expect(outcome.changed > 20_000)
    #expect(longestWait <= publish)
    // What the app has written stands.
    #expect(try fixture.count("healthkit_metrics", "value = -1") == writer.count)
    #expect(try fixture.count() == 28 * 1440)
  }
}

/// Writes a row every few milliseconds, as an app does, and measures how long each takes.
private final class LiveWriter: @unchecked Sendable {
  // @unchecked: everything that changes is in `state`.
  private struct State {
    var isStopped = false
    var hasEnded = false
    var count = 0
    var longestWait = 0.0
    var error: (any Error)?
  }

  private let settings: ConnectionSettings
  private let user: String
  private let isColliding: Bool
  private let state = Mutex(State())

  init(_ settings: ConnectionSettings, user: String, isColliding: Bool) {
    self.settings = settings
    self.user = user
    self.isColliding = isColliding
  }

  static var now: Double { Double(DispatchTime.now().uptimeNanoseconds) / 1e9 }

  var count: Int { state.withLock { $0.count } }
  var longestWait: Double { state.withLock { $0.longestWait } }

  func start() {
    let thread = Thread { [self] in
      do { try run() } catch { state.withLock { $0.error = error } }
      state.withLock { $0.hasEnded = true }
    }
    thread.start()
  }

  private func run() throws {
    let connection = try PostgresConnection(settings)
    var number = 0
    while !state.withLock({ $0.isStopped }) {
      let begin = LiveWriter.now
      try write(number, connection)
      let took = LiveWriter.now - begin
      state.withLock {
        $0.count += 1
        $0.longestWait = max($0.longestWait, took)
      }
      number += 1
      Thread.sleep(forTimeInterval: 0.003)
    }
  }

  /// A new row of now, or, colliding, one of the rows of the export, each time another one.
  private func write(_ number: Int, _ connection: PostgresConnection) throws {
    let start =
      isColliding
      ? "timestamptz '2024-02-01T00:00:00Z' + interval '1 minute' * \(number * 37 % (28 * 1440))"
      : "timestamptz '2024-07-01T00:00:00Z' + interval '1 second' * \(number)"
    try connection.query(
      """
      INSERT INTO healthkit_metrics (user_id, metric_type, value, source_device, started_at)
      VALUES ($1, $2, -1, 'App', \(start))
      ON CONFLICT (user_id, metric_type, started_at) DO UPDATE SET value = excluded.value, metadata = '{"h4ai_aggregation": 1}'
      """, [user, LoadingFixture.steps])
  }

  /// Whether a few more rows go through while the caller stands still.
  func goesOn() -> Bool {
    let before = count
    let limit = LiveWriter.now + 20
    while count < before + 3, LiveWriter.now < limit { usleep(2000) }
    return count >= before + 3
  }

  func stop() throws {
    state.withLock { $0.isStopped = true }
    while !state.withLock({ $0.hasEnded }) { usleep(2000) }
    if let error = state.withLock({ $0.error }) { throw error }
  }
}
