import CXMLFloor
import Foundation
import PostgresClient
import TestSupport

/// All figures of DESIGN §8 on one synthetic export, each beside its floor, in one run.
struct BenchRun {
  let size: String
  let rounds: Int
  let folder: URL
  let server: BenchServer
  private var book = MeasurementBook()
  private var sampleCount = 0

  /// Keys and indexes of the published table, largest first, as the floor builds them two at a time.
  private static let indexes = [
    "ALTER TABLE raw ADD UNIQUE (user_id, metric_type, started_at)",
    "CREATE INDEX ON raw (user_id, metric_type, started_at DESC)",
    "ALTER TABLE raw ADD PRIMARY KEY (id)", "CREATE INDEX ON raw (user_id, started_at DESC)",
    "CREATE INDEX ON raw USING gin (metadata)",
  ]
  private static let table = """
    (id uuid NOT NULL DEFAULT gen_random_uuid(), user_id text NOT NULL, metric_type text NOT NULL, value float8, unit text,
     source_device text, started_at timestamptz NOT NULL, ended_at timestamptz, metadata jsonb,
     synced_at timestamptz NOT NULL DEFAULT now())
    """
  private static let columns =
    "id, user_id, metric_type, value, unit, source_device, started_at, ended_at, metadata, synced_at"

  init(size: String, rounds: Int, folder: URL, server: BenchServer) {
    self.size = size
    self.rounds = rounds
    self.folder = folder
    self.server = server
  }

  private func path(_ name: String) -> String { folder.appendingPathComponent(name).path }
  private var xml: String { path("\(size).xml") }
  private var zip: String { path("\(size).zip") }
  private var newer: String { path("\(size)-newer.xml") }

  /// - Parameter isFull: with the database's figures; else staging and import alone, for growth.
  mutating func run(isFull: Bool) throws -> BenchResult {
    try makeExports()
    for round in 1...rounds {
      Log.line("\(size), round \(round) of \(rounds)")
      try stageFigures()
      try importIntoEmpty()
      if isFull {
        try reimportFigures()
        try copyFloor()
        try backfillFigures()
      }
    }
    return BenchResult(size: size, samples: sampleCount, measurements: book.measurements, goals: goals(isFull))
  }

  // MARK: Exports

  private func makeExports() throws {
    try program("synth-export", [size, "--seed", "1", "--no-side-files", xml])
    try program("synth-export", [size, "--seed", "1", "--no-side-files", zip])
  }

  /// 0.1 % more records than the export of the same size.
  private func makeNewer() throws {
    let extra = max(1, sampleCount / 1000)
    try program("synth-export", [size, "--seed", "1", "--extra", "\(extra)", "--no-side-files", newer])
  }

  // MARK: Figures

  private mutating func stageFigures() throws {
    var elements: Int64 = 0
    book.add(FigureName.floor, seconds: measure { elements = unsafe cxml_floor_count_elements(xml) })
    guard elements > 0 else { throw BenchError("cannot read \(xml)") }
    for (name, export) in [(FigureName.stageXML, xml), ("stage .zip", zip)] {
      try? FileManager.default.removeItem(atPath: path("chunks"))
      try hk2pg(name, ["stage", export, "--into", path("chunks")])
    }
  }

  private mutating func importIntoEmpty() throws {
    try server.recreate("bench")
    try hk2pg(FigureName.importEmpty, ["import", xml] + target)
    let connection = try server.connect("bench")
    sampleCount = try connection.query("SELECT count(*) FROM healthkit_metrics")[0].int(0)
  }

  private mutating func reimportFigures() throws {
    try makeNewer()
    try hk2pg("import the same file", ["import", xml] + target)
    try hk2pg("re-import, nothing changed", ["import", xml, "--force"] + target)
    try hk2pg("re-import, 0.1 % new", ["import", newer] + target)
  }

  /// Floor 2: `\copy` of the same rows from a ready binary file, and the same keys and indexes, two at a time.
  private mutating func copyFloor() throws {
    let rows = path("rows.pgcopy")
    try psql("\\copy (SELECT \(Self.columns) FROM healthkit_metrics) to '\(rows)' (format binary)")
    let connection = try server.connect("bench")
    try connection.execute("DROP TABLE IF EXISTS raw")
    try connection.execute("CREATE TABLE raw \(Self.table)")
    try connection.execute("CHECKPOINT")
    let seconds = try measure {
      try psql("\\copy raw (\(Self.columns)) from '\(rows)' (format binary)")
      try server.runSideBySide(
        Self.indexes.map { "SET maintenance_work_mem = '256MB'; \($0)" }, database: "bench")
    }
    book.add("\\copy and indexes, two at a time", seconds: seconds)
    try FileManager.default.removeItem(atPath: rows)
  }

  /// Floor 3: INSERT … SELECT of the same rows beside the rows of another user; then hk2pg does the same.
  private mutating func backfillFigures() throws {
    let connection = try server.connect("bench")
    try connection.execute("CREATE TABLE ready AS SELECT * FROM raw ORDER BY metric_type, started_at")
    try connection.execute("UPDATE ready SET user_id = 'other', id = gen_random_uuid()")
    try connection.execute("VACUUM ANALYZE ready")
    try connection.execute("CHECKPOINT")
    let seconds = try measure {
      try connection.execute("INSERT INTO raw SELECT * FROM ready ORDER BY metric_type, started_at")
    }
    book.add("INSERT … SELECT beside other rows", seconds: seconds)
    try connection.execute("DROP TABLE raw, ready")
    try connection.execute("CHECKPOINT")
    try hk2pg(
      "backfill beside other rows", ["import", xml, "--database", server.conninfo("bench"), "--user", "second"])
  }

  private func goals(_ isFull: Bool) -> [Goal] {
    var goals = [
      Goal(
        figure: "stage .xml / libxml2", measured: book.ratio(FigureName.stageXML, to: FigureName.floor), limit: 1,
        unit: "×"),
      Goal(
        figure: "peak memory of hk2pg", measured: Double(book.peakMemory) / 1_048_576, limit: 256, unit: "MB"),
      Goal(
        figure: "samples/s into an empty database",
        measured: Double(sampleCount) / book.median(FigureName.importEmpty), limit: 150_000, unit: "/s",
        isAtLeast: true),
    ]
    guard isFull else { return goals }
    func add(_ figure: String, _ name: String, _ floor: String, _ limit: Double) {
      goals.append(Goal(figure: figure, measured: book.ratio(name, to: floor), limit: limit, unit: "×"))
    }
    add("import / \\copy and indexes", FigureName.importEmpty, "\\copy and indexes, two at a time", 1.5)
    add("backfill / INSERT … SELECT", "backfill beside other rows", "INSERT … SELECT beside other rows", 1.3)
    add("re-import unchanged / stage", "re-import, nothing changed", FigureName.stageXML, 1.3)
    add("re-import 0.1 % new / stage", "re-import, 0.1 % new", FigureName.stageXML, 1.4)
    goals.append(
      Goal(figure: "the same file", measured: book.median("import the same file"), limit: 1, unit: "s"))
    return goals
  }

  // MARK: Programs

  private var target: [String] { ["--database", server.conninfo("bench"), "--user", "bench"] }

  private mutating func hk2pg(_ name: String, _ arguments: [String]) throws {
    var peak = 0
    let seconds = try measure {
      peak = try program("hk2pg", arguments + ["--quiet", "--progress", "none"]).peakMemory
    }
    book.add(name, seconds: seconds, peakMemory: peak)
  }

  private func psql(_ command: String) throws {
    let run = try CommandRun(
      "/usr/bin/env", ["psql", "-qX", "-v", "ON_ERROR_STOP=1", "-d", server.conninfo("bench"), "-c", command])
    if run.status != 0 { throw BenchError(run.errors) }
  }

  @discardableResult
  private func program(_ name: String, _ arguments: [String]) throws -> CommandRun {
    var environment = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("PG") }
    environment["XDG_CACHE_HOME"] = path("cache")
    environment["HEALTHKIT_USER_ID"] = "bench"
    return try BenchProgram.run(name, arguments, environment: environment)
  }
}

/// Programs of this package, from beside the bench.
enum BenchProgram {
  @discardableResult
  static func run(_ name: String, _ arguments: [String], environment: [String: String]) throws -> CommandRun {
    let beside = Bundle.main.bundleURL.appendingPathComponent(name).path
    let run = try CommandRun(beside, arguments, environment: environment)
    if run.status != 0 { throw BenchError("\(name) \(arguments.joined(separator: " ")): \(run.errors)") }
    return run
  }
}

struct BenchError: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}
