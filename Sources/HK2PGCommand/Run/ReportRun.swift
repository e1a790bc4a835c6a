import Foundation
import HealthModel
import ImportFlow
import PostgresClient
import Queries
import ReportPage

/// `hk2pg report`: everything of one user as a page.
struct ReportRun {
  let access: DatabaseAccess
  let output: OutputSettings

  /// - Parameter path: nil: the page goes to standard output, and nothing else does.
  func run(_ user: QueryUser, to path: String?, _ choice: DatabaseChoice) throws {
    let file = path.map(PageFile.init)
    // Said now, not after all was read.
    try file?.checkPlace()
    let reader = try access.reader(choice, user)
    defer { reader.connection.close() }
    let facts = try reader.read { session in
      try PageFacts.read(session, version: HK2PGVersion.current) { ProblemWords.text($0, count: $1) ?? $0.rawValue }
    }
    if facts.isEmpty { throw PageError.noData }
    let page = try HealthPage.html(facts, nonce: HealthPage.freshNonce())
    guard let file else {
      // A reader that went away is no failure of ours.
      let problem = Console.writeAll(page, to: STDOUT_FILENO)
      if problem != 0, problem != EPIPE { throw PageError.cannotWrite(path: "standard output", errno: problem) }
      return
    }
    try file.write(page)
    try show(PageReport(file: path ?? file.path, bytes: page.count, facts))
  }

  private func show(_ report: PageReport) throws {
    if output.isJSON {
      Console.writeResult(try ReportJSON.text(report))
    } else if !output.isQuiet {
      Console.writeResult(report.text)
    }
  }
}

/// What was written.
struct PageReport: Encodable, Equatable {
  var file: String
  var bytes: Int
  var metrics: Int
  var firstDay: String?
  var lastDay: String?

  init(file: String, bytes: Int, _ facts: PageFacts) {
    self.file = file
    self.bytes = bytes
    metrics = facts.series.count
    firstDay = facts.days?.lowerBound.description
    lastDay = facts.days?.upperBound.description
  }

  var text: String {
    let span = firstDay.flatMap { first in lastDay.map { ", \(first) to \($0)" } } ?? ""
    return """
      \(file): \(Words.count(metrics, "metric"))\(span), \(Words.bytes(Int64(bytes))).
      Open it in a browser. It holds health data: only your user may read the file.

      """
  }
}
