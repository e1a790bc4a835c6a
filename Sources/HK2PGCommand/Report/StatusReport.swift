import Loading

/// The facts of `hk2pg status`, as JSON and as text: past imports, what they added, what is running, what was left
/// behind. Times are ISO 8601, UTC.
struct StatusReport: Encodable {
  var database: String
  /// Newest first.
  var imports: [Import]
  /// Working tables that nobody is working on.
  var leftovers: [Remains]
  /// What `--clean` removed: working tables in the database, work folders on this machine.
  var cleaned: [Remains]?
  var cleanedFolders: [String]?

  struct Import: Encodable {
    var importId: Int
    var user: String
    /// finished, running, broken or abandoned.
    var state: String
    var exportName: String
    var exportDate: String?
    var zone: String
    var startedAt: String
    var finishedAt: String?
    /// Rows that chunks have brought so far, while loading.
    var copiedRows: Int?
    /// Of a finished one: new rows, rows that differed, rows that went.
    var new: Int?
    var changed: Int?
    var removed: Int?
    var alreadyThere: Int?
  }

  struct Remains: Encodable {
    var importId: Int
    var tables: [String]
    var byteCount: Int64
  }

  /// Imports listed, also in JSON.
  static let limit = 100
  static let shownImports = 20
}

extension StatusReport {
  init(
    of database: String, imports: [ImportRecord], leftovers: [Leftover], cleaned: [Leftover]?,
    cleanedFolders: [String]? = nil
  ) {
    self.database = database
    self.imports = imports.map(Import.init)
    self.leftovers = leftovers.map(Remains.init)
    self.cleaned = cleaned?.map(Remains.init)
    self.cleanedFolders = cleanedFolders
  }
}

extension StatusReport.Import {
  init(_ record: ImportRecord) {
    importId = record.importID
    user = record.userID
    state = record.state.rawValue
    exportName = record.exportName
    exportDate = record.exportDate
    zone = record.zone
    startedAt = record.startedAt
    finishedAt = record.finishedAt
    copiedRows = record.outcome == nil ? record.copiedRows : nil
    new = record.outcome?.new
    changed = record.outcome?.changed
    removed = record.outcome?.removed
    alreadyThere = record.outcome?.alreadyThere
  }
}

extension StatusReport.Remains {
  init(_ leftover: Leftover) {
    importId = leftover.importID
    tables = leftover.tables
    byteCount = leftover.byteCount
  }
}

// MARK: - Text

extension StatusReport {
  func text(_ paint: Paint = Paint(isOn: false)) -> String {
    let sections = [["Database: \(database.shown(limit: 200))"], importLines(paint), brokenLines(paint), cleanedLines]
    return sections.filter { !$0.isEmpty }.map { $0.map { $0 + "\n" }.joined() }.joined(separator: "\n")
  }

  private func importLines(_ paint: Paint) -> [String] {
    if imports.isEmpty { return ["No imports yet: hk2pg import EXPORT"] }
    var table = TextTable([
      ("import", .right), ("state", .left), ("export", .left), ("made", .left), ("finished", .left),
      ("new", .right), ("changed", .right), ("removed", .right), ("user", .left),
    ])
    for item in imports.prefix(StatusReport.shownImports) {
      table.add([
        "\(item.importId)", item.state, item.exportName.shown(limit: 24), StatusReport.minutes(item.exportDate),
        StatusReport.minutes(item.finishedAt), StatusReport.count(item.new),
        StatusReport.count(item.changed), StatusReport.count(item.removed), item.user.shown(limit: 12),
      ])
    }
    let rest = imports.count - StatusReport.shownImports
    return [paint.bold("Imports, times in UTC")] + table.lines(paint: paint)
      + (rest > 0 ? ["  and \(Words.count(rest)) more: see --json"] : [])
  }

  private func brokenLines(_ paint: Paint) -> [String] {
    let broken = imports.filter { $0.state == "broken" }
    if broken.isEmpty && leftovers.isEmpty { return [] }
    var lines = [paint.bold("Not finished")]
    for item in broken {
      lines.append(
        "  import \(item.importId) ended before it was done, after \(Words.count(item.copiedRows ?? 0, "row")); "
          + "the same import goes on from there")
    }
    for item in leftovers {
      lines.append(
        "  import \(item.importId) left \(Words.bytes(item.byteCount)) in \(Words.count(item.tables.count, "work table"))"
          + ": hk2pg status --clean gives it up")
    }
    return lines
  }

  private var cleanedLines: [String] {
    guard let cleaned else { return [] }
    let folders = cleanedFolders ?? []
    if cleaned.isEmpty && folders.isEmpty { return ["Nothing was left to clean up."] }
    var lines: [String] = []
    if !cleaned.isEmpty {
      let names = cleaned.map { "import \($0.importId)" }.joined(separator: ", ")
      lines.append("Removed \(Words.bytes(cleaned.reduce(0) { $0 + $1.byteCount })) of work tables: \(names).")
    }
    return lines + folders.map { "Removed the work folder \($0)." }
  }

  private static func count(_ number: Int?) -> String { number.map { Words.count($0) } ?? "" }

  /// `2025-11-30T14:00:12Z` as `2025-11-30 14:00`.
  private static func minutes(_ instant: String?) -> String {
    guard let instant, instant.count >= 16 else { return instant ?? "" }
    return instant.prefix(10) + " " + instant.dropFirst(11).prefix(5)
  }
}
