import Foundation
import PostgresClient
import TestSupport
import Testing

/// Side files and rejects through the real program into a real database.
@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)), .timeLimit(.minutes(20)))
struct TortureImportTests {
  private func write(_ programs: Programs, exported: String, to name: String) throws -> String {
    let xml = TortureText.export(
      TortureText.record + TortureText.route("/workout-routes/a.gpx", from: "10:00:00", to: "10:01:00")
        + TortureText.route("/workout-routes/a.gpx", from: "10:01:00", to: "10:02:00"))
    let files: [(String, String)] = [
      ("export.xml", xml.replacing("2024-06-01", with: exported)),
      ("workout-routes/a.gpx", TortureText.gpx(seconds: [1, 2, 60, 70], exported: "\(exported)T10:00:00Z")),
      ("electrocardiograms/ecg_2024-05-03.csv", TortureText.germanECG),
    ]
    let path = programs.path(name)
    try Data(ZipBuilder(files.map { ZipBuilder.Entry("e/\($0)", Array($1.utf8)) }).build())
      .write(to: URL(fileURLWithPath: path))
    return path
  }

  private static let pointsOfRoutes = """
    SELECT r.started_at AT TIME ZONE 'UTC', count(*), r.value, string_agg(p.ordinal::text, ',' ORDER BY p.ordinal)
    FROM healthkit_metrics r JOIN hk2pg.route_points p
      ON p.user_id = r.user_id AND p.file_digest = r.metadata->>'file_digest'
      AND p.recorded_at BETWEEN date_trunc('second', r.started_at) AND r.ended_at
    WHERE r.metric_type = 'HKWorkoutRouteTypeIdentifier' GROUP BY r.id ORDER BY 1
    """

  @Test func pointsAndVoltagesAreFoundFromTheirRows() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let database = try TestDatabase()
    let arguments = ["--database", database.conninfo, "--user", "anna", "--report", programs.path("r.json")]
    for (round, exported) in ["2024-06-01", "2024-07-01"].enumerated() {
      // The GPX file of the second export is another one: it has its own date in it.
      let export = try write(programs, exported: exported, to: "\(round).zip")
      let run = try programs.run(["import", export] + arguments)
      #expect(run.status == 0, "\(run.errors)")
      let report = try Report(path: programs.path("r.json"))
      #expect(report.addsUp && report.samples("written") == (round == 0 ? 6 : 0), "\(report.json)")
      // The point at 08:01:00 belongs to both routes: intervals include both ends.
      #expect(
        try database.lines(Self.pointsOfRoutes) == [
          "2024-05-01 08:00:00|3|3|0,1,2", "2024-05-01 08:01:00|2|2|2,3",
        ])
      #expect(try database.value("SELECT count(*) FROM hk2pg.route_points") == "4")
      #expect(
        try database.lines(
          """
          SELECT m.metadata->>'lead', e.voltages, e.unit, e.sample_rate_hz FROM hk2pg.ecg_recordings e
          JOIN healthkit_metrics m ON m.id = e.metric_id AND m.user_id = e.user_id
          """) == ["Ableitung I|{-265.868,12.5,0,1}|µV|512.5"])
    }
  }

  @Test func standardInputHasNoFilesBesideIt() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let database = try TestDatabase()
    let xml = TortureText.export(
      TortureText.record + TortureText.route("/workout-routes/a.gpx", from: "10:00:00", to: "10:01:00"))
    try Data(xml.utf8).write(to: URL(fileURLWithPath: programs.path("e.xml")))
    let run = try programs.run(
      ["import", "-", "--database", database.conninfo, "--user", "anna"], input: programs.path("e.xml"))
    #expect(run.status == 0, "\(run.errors)")
    #expect(run.output.contains("1  file that is named but not in the export"), "\(run.output)")
    #expect(
      try database.lines("SELECT metric_type, value FROM healthkit_metrics ORDER BY 1") == [
        "HKQuantityTypeIdentifierStepCount|12", "HKWorkoutRouteTypeIdentifier|∅", "HKWorkoutTypeIdentifier|120",
      ])
  }

  @Test func anExportWithoutItsFilesIsNotTheSameAsOneWithThem() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let database = try TestDatabase()
    let xml = TortureText.export(TortureText.route("/workout-routes/a.gpx", from: "10:00:00", to: "10:01:00"))
    let folder = programs.folder.appendingPathComponent("e/workout-routes")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try Data(xml.utf8).write(to: URL(fileURLWithPath: programs.path("e/export.xml")))
    let arguments = ["import", programs.path("e"), "--database", database.conninfo, "--user", "anna"]
    #expect(try programs.run(arguments).status == 0)
    try Data(TortureText.gpx(seconds: [1]).utf8).write(to: folder.appendingPathComponent("a.gpx"))
    #expect(try programs.run(arguments).status == 0)
    #expect(
      try database.lines("SELECT value FROM healthkit_metrics WHERE metric_type LIKE '%Route%'") == ["1"])
    #expect(try database.value("SELECT count(*) FROM hk2pg.route_points") == "1")
  }

  @Test func rejectsEndWithThree() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let database = try TestDatabase()
    let xml = TortureText.export(TortureText.record + TortureText.record.replacing("\"12\"", with: "\"much\""))
    try Data(xml.utf8).write(to: URL(fileURLWithPath: programs.path("e.xml")))
    let arguments = ["import", programs.path("e.xml"), "--database", database.conninfo, "--user", "anna"]
    let stopped = try programs.run(arguments + ["--max-rejects", "0"])
    #expect(stopped.status == 1, "\(stopped.errors)")
    #expect(try database.value("SELECT to_regclass('healthkit_metrics') IS NULL") == "t")
    let run = try programs.run(arguments + ["--rejects", programs.path("r.jsonl")])
    #expect(run.status == 3, "\(run.errors)")
    #expect(try database.lines("SELECT value FROM healthkit_metrics") == ["12"])
    let rejects = try String(contentsOfFile: programs.path("r.jsonl"), encoding: .utf8)
    #expect(rejects.contains(#""line":5,"reason":"rejectedNotANumber""#) && !run.output.contains("much"))
  }
}
