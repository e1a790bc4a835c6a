import ImportFlow
import Loading

/// The facts of `hk2pg migrate`, as JSON and as text.
struct MigrateReport: Encodable {
  var from: String
  var to: String
  var dryRun: Bool
  var users: [User]
  var seconds: Double
  var peakMemoryBytes: Int64

  struct User: Encodable {
    var user: String
    /// At the target.
    var userThere: String
    var sourceRows: Int
    var sourceSummaries: Int
    /// Rows of months and days that the target lacked or had otherwise.
    var rowsToMove: Int
    var types: [TypeLine]
    /// nil: a dry run.
    var moved: ArchiveOutcome?
    var verified: ComparisonReport?
  }

  struct TypeLine: Encodable {
    var metricType: String
    var sourceRows: Int
    var rowsToMove: Int
    /// Size of the source's rows; of a dry run.
    var bytes: Int64?
  }
}

extension MigrateReport {
  init(_ result: MigrateResult) {
    from = result.from
    to = result.to
    dryRun = result.isDryRun
    seconds = result.seconds
    peakMemoryBytes = result.peakMemoryBytes
    users = result.users.map { user in
      User(
        user: user.user, userThere: user.newUser, sourceRows: user.sourceRows.values.reduce(0, +),
        sourceSummaries: user.sourceSummaries, rowsToMove: user.movedRows.values.reduce(0, +),
        types: user.sourceRows.sorted { $0.key < $1.key }.map { type, rows in
          TypeLine(
            metricType: type, sourceRows: rows, rowsToMove: user.movedRows[type] ?? 0,
            bytes: user.bytes[type])
        },
        moved: result.isDryRun ? nil : user.outcome,
        verified: user.verification.map { ComparisonReport($0, withGroups: false) })
    }
  }

  func text(_ paint: Paint = Paint(isOn: false)) -> String {
    var lines = [
      paint.bold(dryRun ? "Dry run: nothing was changed" : "Migrated in \(Words.duration(seconds))"),
      "  From: \(from.shown(limit: 200))", "  To:   \(to.shown(limit: 200))",
    ]
    for (index, user) in users.enumerated() {
      if users.count > 1 { lines.append(paint.bold("User \(index + 1) of \(users.count)")) }
      lines.append(
        "  At the source: \(Words.count(user.sourceRows, "row")), "
          + Words.count(user.sourceSummaries, "daily summary", "daily summaries"))
      lines += dryRun ? planLines(user, paint) : doneLines(user, paint)
    }
    return lines.map { $0 + "\n" }.joined()
  }

  private func planLines(_ user: User, _ paint: Paint) -> [String] {
    if user.rowsToMove == 0 { return ["  The target has all of these rows: nothing would be moved."] }
    var table = TextTable([("type", .left), ("rows", .right), ("size", .right), ("to move", .right)])
    for type in user.types {
      table.add([
        type.metricType.shown(limit: 60), Words.count(type.sourceRows), Words.bytes(type.bytes ?? 0),
        Words.count(type.rowsToMove),
      ])
    }
    return table.lines(paint: paint) + [
      "  To move: rows of types and days that the target lacks, or has otherwise."
    ]
  }

  private func doneLines(_ user: User, _ paint: Paint) -> [String] {
    guard let moved = user.moved else { return [] }
    var lines = moved.hasWritten ? moved.lines : ["  Nothing new: the target had everything already."]
    if let verified = user.verified {
      lines.append(verified.equal ? paint.bold("Verified: the target has all of it") : paint.warning("Not verified"))
      lines += verified.lines(paint)
    }
    return lines
  }
}

/// The facts of `hk2pg dump`.
struct DumpReport: Encodable {
  var database: String
  var user: String
  var folder: String
  var takenAt: String
  var tables: [Table]
  var bytes: Int64
  var seconds: Double

  struct Table: Encodable {
    var table: String
    var rows: Int
  }

  init(_ result: DumpResult) {
    database = result.database
    user = result.user
    folder = result.folder
    takenAt = result.takenAt
    tables = result.rows.sorted { $0.key < $1.key }.map { Table(table: $0.key, rows: $0.value) }
    bytes = result.byteCount
    seconds = result.seconds
  }

  func text(_ paint: Paint = Paint(isOn: false)) -> String {
    var table = TextTable([("table", .left), ("rows", .right)])
    for line in tables { table.add([line.table, Words.count(line.rows)]) }
    let lines =
      [
        paint.bold("Dumped in \(Words.duration(seconds)): \(Words.bytes(bytes)) in \(folder.shown(limit: 200))"),
        "  Database: \(database.shown(limit: 200)), at \(takenAt)",
      ] + table.lines(paint: paint) + ["  README.txt in it says how to read it; hk2pg load brings it back."]
    return lines.map { $0 + "\n" }.joined()
  }
}

/// The facts of `hk2pg load` of a dump.
struct ArchiveReport: Encodable {
  var database: String
  var user: String
  var folder: String
  var loaded: ArchiveOutcome
  var seconds: Double

  init(_ result: ArchiveResult) {
    database = result.database
    user = result.user
    folder = result.folder
    loaded = result.outcome
    seconds = result.seconds
  }

  func text(_ paint: Paint = Paint(isOn: false)) -> String {
    let lines =
      [paint.bold("Loaded in \(Words.duration(seconds))"), "  Database: \(database.shown(limit: 200))"]
      + (loaded.hasWritten ? loaded.lines : ["  Nothing new: the database had everything already."])
    return lines.map { $0 + "\n" }.joined()
  }
}

extension ArchiveOutcome {
  /// What became of the rows that were copied.
  var lines: [String] {
    var lines = [
      "  \(Words.count(rows.copied, "row")) copied: \(Words.count(rows.new)) new, "
        + "\(Words.count(rows.changed)) changed, \(Words.count(rows.same)) there already"
    ]
    func add(_ count: Int, _ words: String) {
      if count > 0 { lines.append("  \(Words.count(count, "row")) \(words)") }
    }
    add(rows.kept, "kept as the target has them: another program's, or written later")
    add(rows.twins, "are there under another id")
    add(rows.withheld, "are of days that were pruned there")
    add(rows.unplaced, "found no place: their ids belong to another user there, or the second is full")
    add(rows.moved, "stored microseconds later, where another row had the place")
    lines.append(
      "  Daily summaries: \(Words.count(summaries.written)) written, \(Words.count(summaries.same)) there already"
        + (summaries.kept > 0 ? ", \(Words.count(summaries.kept)) kept as the target has them" : ""))
    for (table, count) in ownTables.sorted(by: { $0.key < $1.key }) {
      lines.append("  \(table): \(Words.count(count, "row")) new")
    }
    return lines
  }
}
