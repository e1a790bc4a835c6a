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
/// {"byte_offset":1734,"reason":"rejectedNoStart","text":"<Record type=\"…\"/>"}
/// ```
/// The file holds health data: it is written with mode 0600.
final class RejectWriter: @unchecked Sendable {
  // @unchecked: all state is only touched under `lock`.
  private let lock = NSLock()
  private let file: FileHandle?
  private let limit: Int?
  private var nextSegment = 0
  private var pending: [Int: [Reject]] = [:]
  private var count = 0

  /// `path` nil: rejects are only counted. `limit` nil: any number.
  init(path: String?, limit: Int?) throws {
    self.limit = limit
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

  /// Rejects found after parsing (too many samples in one second) have no text any more.
  func close() throws {
    try lock.withLock { try file?.close() }
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
