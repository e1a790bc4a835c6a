import BoundedQueues
import ExportReader
import Foundation
import HealthModel
import ImportFlow
import Loading
import Pipelines
import PostgresClient
import PrivateCluster

/// `hk2pg run FILE --check`: what a run would use, and whether it could. Writes nothing, makes nothing, starts nothing.
struct PipelineCheck {
  let plan: PipelinePlan
  let output: OutputSettings
  let interruption: Interruption

  /// Shows all of it first; then throws what would keep a run from working.
  func run() throws -> ExitCode {
    let (subject, export) = source()
    let steps = try plan.steps(for: subject).steps
    var problems = export.problem.map { [$0] } ?? []
    var databases: [String] = []
    var stored: UserSettings?
    for step in try distinctDatabases(of: steps) {
      do {
        let found = try look(at: step.choice, user: step.user)
        databases.append(found.words)
        stored = stored ?? found.stored
      } catch { problems.append(error) }
    }
    for step in steps {
      guard case .migrate(let settings) = step.invocation.command else { continue }
      do { databases += try look(at: settings) } catch { problems.append(error) }
    }
    let report = CheckReport(
      pipeline: plan.file.place(nil), steps: steps.map(\.name.rawValue),
      settings: try CheckedSettings(plan: plan, steps: steps, stored: stored).all, export: export.words,
      databases: databases)
    if output.isJSON {
      output.writeResult(try ReportJSON.text(report))
    } else {
      output.writeResult(report.text(Paint(isOn: output.isColoured)))
    }
    if let problem = problems.first { throw problem }
    return .done
  }

  // MARK: What is read

  private func source() -> (PipelinePlan.Subject, (words: String?, problem: (any Error)?)) {
    switch plan.file.source {
    case .none: return (PipelinePlan.Subject(), (nil, nil))
    case .export(let path): return (PipelinePlan.Subject(export: path), PipelineCheck.words(path))
    case .folder(let folder):
      var chooser = FolderChooser(folder: folder, timing: plan.file.timing)
      do {
        let choice = try chooser.look()
        guard let best = choice.best else {
          let words = choice.pending.isEmpty && choice.stuck.isEmpty ? "none in the folder yet" : "none whole yet"
          return (PipelinePlan.Subject(export: folder), (words, nil))
        }
        let found = PipelineCheck.words(best.path)
        return (PipelinePlan.Subject(export: best.path), found)
      } catch { return (PipelinePlan.Subject(export: folder), (nil, error)) }
    case .exports:
      do {
        let members = try CohortExports.members(plan)
        let missing = members.count { !FileManager.default.fileExists(atPath: CohortExports.newest($0)) }
        let words =
          Words.count(members.count, "user") + (missing > 0 ? ", \(Words.count(missing)) without a file" : "")
        return (PipelinePlan.Subject(export: "", user: ExportPattern.userMark), (words, nil))
      } catch { return (PipelinePlan.Subject(export: "", user: ExportPattern.userMark), (nil, error)) }
    }
  }

  private static func words(_ path: String) -> (words: String?, problem: (any Error)?) {
    do {
      let export = try OpenExport.open(path: path)
      let size = export.byteCount > 0 ? ", \(Words.bytes(export.byteCount))" : ""
      guard case .complete(let date) = ExportProbe.look(at: path) else {
        return ("\(export.name.shown(limit: 80))\(size), not whole", nil)
      }
      let made = date.map { ", made \(Instant(microseconds: $0 / 1000).utcDay)" } ?? ""
      return ("\(export.name.shown(limit: 80))\(size)\(made)", nil)
    } catch { return (nil, error) }
  }

  // MARK: Databases

  private func distinctDatabases(of steps: [PipelinePlan.Step]) throws -> [(choice: DatabaseChoice, user: String?)] {
    var found: [(choice: DatabaseChoice, user: String?)] = []
    for step in steps where step.name.definition.options.contains(.database) {
      let choice = try DatabaseChoice(step.arguments, plan.surroundings)
      if found.contains(where: { $0.choice == choice }) { continue }
      let user = plan.isCohort ? nil : try UserChoice.named(step.arguments, plan.surroundings)?.id
      found.append((choice, user))
    }
    return found
  }

  /// Connects, and checks server, rights and shapes as an import does before it begins.
  private func look(at choice: DatabaseChoice, user: String?) throws -> (words: String, stored: UserSettings?) {
    let settings: ConnectionSettings
    if let conninfo = choice.conninfo {
      settings = try ConnectionSettings(conninfo: conninfo)
    } else {
      let cluster = try PrivateCluster()
      switch cluster.state {
      case .absent: return ("the private cluster, which the first run makes", nil)
      case .stopped: return ("the private cluster, which is stopped and which a run starts", nil)
      case .running: settings = try cluster.settings
      }
    }
    return try lookAsWriter(settings, user: user ?? (try? UserChoice.kept(plan.surroundings, mayMake: false)?.id))
  }

  /// The source is only read, so that it may be a replica.
  private func look(at settings: MigrateSettings) throws -> [String] {
    let source = try PostgresConnection(
      try ConnectionSettings(conninfo: settings.from), isInterrupted: isInterrupted)
    defer { source.close() }
    let there = try lookAsWriter(
      try ConnectionSettings(conninfo: settings.to), user: settings.newUser ?? settings.user)
    return [try words(source) { $0 ? "has the tables" : "has no tables to copy" }, there.words]
  }

  private var isInterrupted: @Sendable () -> Bool { { [interruption] in interruption.isRequested } }

  private func lookAsWriter(
    _ settings: ConnectionSettings, user: String?
  ) throws -> (words: String, stored: UserSettings?) {
    // Without a user, any id that fits both shapes of user_id will do.
    let loader = try Loader(
      settings, user: user ?? UUID().uuidString.lowercased(), isInterrupted: isInterrupted)
    defer { loader.close() }
    let connection = try PostgresConnection(settings, isInterrupted: isInterrupted)
    defer { connection.close() }
    let words = try words(connection) { $0 ? "tables and rights are right" : "the first run makes the tables" }
    return (words, try loader.ledger.settings(of: loader.userID))
  }

  private func words(_ connection: PostgresConnection, _ tables: (Bool) -> String) throws -> String {
    let row = try connection.query(
      """
      SELECT current_setting('server_version') AS version,
        to_regclass('healthkit_metrics') IS NOT NULL AS is_there
      """)[0]
    let address = connection.settings.address.words
    return "\(address), PostgreSQL \(try row.text("version")): \(tables(try row.bool("is_there")))"
  }
}

/// What `--check` shows.
struct CheckReport: Encodable {
  var pipeline: String
  var steps: [String]
  var settings: [CheckedSettings.Row]
  var export: String?
  var databases: [String]

  func text(_ paint: Paint) -> String {
    var lines = [paint.bold("\(pipeline.shown(limit: 200)): \(steps.joined(separator: ", "))"), ""]
    var table = TextTable([("setting", .left), ("value", .left), ("from", .left)])
    for row in settings {
      table.add([row.step.map { "\(row.name) (\($0))" } ?? row.name, row.value.shown(limit: 400), row.origin])
    }
    lines += table.lines(paint: paint) + [""]
    var facts = TextTable([("", .left), ("", .left)])
    if let export { facts.add(["export", export]) }
    for database in databases { facts.add(["database", database.shown(limit: 300)]) }
    lines += facts.lines()
    return (lines + ["", "Nothing was written."]).map { $0 + "\n" }.joined()
  }
}
