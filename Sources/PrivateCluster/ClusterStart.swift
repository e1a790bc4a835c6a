internal import Foundation
internal import PostgresClient

/// One start of the server, up to its first answer: a loop over what it says of itself.
struct ClusterStart {
  let cluster: PrivateCluster
  let setup: ClusterSetup
  let isInterrupted: @Sendable () -> Bool

  private static let pauseMicroseconds: UInt32 = 50_000
  private static let quietSeconds = 2.0
  /// A log is kept from one start to the next up to this size.
  private static let logByteLimit = 1 << 20

  func run(_ report: (PrivateCluster.Event) -> Void) throws(ClusterError) {
    let settings = try cluster.settings.replacing(database: "postgres")
    var child: (number: Int32, logOffset: Int)?
    // Every start says "starting up" for a moment; what lasts is recovery.
    var recoveryReport: Date? = Date().addingTimeInterval(ClusterStart.quietSeconds)
    defer { if let child { SpawnedProcess.forget(child.number) } }
    let deadline = Date().addingTimeInterval(Double(PrivateCluster.readySeconds))
    while Date() < deadline {
      if let child, let status = SpawnedProcess.exitStatus(child.number) {
        throw failure(status: status, logOffset: child.logOffset)
      }
      if Postmaster.running(on: cluster.layout.dataFolder)?.isUnreachable == true { try cluster.stopServer() }
      // A server that another program started may be on its way down; only when it is gone comes ours.
      if child == nil, Postmaster.running(on: cluster.layout.dataFolder) == nil {
        report(.starting)
        child = try launch()
      }
      do {
        _ = try PostgresConnection(settings, isInterrupted: isInterrupted)
        return
      } catch {
        switch error {
        case .interrupted: throw .interrupted
        case .connection(.notReady, _, _):
          if let moment = recoveryReport, Date() > moment {
            report(.recovering)
            recoveryReport = nil
          }
        case .connection(.socketMissing, _, _), .connection(.refused, _, _), .connection(.closedByServer, _, _): break
        default: throw .postgres(error)
        }
      }
      if isInterrupted() { throw .interrupted }
      usleep(ClusterStart.pauseMicroseconds)
    }
    throw .notReady(seconds: PrivateCluster.readySeconds, log: cluster.layout.logFile)
  }

  private func launch() throws(ClusterError) -> (number: Int32, logOffset: Int) {
    Postmaster.removeStaleFile(of: cluster.layout.dataFolder)
    try setup.writeConfiguration()
    let log = try openLog()
    defer { close(log) }
    let offset = Int(lseek(log, 0, SEEK_END))
    let command = ServerCommand(
      [cluster.binaries.path("postgres"), "-D", cluster.layout.dataFolder], as: cluster.serverUser)
    return (try command.start(output: log), offset)
  }

  private func openLog() throws(ClusterError) -> Int32 {
    let path = cluster.layout.logFile
    var status = stat()
    if unsafe lstat(path, &status) == 0, status.st_size > ClusterStart.logByteLimit {
      _ = unsafe rename(path, path + ".1")
    }
    let descriptor = unsafe open(path, O_CREAT | O_WRONLY | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0o600)
    if descriptor < 0 { throw FileFailure(errno).error(path: path, user: NSUserName()) }
    return descriptor
  }

  /// What the server wrote before it ended.
  private func failure(status: Int32, logOffset: Int) -> ClusterError {
    let log = cluster.layout.logFile
    var text = ""
    if let handle = FileHandle(forReadingAtPath: log) {
      try? handle.seek(toOffset: UInt64(max(logOffset, 0)))
      text = String(decoding: (try? handle.readToEnd()) ?? Data(), as: UTF8.self)
    }
    return setup.failure(program: "postgres", text.isEmpty ? "exit status \(status)" : text, log: log)
  }
}
