import Foundation
import PrivateCluster
import Testing

struct ServerCommandTests {
  @Test func outputAndStatusComeBack() throws {
    let outcome = try ServerCommand(["/bin/sh", "-c", "echo one; echo two >&2; exit 3"]).run()
    #expect(outcome.status == 3)
    #expect(outcome.output == "one\ntwo\n")
    #expect(try ServerCommand(["/bin/sh", "-c", "kill -9 $$"]).run().status == 137)
  }

  @Test func theCallersPostgresVariablesStayOut() throws {
    unsafe setenv("PGHK2PGTEST", "x", 1)
    let output = try ServerCommand(["/usr/bin/env"]).run().output
    #expect(!output.contains("PGHK2PGTEST"))
    #expect(output.contains("LC_ALL=C.UTF-8"))
  }

  @Test func itRunsInTheRootFolderWithoutInheritedFiles() throws {
    let ends = try SpawnedProcess.pipe()
    let outcome = try ServerCommand(["/bin/sh", "-c", "pwd; [ -e /proc/self/fd/\(ends.writing) ] || echo none"]).run()
    #expect(outcome.output == "/\nnone\n")
    close(ends.reading)
    close(ends.writing)
  }

  @Test func aProgramInTheBackgroundIsNotWaitedFor() throws {
    let start = ContinuousClock.now
    #expect(try ServerCommand(["/bin/sh", "-c", "sleep 20 >/dev/null 2>&1 & echo $!"]).run().status == 0)
    #expect(ContinuousClock.now - start < .seconds(10))
  }

  /// Swift Testing runs on Dispatch's threads, which block all signals.
  @Test func itCanBeStoppedByASignal() throws {
    let child = try ServerCommand(["/bin/sleep", "60"]).start(output: nil)
    #expect(SpawnedProcess.exitStatus(child) == nil)
    #expect(kill(child, SIGTERM) == 0)
    #expect(SpawnedProcess.wait(child) == 128 + SIGTERM)
  }

  @Test func aMissingProgramIsNamed() {
    #expect(throws: ClusterError.commandMissing(program: "/nowhere/x")) { try ServerCommand(["/nowhere/x"]).run() }
  }

  @Test(.enabled(if: getuid() == 0, "only root may run things as another user"))
  func itRunsAsAnotherUser() throws {
    #expect(try ServerCommand(["/usr/bin/id", "-un"], as: "nobody").run().output == "nobody\n")
  }
}
