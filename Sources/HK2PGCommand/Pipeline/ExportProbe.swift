import ExportReader
import Foundation
import HealthModel

/// A quick look at a file that may be an export: is it one, is it whole, and when was it made? Reads its ends only.
struct ExportProbe {
  enum Finding: Sendable, Equatable {
    /// `date`: ExportDate, in nanoseconds since 1970.
    case complete(date: Int64?)
    /// What is there of it looks like an export, or is too short to say.
    case incomplete(ExportError)
    /// Something else: another zip, `export_cda.xml`, …
    case foreign
  }

  static func look(at path: String) -> Finding {
    do throws(ExportError) {
      let export = try OpenExport.open(path: path)
      if export.kind != .zip, try !endsWell(export) { return .incomplete(.truncated(at: export.byteCount)) }
      return .complete(date: try date(of: export))
    } catch {
      switch error {
      case .notAnExport, .unsupportedEncoding, .unsupportedZip, .zipOnStandardInput, .standardInputReadTwice:
        return .foreign
      default: return .incomplete(error)
      }
    }
  }

  private static let endByteCount = 4096
  private static let headByteCount = 64 << 10

  /// A file that is still being written has no `</HealthData>` at its end; a zip has its directory there, which
  /// `OpenExport` has read.
  private static func endsWell(_ export: OpenExport) throws(ExportError) -> Bool {
    let path = export.kind == .folder ? "\(export.path)/\(export.mainPath)" : export.path
    guard let file = FileHandle(forReadingAtPath: path) else { throw .notReadable(path: path, errno: errno) }
    defer { try? file.close() }
    let offset = UInt64(max(0, export.byteCount - Int64(endByteCount)))
    guard (try? file.seek(toOffset: offset)) != nil, let end = try? file.readToEnd() else {
      throw .readFailed(path: path, errno: EIO, offset: Int64(offset))
    }
    return String(decoding: end, as: UTF8.self).contains("</HealthData")
  }

  ///     <ExportDate value="2024-05-03 12:00:00 +0200"/>
  private static func date(of export: OpenExport) throws(ExportError) -> Int64? {
    let stream = try export.makeStream()
    var head: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: headByteCount)
    while head.count < headByteCount {
      let count = try stream.read(into: &buffer)
      if count == 0 { break }
      head += buffer[..<count]
    }
    let text = String(decoding: head, as: UTF8.self)
    // The document type names the element too, without a value.
    guard let element = text.firstRange(of: "<ExportDate "),
      let value = text[element.upperBound...].firstRange(of: "value=\"")
    else { return nil }
    let rest = text[value.upperBound...].prefix { $0 != "\"" }
    return DateParser.parse(String(rest)).map { $0.instant.microseconds * 1000 }
  }
}
