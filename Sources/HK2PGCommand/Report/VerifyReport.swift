import ImportFlow
import Transfer

/// The facts of `hk2pg verify`, as JSON and as text.
struct VerifyReport: Encodable {
  var reference: String
  var database: String
  var equal: Bool
  var users: [User]
  var seconds: Double

  struct User: Encodable {
    var user: String
    /// In the database.
    var userThere: String
    var comparison: ComparisonReport
  }

  init(_ result: VerifyResult) {
    reference = result.reference
    database = result.database
    equal = result.isEqual
    users = result.users.map {
      User(user: $0.user, userThere: $0.newUser, comparison: ComparisonReport($0.outcome, withGroups: true))
    }
    seconds = result.seconds
  }

  func text(_ paint: Paint = Paint(isOn: false)) -> String {
    var lines = [
      paint.bold("\(equal ? "Equal" : "Different"), compared in \(Words.duration(seconds))"),
      "  Reference: \(reference.shown(limit: 200))", "  Database:  \(database.shown(limit: 200))",
    ]
    for (index, user) in users.enumerated() {
      if users.count > 1 {
        lines.append(
          paint.bold("User \(index + 1) of \(users.count): \(user.comparison.equal ? "equal" : "different")"))
      }
      lines += user.comparison.lines(paint)
    }
    return lines.map { $0 + "\n" }.joined()
  }
}

/// One user's comparison. "Reference" is the export, the folder or the other database.
struct ComparisonReport: Encodable {
  var equal: Bool
  var types: [TypeLine]
  /// By type and month; not part of a migration's report.
  var months: [MonthLine]?
  var differences: [Difference]
  var tables: [Table]
  /// Rows that differ for a good reason.
  var explained: [Explained]

  struct TypeLine: Encodable {
    var table: String
    var metricType: String
    var referenceRows: Int
    var databaseRows: Int
    var months: Int
    var monthsThatDiffer: Int
  }

  struct MonthLine: Encodable {
    var table: String
    var metricType: String
    var month: String
    var equal: Bool
    var reference: Figures
    var database: Figures
  }

  struct Figures: Encodable {
    var rows: Int
    var sum: Double
    var digest: String

    init(_ digest: GroupDigest) {
      rows = digest.rows
      sum = digest.sum
      self.digest = digest.digest
    }
  }

  struct Difference: Encodable {
    var table: String
    var metricType: String
    /// Raw rows: in UTC; summaries: the local day.
    var day: String
    var missing: Int
    var extra: Int
    var changed: Int
  }

  struct Table: Encodable {
    var table: String
    var referenceRows: Int
    var databaseRows: Int
    var missing: Int
    var extra: Int
  }

  struct Explained: Encodable {
    var reason: String
    var rows: Int
  }

  static let shownDays = 20
}

extension ComparisonReport {
  init(_ outcome: VerifyOutcome, withGroups: Bool) {
    equal = outcome.isEqual
    var lines: [String: TypeLine] = [:]
    for group in outcome.groups {
      var line =
        lines["\(group.table) \(group.metricType)"]
        ?? TypeLine(
          table: group.table, metricType: group.metricType, referenceRows: 0, databaseRows: 0, months: 0,
          monthsThatDiffer: 0)
      line.referenceRows += group.left.rows
      line.databaseRows += group.right.rows
      line.months += 1
      line.monthsThatDiffer += group.isEqual ? 0 : 1
      lines["\(group.table) \(group.metricType)"] = line
    }
    // Raw rows first.
    types = lines.values.sorted { ($1.table, $0.metricType) < ($0.table, $1.metricType) }
    if withGroups {
      months = outcome.groups.map {
        MonthLine(
          table: $0.table, metricType: $0.metricType, month: String($0.month.prefix(7)), equal: $0.isEqual,
          reference: Figures($0.left), database: Figures($0.right))
      }
    }
    differences = outcome.days.map {
      Difference(
        table: $0.table, metricType: $0.metricType, day: $0.day, missing: $0.missing, extra: $0.extra,
        changed: $0.changed)
    }
    tables = outcome.tables.map {
      Table(
        table: $0.table, referenceRows: $0.leftRows, databaseRows: $0.rightRows, missing: $0.missing, extra: $0.extra)
    }
    explained = VerifyReason.allCases.compactMap { reason in
      outcome.explained[reason].map { Explained(reason: reason.rawValue, rows: $0) }
    }
  }

  func lines(_ paint: Paint) -> [String] {
    typeLines(paint) + differenceLines(paint) + tableLines(paint) + explainedLines(paint)
  }

  /// Types with months that differ, and a sum of the others.
  private func typeLines(_ paint: Paint) -> [String] {
    let same = types.filter { $0.monthsThatDiffer == 0 }
    func total(_ isSummary: Bool) -> Int {
      same.filter { $0.table.hasSuffix("summaries") == isSummary }.reduce(0) { $0 + $1.databaseRows }
    }
    var lines = [
      "  \(Words.count(total(false), "row")) and \(Words.count(total(true), "daily summary", "daily summaries")) of "
        + "types that are equal in every month, by count and digest"
    ]
    let other = types.filter { $0.monthsThatDiffer > 0 }
    if other.isEmpty { return lines }
    var table = TextTable([
      ("looked at row by row", .left), ("reference", .right), ("database", .right), ("months", .right),
    ])
    for type in other {
      let isSummary = type.table.hasSuffix("summaries")
      table.add([
        "\(type.metricType.shown(limit: 60))\(isSummary ? " (daily)" : "")", Words.count(type.referenceRows),
        Words.count(type.databaseRows), Words.count(type.monthsThatDiffer),
      ])
    }
    lines += table.lines(paint: paint)
    return lines
  }

  private func differenceLines(_ paint: Paint) -> [String] {
    if differences.isEmpty { return [] }
    var lines = [paint.warning("Differences on \(Words.count(differences.count, "day")) of a type")]
    for day in differences.prefix(ComparisonReport.shownDays) {
      let parts = [
        (day.missing, "missing in the database"), (day.extra, "in the database only"),
        (day.changed, "with other contents"),
      ].filter { $0.0 > 0 }.map {
        "\(Words.count($0.0, day.table.hasSuffix("summaries") ? "summary" : "row", day.table.hasSuffix("summaries") ? "summaries" : nil)) \($0.1)"
      }
      lines.append("  \(day.day)  \(day.metricType.shown(limit: 60)): \(parts.joined(separator: ", "))")
    }
    if differences.count > ComparisonReport.shownDays {
      lines.append("  and \(Words.count(differences.count - ComparisonReport.shownDays)) more: see --json")
    }
    return lines
  }

  private func tableLines(_ paint: Paint) -> [String] {
    tables.filter { $0.missing + $0.extra > 0 }.map { table in
      paint.warning(
        "  \(table.table): \(Words.count(table.missing, "row")) missing in the database, "
          + "\(Words.count(table.extra)) in the database only")
    }
  }

  private func explainedLines(_ paint: Paint) -> [String] {
    if explained.isEmpty { return [] }
    return [paint.bold("Other rows, for a reason")]
      + explained.map {
        "  \(Words.count($0.rows, "row")): \(ComparisonReport.words(VerifyReason(rawValue: $0.reason)))"
      }
  }

  private static func words(_ reason: VerifyReason?) -> String {
    switch reason {
    case .otherID: "the same sample under another id, read by another program on one side"
    case .rounded: "equal to the six digits that exports have"
    case .pruned: "of days whose raw rows were pruned; their summaries are there"
    case .rawWindow: "older than the --raw-window of the import; their summaries are there"
    case .live: "a row of another program stands for the sample"
    case .liveRow: "written by another program, so no export has them"
    case .kept: "history that this export lacks, and that imports keep"
    case .newerExport: "a newer export was imported since"
    case .additional: "only at the target, where nothing is deleted"
    case .summary: "summaries of days with such rows"
    case .fullerSummary: "summaries kept, since they count more samples than the source’s"
    case .merged: "facts of both databases in one row"
    case .ledger: "of the ledger: imports that one side has seen"
    case nil: "for another reason"
    }
  }
}
