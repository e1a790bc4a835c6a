import ExportReader
import Foundation
import HealthModel

/// A sample that cannot be a row: where it stands, why, and its text.
struct Reject: Sendable {
  var kind: ProblemKind
  var inputOffset: Int64
  var text: [UInt8]
}

/// `--rejects FILE.jsonl`: one JSON object a line, in the order of the input, whatever worker finished first.
///
/// ```
/// {"byte_offset":1734,"line":21,"reason":"rejectedNoStart","text":"<Record type=\"…\"/>"}
/// {"file":"electrocardiograms/ecg_2024-02-03.csv","reason":"rejectedUnreadableFile"}
/// ```
/// The text is that of the element, after repairs and at most 4 KB of it. The file holds health data: it is written with mode 0600.
final class RejectWriter: @unchecked Sendable {
  // @unchecked: all state is only touched under `lock`.
  private let lock = NSLock()
  private let file: FileHandle?
  private let path: String?
  private let limit: Int?
  private var nextSegment = 0
  private var pending: [Int: [Reject]] = [:]
  private var count = 0

  /// `path` nil: rejects are only counted. `limit` nil: any number.
  init(path: String?, limit: Int?) throws {
    self.limit = limit
    self.path = path
    guard let path else {
      file = nil
      return
    }
    guard
      FileManager.default.createFile(atPath: path, contents: nil, attributes: [.posixPermissions: 0o600]),
      let file = FileHandle(forWritingAtPath: path)
    else { throw FlowError.cannotWrite(path: path, errno: errno) }
    self.file = file
  }

  /// Called once for every segment, in any order. Throws `FlowError.tooManyRejects` when the limit is passed.
  func finish(segment: Int, rejects: [Reject]) throws {
    try lock.withLock {
      count += rejects.count
      if let limit, count > limit {
        throw FlowError.tooManyRejects(limit: limit, firstOffset: rejects.first?.inputOffset ?? 0)
      }
      guard let file else { return }
      pending[segment] = rejects
      var lines = Data()
      while let ready = pending.removeValue(forKey: nextSegment) {
        for reject in ready { lines.append(RejectWriter.line(for: reject)) }
        nextSegment += 1
      }
      if !lines.isEmpty { try file.write(contentsOf: lines) }
    }
  }

  /// A file beside the XML that is no sample; after all segments.
  func add(file path: String, kind: ProblemKind) throws {
    try lock.withLock {
      count += 1
      if let limit, count > limit { throw FlowError.tooManyRejects(limit: limit, firstOffset: 0) }
      try file?.write(contentsOf: RejectWriter.line(Line(file: path, reason: kind.rawValue)))
    }
  }

  /// Ends the file, with line numbers where the export can be read again. Rejects found after parsing (too many samples
  /// in one second) have no text any more, and do not stand in it.
  func close(numberingLinesOf export: OpenExport? = nil) throws {
    try lock.withLock {
      try file?.close()
      guard count > 0, let path, let lines = export.flatMap(LineCounter.init) else { return }
      try RejectWriter.number(path, lines)
    }
  }

  /// Lines are counted only now: a pass over the export that hardly any run needs.
  private static func number(_ path: String, _ counter: LineCounter) throws {
    var status = stat()
    // A pipe has passed on what was written.
    guard unsafe stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else { return }
    var counter = counter
    let partial = path + ".partial"
    guard
      FileManager.default.createFile(atPath: partial, contents: nil, attributes: [.posixPermissions: 0o600]),
      let output = FileHandle(forWritingAtPath: partial)
    else { throw FlowError.cannotWrite(path: partial, errno: errno) }
    var numbered = Data()
    var rest = try Data(contentsOf: URL(fileURLWithPath: path), options: .alwaysMapped)[...]
    while let end = rest.firstIndex(of: 0x0A) {
      append(rest[..<end], &counter, to: &numbered)
      rest = rest[(end + 1)...]
      if numbered.count >= 1 << 20 || rest.isEmpty {
        try output.write(contentsOf: numbered)
        numbered.removeAll(keepingCapacity: true)
      }
    }
    try output.close()
    guard unsafe rename(partial, path) == 0 else { throw FlowError.cannotWrite(path: path, errno: errno) }
  }

  private static func append(_ line: Data, _ counter: inout LineCounter, to numbered: inout Data) {
    let prefix = #"{"byte_offset":"#
    let digits = line.dropFirst(prefix.utf8.count).prefix { $0 != UInt8(ascii: ",") }
    if line.starts(with: prefix.utf8), let offset = Int64(String(decoding: digits, as: UTF8.self)),
      let number = counter.line(at: offset)
    {
      numbered += line[..<digits.endIndex] + Data(",\"line\":\(number)".utf8) + line[digits.endIndex...]
    } else {
      numbered += line
    }
    numbered.append(0x0A)
  }

  private struct Line: Encodable {
    var byteOffset: Int64?
    var file: String?
    var reason: String
    var text: String?

    enum CodingKeys: String, CodingKey {
      case byteOffset = "byte_offset"
      case file, reason, text
    }
  }

  private static func line(for reject: Reject) -> Data {
    line(
      Line(
        byteOffset: reject.inputOffset, reason: reject.kind.rawValue,
        text: String(decoding: reject.text, as: UTF8.self)))
  }

  private static func line(_ line: Line) -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var data = (try? encoder.encode(line)) ?? Data()
    data.append(UInt8(ascii: "\n"))
    return data
  }
}
