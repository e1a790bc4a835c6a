import Foundation
import Testing

@testable import Pipelines

@Suite(.timeLimit(.minutes(20))) struct FolderNotifierTests {
  /// Events that were queued meanwhile are taken away.
  private func drain(_ notifier: FolderNotifier) {
    while notifier.wait(seconds: 0.05, isInterrupted: { false }) == .changed {}
  }

  @Test func filesThatComeAreTold() throws {
    try withFolder { folder throws in
      let notifier = try FolderNotifier(folder)
      #expect(notifier.wait(seconds: 0.05, isInterrupted: { false }) == .timeout)
      try write("x", folder + "/a.zip")
      #expect(notifier.wait(seconds: 5, isInterrupted: { false }) == .changed)
      drain(notifier)
      try withFolder { other throws in
        try write("x", other + "/b.zip")
        try FileManager.default.moveItem(atPath: other + "/b.zip", toPath: folder + "/b.zip")
        #expect(notifier.wait(seconds: 5, isInterrupted: { false }) == .changed)
      }
    }
  }

  @Test func aFolderThatGoesIsTold() throws {
    try withFolder { parent throws in
      let folder = parent + "/watched"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: false)
      let notifier = try FolderNotifier(folder)
      try FileManager.default.removeItem(atPath: folder)
      #expect(notifier.wait(seconds: 5, isInterrupted: { false }) == .folderGone)
      #expect(throws: FolderNotifier.Failure(errno: ENOENT)) { try FolderNotifier(folder) }
    }
  }

  @Test func aFloodOfEventsIsAChange() throws {
    try withFolder { folder throws in
      let notifier = try FolderNotifier(folder)
      // More than a queue holds (16,384 by default) in one go.
      for number in 0..<9000 {
        let path = "\(folder)/\(number % 2)"
        try Data().write(to: URL(filePath: path))
        try FileManager.default.removeItem(atPath: path)
      }
      #expect(notifier.wait(seconds: 5, isInterrupted: { false }) == .changed)
      drain(notifier)
      try write("x", folder + "/later.zip")
      #expect(notifier.wait(seconds: 5, isInterrupted: { false }) == .changed)
    }
  }

  @Test func anInterruptionEndsTheWait() throws {
    try withFolder { folder throws in
      let notifier = try FolderNotifier(folder)
      let start = ContinuousClock.now
      var asked = 0
      let signal = notifier.wait(seconds: 60) {
        asked += 1
        return asked > 2
      }
      #expect(signal == .timeout)
      #expect(ContinuousClock.now - start < .seconds(5))
    }
  }
}
