import HealthModel
import PostgresClient
import Staging

/// What was found out about a load before anything is copied.
struct ImportPlan {
  let relation: ExportRelation
  let rule: RemovalRule
  /// The export's zone, if the server knows it.
  let serverZone: String?
  let staged: StagedGroups
  let table: TableGroups
  private let names: [[UInt8]]
  private(set) var rows: LoadPlan
  /// The table held no row of the user, and none was pruned: everything is copied and nothing compared.
  let isWhole: Bool

  init(
    relation: ExportRelation, rule: RemovalRule, serverZone: String?, staged: StagedGroups, table: TableGroups,
    symbols: SymbolTable, hashesAgree: Bool, pruned: PrunedDays = PrunedDays()
  ) {
    self.relation = relation
    self.rule = rule
    self.serverZone = serverZone
    self.staged = staged
    self.table = table
    isWhole = table.isEmpty && pruned.isEmpty
    let names = symbols.snapshot()
    self.names = names
    rows = LoadPlan(
      staged: staged, table: table,
      LoadPlan.Conditions(
        removesAllMissing: rule.removesAll, comparesEverything: relation.isMappingNew || !hashesAgree,
        prunedDays: pruned.utcDays(symbols), hasPrunedDays: !pruned.isEmpty),
      isAlwaysCompared: { AlwaysCompared.contains(String(decoding: names[Int($0.index)], as: UTF8.self)) })
  }

  var stagedRows: Int { staged.values.reduce(0) { $0 + $1.count } }

  func text(_ symbol: Symbol) -> String { String(decoding: names[Int(symbol.index)], as: UTF8.self) }

  /// What chunks are filtered by; nil: every row is copied.
  var filter: [[UInt8]: DaySelection]? {
    isWhole ? nil : Dictionary(uniqueKeysWithValues: rows.days.map { (names[Int($0.key.index)], $0.value) })
  }

  /// Rows of ours in the table, by type.
  var rowsByType: [String: Int] {
    var result: [String: Int] = [:]
    for (key, group) in table.groups where group.ours > 0 { result[text(key.type), default: 0] += group.ours }
    return result
  }

  struct TypeDay: Hashable {
    var type: Symbol
    var day: CivilDay
  }

  func name(_ type: Symbol) -> [UInt8] { names[Int(type.index)] }

  var stagedDays: Set<TypeDay> { Set(staged.keys.map { TypeDay(type: $0.type, day: $0.day) }) }

  /// Types and UTC days of the table, and whether rows are on them that, judging by groups, the export lacks.
  var tableDays: [TypeDay: Bool] {
    var result: [TypeDay: Bool] = [:]
    for (key, group) in table.groups {
      let isLacking = group.others > 0 || staged[key] == nil
      let day = TypeDay(type: key.type, day: key.day)
      result[day] = result[day] == true || isLacking
    }
    return result
  }

  // MARK: Working tables

  /// Stands in `days` for "every type and day".
  private static let wholeMark = ""

  /// Keeps the selection, so that a broken load can go on with the same.
  func writeDays(_ tables: WorkingTables, _ connection: PostgresConnection) throws {
    var encoder = CopyEncoder()
    encoder.appendHeader()
    func add(_ type: [UInt8], _ day: CivilDay) {
      encoder.beginRow(fieldCount: 2)
      encoder.append(text: type)
      encoder.append(date: day)
    }
    if isWhole {
      add(Array(ImportPlan.wholeMark.utf8), CivilDay(daysSince1970: 0))
    } else {
      for (type, days) in rows.selectedDays(staged: staged, table: table) {
        for day in days { add(names[Int(type.index)], day) }
      }
    }
    encoder.appendTrailer()
    try connection.copyIn("COPY \(tables.days) (metric_type, utc_day) FROM STDIN (FORMAT binary)") {
      try $0.send(encoder.bytes.span)
    }
  }

  /// Takes over the selection of a broken load. False: it does not cover what has to be compared now, or covers
  /// everything although there are rows to compare; then the load starts over.
  mutating func adoptDays(_ tables: WorkingTables, _ connection: PostgresConnection) throws -> Bool {
    let indexes = Dictionary(
      names.enumerated().map { (String(decoding: $1, as: UTF8.self), $0) }, uniquingKeysWith: { first, _ in first })
    var former: [Symbol: Set<CivilDay>] = [:]
    var wasWhole = false
    let result = try connection.query("SELECT metric_type, utc_day - date '1970-01-01' AS day FROM \(tables.days)")
    for row in result.rows {
      let type = try row.text("metric_type")
      if type == ImportPlan.wholeMark {
        wasWhole = true
      } else if let index = indexes[type] {
        former[Symbol(index: UInt32(index)), default: []].insert(try row.civilDay("day"))
      }
    }
    if wasWhole || isWhole { return wasWhole && isWhole }
    guard let adopted = rows.adopting(former, staged: staged, table: table) else { return false }
    rows = adopted
    return true
  }

  /// Both sides' counts of the selected groups, for the rules of DESIGN §3.9.
  func writeGroups(_ tables: WorkingTables, _ connection: PostgresConnection) throws {
    try connection.execute(
      """
      CREATE UNLOGGED TABLE \(tables.groups) (
        metric_type text, source text, utc_day date, staged_count integer, table_count integer)
      """)
    var encoder = CopyEncoder()
    encoder.appendHeader()
    for (key, counts) in rows.groups {
      encoder.beginRow(fieldCount: 5)
      encoder.append(text: names[Int(key.type.index)])
      encoder.append(text: names[Int(key.source.index)])
      encoder.append(date: key.day)
      encoder.append(int4: Int32(clamping: counts.staged))
      encoder.append(int4: Int32(clamping: counts.table))
    }
    encoder.appendTrailer()
    try connection.copyIn("COPY \(tables.groups) FROM STDIN (FORMAT binary)") { try $0.send(encoder.bytes.span) }
    try connection.execute("ANALYZE \(tables.groups)")
  }
}
