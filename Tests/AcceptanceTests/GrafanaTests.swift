import Foundation
import PostgresClient
import TestSupport
import Testing

/// Every query of the Grafana dashboard, run as Grafana would, by a role with the rights of `reader.sql` alone.
@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)), .timeLimit(.minutes(20)))
struct GrafanaTests {
  private static let folder = FileManager.default.currentDirectoryPath + "/pipelines/grafana"

  /// What each panel shows of `GrafanaExport`, from 25 April to 10 May 2024. Days begin at 22:00 UTC.
  private static let expected: [String: [String]] = [
    // Watch 100, and the half of the iPhone's 60 that it did not see; on the 4th a live app, with more than another has.
    "Steps": ["2024-04-30 22:00:00+00|130", "2024-05-03 22:00:00+00|40"],
    "Active energy": ["2024-04-30 22:00:00+00|120"],
    "Exercise": ["2024-04-30 22:00:00+00|12"],
    "Stand hours": ["2024-04-30 22:00:00+00|2"],
    "Walking and running distance": ["2024-04-30 22:00:00+00|1500"],
    "Heart rate by day": ["2024-04-30 22:00:00+00|60|80|100"],
    "Heart rate, samples": ["1714550400|60|70|80", "1714554000|100|100|100"],
    "Heart rate variability by day": ["2024-04-30 22:00:00+00|50", "2024-05-01 22:00:00+00|30"],
    "Resting heart rate by day": ["2024-04-30 22:00:00+00|55"],
    "Sleep stages": ["2024-05-01 22:00:00+00|1|2|0.5|∅|0.25"],
    "Asleep a night": ["2024-05-01 22:00:00+00|3.5"],
    "Weight by day": ["2024-04-30 22:00:00+00|70.5"],
    "Minutes of workouts": ["2024-04-30 22:00:00+00|Trail Running|30"],
    "Single workouts": ["2024-05-01 16:00:00+00|Trail Running|1800|5000|∅|Plate & Fork"],
  ]

  @Test func everyPanelShowsWhatTheTablesHold() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let database = try TestDatabase()
    try load(GrafanaExport.xml, programs, database)
    let dashboard = try Dashboard()
    let user = try database.value(dashboard.userQuery)
    #expect(user == "anna's")

    try asReader(database) {
      var seen: Set<String> = []
      for panel in dashboard.panels {
        for sql in panel.queries {
          let lines = try database.lines(GrafanaQuery(sql, user: "anna's").text)
          if let expected = Self.expected[panel.title] {
            #expect(lines == expected, "\(panel.title)")
            seen.insert(panel.title)
          } else {
            #expect(!lines.isEmpty, "\(panel.title)")
          }
        }
      }
      #expect(seen == Set(Self.expected.keys))
    }
  }

  @Test func tilesShowTheSeriesOfTheirPanels() throws {
    let panels = try Dashboard().panels
    func query(_ title: String) -> [String] { panels.first { $0.title == title }?.queries ?? [] }
    for (tile, panel) in [
      ("Steps a day", "Steps"), ("Active energy a day", "Active energy"), ("Weight", "Weight by day"),
      ("Resting heart rate", "Resting heart rate by day"), ("Heart rate variability", "Heart rate variability by day"),
    ] {
      #expect(query(tile) == query(panel) && query(tile).count == 1, "\(tile)")
    }
  }

  @Test func importHealthTellsOfRepairsAndRejects() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let database = try TestDatabase()
    try load(GrafanaExport.xml, programs, database)
    let panels = try Dashboard().panels
    let sql = try #require(panels.first { $0.title == "Imports" }?.queries.first)
    let columns = #""File", "Exported", "State", "Read", "Written", "Repaired", "Rejected""#
    let query = "SELECT \(columns) FROM (\(GrafanaQuery(sql, user: "anna's").text)) t"
    // 21 records and a workout; one has no readable value. A plain ampersand was repaired.
    #expect(
      try database.lines(query) == ["export.xml|2024-05-03 10:00:00+00|finished|22|21|1|1"])
    let sources = try #require(panels.first { $0.title == "Sources" }?.queries.first)
    #expect(
      try database.lines(#"SELECT "Source", "Kind" FROM (\#(GrafanaQuery(sources, user: "anna's").text)) t"#) == [
        "Watch|watch", "Plate & Fork|other", "iPhone|phone",
      ])
  }

  /// Pruning takes raw rows away; daily panels stay as they are.
  @Test func dailyPanelsSurvivePruning() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let database = try TestDatabase()
    try load(GrafanaExport.xml, programs, database)
    let run = try programs.run(
      ["prune", "--older-than", "30d", "--database", database.conninfo, "--user", "anna's"])
    #expect(run.status == 0, "\(run.errors)")
    #expect(try database.value("SELECT count(*) FROM healthkit_metrics WHERE metric_type LIKE '%HeartRate'") == "0")
    let raw = ["Heart rate, samples", "Single workouts"]
    for panel in try Dashboard().panels where Self.expected[panel.title] != nil && !raw.contains(panel.title) {
      for sql in panel.queries {
        #expect(
          try database.lines(GrafanaQuery(sql, user: "anna's").text) == Self.expected[panel.title], "\(panel.title)")
      }
    }
  }

  @Test func provisioningFilesNameOneDataSource() throws {
    let source = try ProvisioningFile(path: Self.folder + "/provisioning/datasources/hk2pg.yaml").values
    #expect(
      source == [
        "apiVersion": "1", "datasources.0.name": "hk2pg", "datasources.0.uid": "hk2pg",
        "datasources.0.type": "grafana-postgresql-datasource", "datasources.0.access": "proxy",
        "datasources.0.url": "$HK2PG_GRAFANA_HOST", "datasources.0.user": "$HK2PG_GRAFANA_USER",
        "datasources.0.jsonData.database": "$HK2PG_GRAFANA_DATABASE",
        "datasources.0.jsonData.sslmode": "$HK2PG_GRAFANA_SSLMODE", "datasources.0.jsonData.postgresVersion": "1500",
        "datasources.0.jsonData.timescaledb": "false",
        "datasources.0.secureJsonData.password": "$HK2PG_GRAFANA_PASSWORD",
      ])
    let provider = try ProvisioningFile(path: Self.folder + "/provisioning/dashboards/hk2pg.yaml").values
    #expect(
      provider == [
        "apiVersion": "1", "providers.0.name": "hk2pg", "providers.0.type": "file",
        "providers.0.updateIntervalSeconds": "60", "providers.0.options.path": "$HK2PG_GRAFANA_DASHBOARDS",
      ])
    let dashboard = try Dashboard()
    #expect(dashboard.dataSources == ["grafana-postgresql-datasource hk2pg"])
    #expect(dashboard.schemaVersion >= 39)
    // No part of the dashboard lies over another, and no id comes twice.
    #expect(Set(dashboard.panels.map(\.id)).count == dashboard.panels.count)
  }

  // MARK: Database

  private func load(_ xml: String, _ programs: Programs, _ database: TestDatabase) throws {
    let path = programs.path("export.xml")
    try Data(xml.utf8).write(to: URL(fileURLWithPath: path))
    let run = try programs.run(
      ["import", path, "--database", database.conninfo, "--user", "anna's", "--timezone", "Europe/Berlin"])
    #expect(run.status == 3, "\(run.errors)")
    // A live app after the export, and one that saw less of the day; another user's rows are nobody's business.
    try database.execute(
      """
      INSERT INTO healthkit_metrics (user_id, metric_type, value, unit, source_device, started_at, ended_at)
      SELECT u, 'HKQuantityTypeIdentifierStepCount', v, 'count', s, t::timestamptz, t::timestamptz + interval '5 min'
      FROM (VALUES ('anna''s', 30, 'Live', '2024-05-04T06:00:00Z'), ('anna''s', 10, 'Live', '2024-05-04T20:00:00Z'),
        ('anna''s', 25, 'Other', '2024-05-04T06:01:00Z'), ('bea', 999, 'Live', '2024-05-04T06:00:00Z')) AS r(u, v, s, t)
      """)
  }

  /// Runs `body` with the rights that `reader.sql` grants.
  private func asReader(_ database: TestDatabase, _ body: () throws -> Void) throws {
    let role = "hk2pg_grafana_\(getpid())"
    let script = try String(contentsOfFile: Self.folder + "/reader.sql", encoding: .utf8)
      .replacingOccurrences(of: "hk2pg_grafana", with: role).replacingOccurrences(of: ":password", with: "'x'")
    let statements = script.split(separator: "\n").filter { !$0.hasPrefix("--") }.joined(separator: "\n")
    try database.execute(statements)
    try database.execute("SET ROLE \(role)")
    defer {
      _ = try? database.execute("RESET ROLE; DROP OWNED BY \(role); DROP ROLE \(role)")
    }
    try body()
  }
}

/// What a panel asks, as Grafana sends it to PostgreSQL.
private struct GrafanaQuery {
  let text: String

  /// Variables first, then macros, as Grafana does; a macro that is not known here stays, and PostgreSQL refuses it.
  init(_ rawSQL: String, user: String) {
    let (from, to) = ("'2024-04-25T00:00:00Z'", "'2024-05-10T00:00:00Z'")
    let quoted = "'" + user.replacingOccurrences(of: "'", with: "''") + "'"
    var sql = rawSQL.replacingOccurrences(of: "${user:sqlstring}", with: quoted)
      .replacingOccurrences(of: "$__interval", with: "1h")
      .replacingOccurrences(of: "$__timeFrom()", with: from).replacingOccurrences(of: "$__timeTo()", with: to)
    sql = sql.replacing(/\$__timeFilter\(([^)]*)\)/) { "\($0.1) BETWEEN \(from) AND \(to)" }
    sql = sql.replacing(/\$__timeGroupAlias\(([^),]*), 1h\)/) {
      "floor(extract(epoch from \($0.1))/3600)*3600 AS \"time\""
    }
    text = sql
  }
}

private struct Dashboard {
  struct Panel {
    var id: Int
    var title: String
    var queries: [String]
  }

  let panels: [Panel]
  let userQuery: String
  let schemaVersion: Int
  /// Type and uid of every data source that is named.
  let dataSources: Set<String>

  init() throws {
    let path = FileManager.default.currentDirectoryPath + "/pipelines/grafana/dashboards/health.json"
    let object = try JSONSerialization.jsonObject(with: Data(contentsOf: URL(fileURLWithPath: path)))
    guard let json = object as? [String: Any], let list = json["panels"] as? [[String: Any]],
      let variables = (json["templating"] as? [String: Any])?["list"] as? [[String: Any]],
      let query = variables.first?["query"] as? String
    else { throw Programs.Failure("no dashboard in \(path)") }
    var named = variables.map { $0["datasource"] as? [String: String] ?? [:] }
    panels = list.map { panel in
      let targets = panel["targets"] as? [[String: Any]] ?? []
      named += targets.map { $0["datasource"] as? [String: String] ?? [:] }
      return Panel(
        id: panel["id"] as? Int ?? -1, title: panel["title"] as? String ?? "",
        queries: targets.compactMap { $0["rawSql"] as? String })
    }
    userQuery = query
    schemaVersion = json["schemaVersion"] as? Int ?? 0
    dataSources = Set(named.map { "\($0["type"] ?? "") \($0["uid"] ?? "")" })
  }
}

/// Two days of a made-up person; clocks are those of Berlin in summer.
private enum GrafanaExport {
  static let xml = """
    <?xml version="1.0" encoding="UTF-8"?>
    <HealthData locale="en_DE">
     <ExportDate value="2024-05-03 12:00:00 +0200"/>
    \((quantities + categories).joined(separator: "\n"))
     <Workout workoutActivityType="HKWorkoutActivityTypeTrailRunning" duration="30" durationUnit="min" \
    totalDistance="5" totalDistanceUnit="km" sourceName="Plate & Fork" startDate="2024-05-01 18:00:00 +0200" \
    endDate="2024-05-01 18:30:00 +0200"/>
    </HealthData>
    """

  private static let quantities: [String] = [
    quantity("StepCount", "count", "10:00:00", "10:10:00", "100"),
    quantity("StepCount", "count", "10:05:00", "10:15:00", "60", source: "iPhone"),
    quantity("ActiveEnergyBurned", "kcal", "10:00:00", "10:10:00", "50"),
    quantity("ActiveEnergyBurned", "kcal", "12:00:00", "12:10:00", "70"),
    quantity("AppleExerciseTime", "min", "10:00:00", "10:12:00", "12"),
    quantity("DistanceWalkingRunning", "km", "10:00:00", "10:12:00", "1.5"),
    quantity("HeartRate", "count/min", "10:00:00", "10:00:00", "60"),
    quantity("HeartRate", "count/min", "10:30:00", "10:30:00", "80"),
    quantity("HeartRate", "count/min", "11:10:00", "11:10:00", "100"),
    quantity("HeartRate", "count/min", "11:20:00", "11:20:00", "none"),
    quantity("HeartRateVariabilitySDNN", "ms", "03:00:00", "03:01:00", "40"),
    quantity("HeartRateVariabilitySDNN", "ms", "05:00:00", "05:01:00", "60"),
    quantity("HeartRateVariabilitySDNN", "ms", "03:00:00", "03:01:00", "30", day: "2024-05-02"),
    quantity("RestingHeartRate", "count/min", "00:00:00", "23:59:00", "55"),
    quantity("BodyMass", "kg", "07:00:00", "07:00:00", "70.5"),
  ]

  private static let categories: [String] = [
    sleep("AsleepCore", "2024-05-01 23:00:00", "2024-05-02 01:00:00"),
    sleep("AsleepDeep", "2024-05-02 01:00:00", "2024-05-02 02:00:00"),
    sleep("AsleepREM", "2024-05-02 02:00:00", "2024-05-02 02:30:00"),
    sleep("Awake", "2024-05-02 02:30:00", "2024-05-02 02:45:00"),
    record("HKCategoryTypeIdentifierAppleStandHour", "2024-05-01 09:00:00", "2024-05-01 10:00:00", stood),
    record("HKCategoryTypeIdentifierAppleStandHour", "2024-05-01 10:00:00", "2024-05-01 11:00:00", stood),
  ]

  private static let stood = #"value="HKCategoryValueAppleStandHourStood""#

  private static func quantity(
    _ type: String, _ unit: String, _ start: String, _ end: String, _ value: String, source: String = "Watch",
    day: String = "2024-05-01"
  ) -> String {
    record(
      "HKQuantityTypeIdentifier\(type)", "\(day) \(start)", "\(day) \(end)", #"unit="\#(unit)" value="\#(value)""#,
      source: source)
  }

  private static func sleep(_ stage: String, _ start: String, _ end: String) -> String {
    record("HKCategoryTypeIdentifierSleepAnalysis", start, end, #"value="HKCategoryValueSleepAnalysis\#(stage)""#)
  }

  private static func record(
    _ type: String, _ start: String, _ end: String, _ rest: String, source: String = "Watch"
  ) -> String {
    """
     <Record type="\(type)" sourceName="\(source)" startDate="\(start) +0200" endDate="\(end) +0200" \(rest) \
    device="&lt;&lt;HKDevice: 0x1&gt;, name:\(source), manufacturer:Apple Inc., model:\(source)&gt;"/>
    """
  }
}
