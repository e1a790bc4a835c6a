import Foundation
import Testing

@testable import PrivateCluster

struct PostmasterTests {
  private let text = """
    4242
    /var/lib/hk2pg/postgres/data
    1764518400
    5432
    /var/lib/hk2pg/postgres/socket

       12345678         3
    ready   

    """

  @Test func theFileIsRead() {
    let postmaster = Postmaster(parsing: text)
    #expect(postmaster?.processID == 4242)
    #expect(postmaster?.socketFolder == "/var/lib/hk2pg/postgres/socket")
    #expect(postmaster?.isReady == true)
    #expect(Postmaster(parsing: text.replacingOccurrences(of: "ready   ", with: "starting"))?.isReady == false)
  }

  @Test func halfAFileIsNoSurprise() {
    #expect(Postmaster(parsing: "") == nil)
    #expect(Postmaster(parsing: "garbage\n/x") == nil)
    #expect(Postmaster(parsing: "-1\n") == nil)
    #expect(Postmaster(parsing: "4242\n/x")?.socketFolder == nil)
  }

  /// After a reboot the recorded number is that of some other process: here, of this one.
  @Test func anotherProcessOfThatNumberIsNoServer() throws {
    let folder = NSTemporaryDirectory() + "hk2pg-postmaster-\(UInt32.random(in: 0...UInt32.max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let file = Postmaster.file(of: folder)
    try text.replacingOccurrences(of: "4242", with: "\(getpid())").write(
      toFile: file, atomically: true, encoding: .utf8)
    #expect(Postmaster.recorded(in: folder)?.processID == getpid())
    #expect(Postmaster.running(on: folder) == nil)
    Postmaster.removeStaleFile(of: folder)
    #expect(Postmaster.recorded(in: folder) == nil)
  }

  @Test func theFileOfADeadProcessIsLeftToTheServer() throws {
    let folder = NSTemporaryDirectory() + "hk2pg-postmaster-\(UInt32.random(in: 0...UInt32.max))"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(atPath: folder) }
    let child = try SpawnedProcess.start(["/bin/true"], input: nil, output: nil)
    _ = SpawnedProcess.wait(child)
    try "\(child)\n\(folder)\n".write(toFile: Postmaster.file(of: folder), atomically: true, encoding: .utf8)
    Postmaster.removeStaleFile(of: folder)
    #expect(Postmaster.recorded(in: folder) != nil)
    #expect(Postmaster.running(on: folder) == nil)
  }
}
