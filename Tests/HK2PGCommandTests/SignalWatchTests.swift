import BoundedQueues
import Foundation
import Testing

@testable import HK2PGCommand

@Suite struct SignalWatchTests {
  @Test func theFirstSignalAsks() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let interruption = Interruption()
      let watch = SignalWatch(interruption)
      kill(getpid(), SIGTERM)
      for _ in 0..<500 where !interruption.isRequested { usleep(10_000) }
      _ = consume watch
      exit(interruption.signal == SIGTERM ? 7 : 1)
    }
  }

  @Test func theSecondSignalEndsAtOnce() async {
    await #expect(processExitsWith: .exitCode(130)) {
      let interruption = Interruption()
      let watch = SignalWatch(interruption)
      kill(getpid(), SIGINT)
      for _ in 0..<500 where !interruption.isRequested { usleep(10_000) }
      kill(getpid(), SIGINT)
      usleep(5_000_000)
      _ = consume watch
      exit(1)
    }
  }

  @Test func aReaderThatWentAwayIsNoCrash() async {
    await #expect(processExitsWith: .exitCode(7)) {
      let watch = SignalWatch(Interruption())
      var ends: [Int32] = [0, 0]
      _ = unsafe pipe(&ends)
      close(ends[0])
      dup2(ends[1], STDOUT_FILENO)
      Console.writeResult(String(repeating: "x", count: 1 << 20))
      _ = consume watch
      exit(7)
    }
  }
}
