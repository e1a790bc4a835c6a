import Foundation
import PrivateCluster

/// `hk2pg db …`: the private cluster in the user's hands.
struct ClusterRun {
  let access: DatabaseAccess
  let output: OutputSettings

  func run(_ action: Invocation.DatabaseAction) throws {
    let cluster = try PrivateCluster()
    switch action {
    case .start:
      _ = try access.start(cluster)
      try show(ClusterFacts(cluster), "The private cluster runs. Open it: hk2pg db psql")
    case .stop:
      let wasRunning = try cluster.stop(isInterrupted: access.isInterrupted)
      try show(
        ClusterFacts(cluster),
        wasRunning ? "The private cluster is stopped." : "The private cluster was not running.")
    case .status:
      let facts = ClusterFacts(cluster)
      try show(facts, facts.text)
    case .url:
      // An address nobody answers at is of no use: psql "$(hk2pg db url)".
      _ = try access.start(cluster)
      let facts = ClusterFacts(cluster)
      if output.isJSON { try show(facts, "") } else { output.writeResult(facts.url + "\n") }
    case .psql(let arguments):
      _ = try access.start(cluster)
      throw ProgramReplacement.replace(with: try cluster.psqlCommand(arguments))
    }
  }

  private func show(_ facts: ClusterFacts, _ text: String) throws {
    if output.isJSON {
      output.writeResult(try ReportJSON.text(facts))
    } else if !output.isQuiet {
      output.writeResult(text + "\n")
    }
  }
}

/// What `hk2pg db status` tells.
struct ClusterFacts: Encodable, Equatable {
  /// absent, stopped or running.
  var state: String
  var processId: Int32?
  var url: String
  var folder: String
  var log: String
  var postgresqlVersion: Int

  var text: String {
    var table = TextTable([("", .left), ("", .left)])
    table.add([
      "state",
      state == "absent" ? "not made yet: hk2pg db start, or the first import, makes it" : state,
    ])
    if let processId { table.add(["process", "\(processId)"]) }
    table.add(["url", url])
    table.add(["folder", folder])
    table.add(["log", log])
    table.add(["version", "PostgreSQL \(postgresqlVersion)"])
    return (["The private cluster"] + table.lines()).joined(separator: "\n")
  }
}

extension ClusterFacts {
  init(_ cluster: PrivateCluster) {
    switch cluster.state {
    case .absent: self.state = "absent"
    case .stopped: self.state = "stopped"
    case .running(let id):
      self.state = "running"
      self.processId = id
    }
    self.url = cluster.url
    self.folder = cluster.layout.dataFolder
    self.log = cluster.layout.logFile
    self.postgresqlVersion = cluster.binaries.major
  }
}

/// Another program in this process's place: it has the terminal, the signals and the exit code for itself.
enum ProgramReplacement {
  /// Returns only when it failed.
  static func replace(with words: [String]) -> ClusterError {
    SignalWatch.restoreDefaults()
    var arguments = unsafe words.map { unsafe strdup($0) } + [nil]
    // The copies live until the process becomes another one; after a failure they are a few bytes of an ending process.
    _ = unsafe execv(words[0], &arguments)
    return .commandMissing(program: words[0])
  }
}
