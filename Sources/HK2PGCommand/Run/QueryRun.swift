import Foundation
import HealthModel
import ImportFlow
import Loading
import PostgresClient
import PrivateCluster
import Queries

/// `hk2pg query`: one metric over time, or what there is.
struct QueryRun {
  let access: DatabaseAccess
  let output: OutputSettings

  func run(_ settings: QuerySettings, _ choice: DatabaseChoice) throws {
    let reader = try access.reader(choice, settings.user)
    defer { reader.connection.close() }
    let database = reader.connection.settings.address.words
    guard let name = settings.metric else {
      let report = try reader.read { MetricsReport($0, database: database, metrics: try $0.overview()) }
      return try show(report, settings, text: report.text, csv: report.csv)
    }
    let report = try reader.read { session in
      let metric = try session.metric(named: name)
      let series = try session.series(metric, settings.range(today: session.today), by: settings.period)
      return QueryReport(
        series, user: settings.user.id, database: database,
        elsewhere: series.daily.isEmpty ? try session.overview().first { $0.metric == metric }?.days : nil)
    }
    try show(report, settings, text: report.text, csv: report.csv)
  }

  private func show(
    _ report: some Encodable, _ settings: QuerySettings, text: (Paint) -> String, csv: () -> String
  ) throws {
    if settings.isCSV {
      Console.writeResult(csv())
    } else if output.isJSON {
      Console.writeResult(try ReportJSON.text(report))
    } else if !output.isQuiet {
      Console.writeResult(text(Paint(isOn: output.isColoured)))
    }
  }
}

extension QuerySettings {
  fileprivate func range(today: CivilDay) -> ClosedRange<CivilDay> {
    switch days {
    case .last(let count): today.advanced(by: 1 - count)...today
    case .range(let from, let to): from...max(from, to ?? today)
    }
  }
}

extension DatabaseAccess {
  /// A reader of one user's rows, over a connection of its own. A cluster that is there is started, none is made.
  ///
  /// A generated user with no rows beside those of somebody else is not meant (DESIGN §6).
  func reader(
    _ choice: DatabaseChoice, _ user: QueryUser, isInterrupted: (@Sendable () -> Bool)? = nil
  ) throws -> HealthReader {
    if choice.origin == .cluster, try PrivateCluster().state == .absent { throw FlowError.noClusterYet }
    let connection = try PostgresConnection(
      try settings(choice), isInterrupted: isInterrupted ?? self.isInterrupted)
    if !user.isExplicit {
      let users = try Ledger(connection).usersInTables(limit: 2)
      if users.count == 1, users[0] != user.id { throw FlowError.otherUserInTable(existing: users[0]) }
    }
    return HealthReader(
      connection, user: user.id, now: { Instant(microseconds: Int64(Date().timeIntervalSince1970 * 1_000_000)) })
  }
}
