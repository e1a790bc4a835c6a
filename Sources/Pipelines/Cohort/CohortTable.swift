internal import Foundation

/// A CSV file that lists exports and whose they are (RFC 4180, UTF-8, with or without a byte order mark).
///
/// ```
/// export,user,timezone
/// p-001.zip,p-001,
/// "site 2/export.zip",p-002,Europe/Berlin
/// ```
/// Relative paths start at the CSV file's own folder.
package enum CohortTable {
  package static func read(_ path: String) throws(CohortError) -> [CohortMember] {
    guard let data = FileManager.default.contents(atPath: path) else {
      var status = stat()
      let code = unsafe stat(path, &status) == 0 ? (status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EACCES) : errno
      throw .unreadable(path: path, errno: code)
    }
    return try members(Array(data), path: path)
  }

  static func members(_ bytes: [UInt8], path: String) throws(CohortError) -> [CohortMember] {
    let body = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? Array(bytes.dropFirst(3)) : bytes
    guard let text = String(validating: body, as: UTF8.self) else { throw .badTable(path: path, line: 1, .notUTF8) }
    var records: [CSVRecord]
    do { records = try CSVRecord.all(text) } catch { throw .badTable(path: path, line: error.line, error.reason) }
    records.removeAll { $0.fields == [""] }
    guard !records.isEmpty else { throw .badTable(path: path, line: 1, .noHeader) }
    let columns = try columns(records.removeFirst(), path)
    let folder = path.split(separator: "/", omittingEmptySubsequences: false).dropLast().joined(separator: "/")
    var members: [CohortMember] = []
    var firstLines: [String: Int] = [:]
    for record in records {
      guard record.fields.count == columns.count else {
        throw .badTable(
          path: path, line: record.line, .wrongCount(expected: columns.count, found: record.fields.count))
      }
      let fields = Dictionary(uniqueKeysWithValues: zip(columns, record.fields))
      for name in ["export", "user"] where fields[name, default: ""].isEmpty {
        throw .badTable(path: path, line: record.line, .emptyField(name))
      }
      let (export, user) = (fields["export", default: ""], fields["user", default: ""])
      if let first = firstLines[user] { throw .badTable(path: path, line: record.line, .doubledUser(firstLine: first)) }
      firstLines[user] = record.line
      let zone = fields["timezone"].flatMap { $0.isEmpty ? nil : $0 }
      let isRelative = !export.hasPrefix("/") && path.contains("/")
      members.append(
        CohortMember(user: user, exports: [isRelative ? "\(folder)/\(export)" : export], timezone: zone))
    }
    if members.isEmpty { throw .empty(path: path) }
    return members
  }

  private static func columns(_ header: CSVRecord, _ path: String) throws(CohortError) -> [String] {
    let columns = header.fields.map { $0.trimmingCharacters(in: .whitespaces).lowercased() }
    func fail(_ reason: CohortError.Table) -> CohortError { .badTable(path: path, line: header.line, reason) }
    for (index, column) in columns.enumerated() {
      if !["export", "user", "timezone"].contains(column) { throw fail(.unknownColumn(column)) }
      if columns[..<index].contains(column) { throw fail(.doubledColumn(column)) }
    }
    for needed in ["export", "user"] where !columns.contains(needed) { throw fail(.missingColumn(needed)) }
    return columns
  }
}

/// One line of a CSV file, or several where a quoted field has line breaks.
struct CSVRecord: Equatable {
  var line: Int
  var fields: [String]

  struct Failure: Error {
    var line: Int
    var reason: CohortError.Table
  }

  static func all(_ text: String) throws(Failure) -> [CSVRecord] {
    var records: [CSVRecord] = []
    var rest = Array(text.unicodeScalars)[...]
    var line = 1
    while !rest.isEmpty {
      var record = CSVRecord(line: line, fields: [])
      repeat { record.fields.append(try field(&rest, &line)) } while take(",", &rest)
      _ = take("\r", &rest)
      if take("\n", &rest) { line += 1 } else if !rest.isEmpty { throw Failure(line: line, reason: .textAfterQuote) }
      records.append(record)
    }
    return records
  }

  private static func take(_ scalar: Unicode.Scalar, _ rest: inout ArraySlice<Unicode.Scalar>) -> Bool {
    guard rest.first == scalar else { return false }
    rest.removeFirst()
    return true
  }

  private static func field(
    _ rest: inout ArraySlice<Unicode.Scalar>, _ line: inout Int
  ) throws(Failure) -> String {
    var result = String.UnicodeScalarView()
    guard take("\"", &rest) else {
      while let scalar = rest.first, ![",", "\n", "\r"].contains(scalar) { result.append(rest.removeFirst()) }
      return String(result).trimmingCharacters(in: .whitespaces)
    }
    let start = line
    while let scalar = rest.popFirst() {
      if scalar == "\"" {
        if !take("\"", &rest) { return String(result) }
        result.append("\"")
      } else {
        if scalar == "\n" { line += 1 }
        result.append(scalar)
      }
    }
    throw Failure(line: start, reason: .unclosedQuote)
  }
}
