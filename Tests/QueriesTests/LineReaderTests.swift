import Foundation
import Testing

@testable import Queries

@Suite struct LineReaderTests {
  /// What a reader makes of the bytes of a file. (The end of a pipe would wait for every program that another test
  /// starts meanwhile, since they inherit it.)
  private func lines(_ bytes: [UInt8]) throws -> [LineReader.Line] {
    let path = NSTemporaryDirectory() + "hk2pg-lines-\(UUID().uuidString)"
    try Data(bytes).write(to: URL(filePath: path))
    defer { try? FileManager.default.removeItem(atPath: path) }
    let file = try #require(FileHandle(forReadingAtPath: path))
    var reader = LineReader(descriptor: file.fileDescriptor) { false }
    var result: [LineReader.Line] = []
    while let line = reader.next() { result.append(line) }
    return result
  }

  private func line(_ text: String) -> LineReader.Line { .line(Array(text.utf8)) }

  @Test func linesAreCut() throws {
    #expect(try lines(Array("a\nbc\n\n \t\r\nd".utf8)) == [line("a"), line("bc"), line("d")])
    #expect(try lines([]).isEmpty)
    #expect(try lines(Array("a\r\n".utf8)) == [line("a\r")])
  }

  @Test func aLongLineIsDroppedAndReadingGoesOn() throws {
    let long = [UInt8](repeating: 0x61, count: 3 << 20)
    #expect(try lines(long + Array("\nb\n".utf8)) == [.tooLong, line("b")])
    #expect(try lines(long) == [.tooLong])
    let longest = [UInt8](repeating: 0x61, count: 1 << 20)
    #expect(try lines(longest + [0x0A]) == [.line(longest)])
  }

  @Test func aStopEndsTheWait() {
    let pipe = Pipe()
    let start = Date()
    var reader = LineReader(descriptor: pipe.fileHandleForReading.fileDescriptor) {
      Date().timeIntervalSince(start) > 0.2
    }
    #expect(reader.next() == nil)
    #expect(Date().timeIntervalSince(start) > 0.2)
    pipe.fileHandleForWriting.closeFile()
  }
}
