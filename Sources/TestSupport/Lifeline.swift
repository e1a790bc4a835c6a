internal import Foundation
internal import PrivateCluster

/// Runs a shell command when it is released, or when this process dies in any way, SIGKILL included.
///
/// A shell waits for the end of a pipe whose writing end only this process has.
final class Lifeline: Sendable {
  private let writingEnd: Int32
  private let shell: Int32

  init(command: String) throws {
    let ends = try SpawnedProcess.pipe()
    defer { close(ends.reading) }
    shell = try SpawnedProcess.start(["/bin/sh", "-c", "read _; \(command)"], input: ends.reading, output: nil)
    writingEnd = ends.writing
  }

  /// Returns when the command has ended.
  deinit {
    close(writingEnd)
    _ = SpawnedProcess.wait(shell)
  }
}
