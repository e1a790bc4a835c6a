import HealthModel
import PostgresClient
import Staging
import Synchronization
import TestSupport
import Testing

@testable import Loading

/// A load that dies at any named point and is run again ends as if nothing had happened.
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.missing)"))
struct ResumeTests {
  private static let points = [
    "after-lease", "in-chunk", "after-chunk-1", "after-chunk-3", "after-chunks", "after-index-1", "after-index-4",
    "before-publish", "in-publish", "after-publish",
  ]

  /// A folder of several chunks: three types, small chunks.
  private static func export(_ days: Int, _ date: String) -> ChunkFolderFixture {
    var export = LoadingFixture.export(0, date: date)
    for type in ["HKQuantityTypeIdentifierActiveEnergyBurned", LoadingFixture.heartRate, LoadingFixture.steps] {
      for day in 1...days {
        export.rows += LoadingFixture.rows(60, from: "2024-05-\(day < 10 ? "0" : "")\(day)T08:00:00Z", type: type)
      }
    }
    export.summaries = [
      DailySummary(
        metricType: LoadingFixture.steps, day: CivilDay(year: 2024, month: 5, day: 1), average: 12, minimum: 10,
        maximum: 16, sum: Double(days), sampleCount: 60 * days, unit: "count")
    ]
    return export
  }

  private static func dying(at point: String) -> LoadOptions {
    var options = LoadOptions()
    options.faults = FaultPoints { if $0 == point { throw LoadError.fault(point) } }
    return options
  }

  /// Dies at `point` if it is reached, and loads again.
  private static func loadTwice(_ fixture: LoadingFixture, _ export: ChunkFolderFixture, _ point: String) throws {
    let folder = try fixture.write(export)
    let first = try fixture.loader(dying(at: point))
    do {
      _ = try first.load(folder)
    } catch LoadError.fault {
      // As planned.
    }
    first.close()
    let second = try fixture.loader()
    _ = try second.load(folder)
    second.close()
  }

  @Test(arguments: points) func aNewTable(_ point: String) throws {
    let fixture = try LoadingFixture()
    let export = ResumeTests.export(5, "2024-06-01T12:00:00Z")
    try ResumeTests.loadTwice(fixture, export, point)
    let clean = try LoadingFixture()
    try clean.load(export)
    #expect(try fixture.rows() == clean.rows())
    #expect(try fixture.summaries() == clean.summaries())
    #expect(try fixture.leftovers().isEmpty)
    #expect(try fixture.count("hk2pg.leases") == 0)
    #expect(try fixture.count("hk2pg.imports", "state = 'loading'") == 0)
  }

  @Test(arguments: points) func aDelta(_ point: String) throws {
    let fixture = try LoadingFixture()
    try fixture.load(ResumeTests.export(5, "2024-06-01T12:00:00Z"))
    var export = ResumeTests.export(8, "2024-06-02T12:00:00Z")
    export.rows[7].value = 1000
    export.rows.remove(at: 3)
    try ResumeTests.loadTwice(fixture, export, point)
    let clean = try LoadingFixture()
    try clean.load(export)
    #expect(try fixture.rows() == clean.rows())
    #expect(try fixture.summaries() == clean.summaries())
    #expect(try fixture.leftovers().isEmpty)
    #expect(try fixture.count("hk2pg.imports", "state = 'loading'") == 0)
  }

  @Test(arguments: ["in-chunk", "after-chunk-2", "after-chunks"])
  func sessionsThatCopySideBySide(_ point: String) throws {
    let fixture = try LoadingFixture()
    let export = ResumeTests.export(5, "2024-06-01T12:00:00Z")
    let folder = try fixture.write(export)
    for faults in [point, nil] {
      var options = faults.map(ResumeTests.dying) ?? LoadOptions()
      options.jobs = 3
      options.rowsPerCopySession = 100
      let loader = try fixture.loader(options)
      defer { loader.close() }
      if faults == nil {
        #expect(try loader.load(folder).new == 900)
      } else {
        #expect(throws: LoadError.fault(point)) { try loader.load(folder) }
      }
    }
    let clean = try LoadingFixture()
    try clean.load(export)
    #expect(try fixture.rows() == clean.rows())
    #expect(try fixture.summaries() == clean.summaries())
    #expect(try fixture.leftovers().isEmpty)
  }

  /// A network that drops the session: the server ends it, and the next call fails.
  @Test(arguments: ["in-chunk", "after-chunk-2", "before-publish", "before-insert", "in-publish", "after-publish"])
  func aLostConnection(_ point: String) throws {
    let fixture = try LoadingFixture()
    let exports = [ResumeTests.export(5, "2024-06-01T12:00:00Z"), ResumeTests.export(8, "2024-06-02T12:00:00Z")]
    var lost = 0
    for export in exports {
      let folder = try fixture.write(export)
      let settings = fixture.database.settings
      let count = Mutex(0)
      var options = LoadOptions()
      options.faults = FaultPoints { reached in
        guard reached == point else { return }
        count.withLock { $0 += 1 }
        try PostgresConnection(settings).execute(
          """
          SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity
          WHERE datname = current_database() AND pid <> pg_backend_pid()
          """)
      }
      let first = try fixture.loader(options)
      do {
        _ = try first.load(folder)
        #expect(count.withLock { $0 } == 0, "\(point): the load did not notice")
      } catch let error as PostgresError {
        #expect(error.isConnectionLost, "\(error)")
      }
      first.close()
      lost += count.withLock { $0 }
      let second = try fixture.loader()
      _ = try second.load(folder)
      second.close()
    }
    #expect(lost > 0, "no load passes \(point)")
    let clean = try LoadingFixture()
    try clean.load(exports[1])
    let rows = "SELECT \(LoadingFixture.columns) FROM healthkit_metrics ORDER BY metric_type, started_at"
    let found = try fixture.database.connect().query(rows)
    #expect(found.rows.count == 8 * 60 * 3)
    #expect(try text(found) == text(clean.database.query(rows)))
  }

  private func text(_ result: QueryResult) throws -> [String] {
    try result.rows.map { row in
      try result.columnNames.indices.map { try row.optionalText(.index($0)) ?? "" }.joined(separator: "|")
    }
  }

  @Test func whatWasCopiedIsNotCopiedAgain() throws {
    let fixture = try LoadingFixture()
    let export = ResumeTests.export(5, "2024-06-01T12:00:00Z")
    let folder = try fixture.write(export)
    let first = try fixture.loader(ResumeTests.dying(at: "after-chunk-2"))
    #expect(throws: LoadError.fault("after-chunk-2")) { try first.load(folder) }
    first.close()
    #expect(try Ledger(fixture.database.connection).imports().first?.state == .broken)
    let resumed = Mutex<[Int64]>([])
    let second = try fixture.loader { event in
      if case .resumed(let rows) = event { resumed.withLock { $0.append(rows) } }
    }
    let outcome = try second.load(folder)
    second.close()
    #expect(resumed.withLock { $0 } == [600])
    #expect(outcome.new == 900)
    #expect(try fixture.count("hk2pg.imports") == 1)
  }

  @Test func anotherExportStartsAnewAndDropsWhatWasLeft() throws {
    let fixture = try LoadingFixture()
    let first = try fixture.loader(ResumeTests.dying(at: "after-chunk-2"))
    let folder = try fixture.write(ResumeTests.export(5, "2024-06-01T12:00:00Z"))
    #expect(throws: LoadError.fault("after-chunk-2")) { try first.load(folder) }
    first.close()
    let export = ResumeTests.export(6, "2024-06-02T12:00:00Z")
    try fixture.load(export)
    let clean = try LoadingFixture()
    try clean.load(export)
    #expect(try fixture.rows() == clean.rows())
    #expect(try fixture.leftovers().isEmpty)
    #expect(try Ledger(fixture.database.connection).imports().map(\.state) == [.finished, .abandoned])
  }

  @Test func leftoversAreFoundAndRemoved() throws {
    let fixture = try LoadingFixture()
    let folder = try fixture.write(ResumeTests.export(5, "2024-06-01T12:00:00Z"))
    let first = try fixture.loader(ResumeTests.dying(at: "after-chunks"))
    #expect(throws: LoadError.fault("after-chunks")) { try first.load(folder) }
    first.close()
    let ledger = Ledger(fixture.database.connection)
    let leftovers = try ledger.leftovers()
    #expect(leftovers.map(\.importID) == [1])
    #expect(leftovers[0].tables.contains("incoming_1"))
    #expect(leftovers[0].byteCount > 0)
    #expect(try ledger.clean() == leftovers)
    #expect(try ledger.leftovers().isEmpty)
    #expect(try fixture.leftovers().isEmpty)
    #expect(try ledger.imports().map(\.state) == [.abandoned])
  }

  @Test func anUnloggedTableThatACrashEmptiedIsLoadedAgain() throws {
    let fixture = try LoadingFixture()
    try fixture.load(ResumeTests.export(2, "2024-06-01T12:00:00Z"))
    let export = ResumeTests.export(5, "2024-06-02T12:00:00Z")
    let folder = try fixture.write(export)
    let first = try fixture.loader(ResumeTests.dying(at: "after-chunks"))
    #expect(throws: LoadError.fault("after-chunks")) { try first.load(folder) }
    first.close()
    try fixture.database.execute("TRUNCATE hk2pg.incoming_2")
    let second = try fixture.loader()
    _ = try second.load(folder)
    second.close()
    let clean = try LoadingFixture()
    try clean.load(export)
    #expect(try fixture.rows() == clean.rows())
  }
}
