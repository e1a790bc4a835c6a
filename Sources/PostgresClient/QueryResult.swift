internal import CPostgres

/// The answer to one statement: rows of text values, read through typed getters.
///
/// The rows stay in libpq's memory and are decoded when asked for.
@safe package final class QueryResult {
  private let handle: OpaquePointer
  package let rowCount: Int
  package let columnNames: [String]
  private let columnIndexes: [String: Int]

  /// Takes over `handle`, a PGresult.
  @unsafe init(_ handle: OpaquePointer) {
    unsafe self.handle = handle
    rowCount = Int(unsafe PQntuples(handle))
    let columnCount = unsafe PQnfields(handle)
    columnNames = (0..<columnCount).map { unsafe String(cString: PQfname(handle, $0)) }
    columnIndexes = Dictionary(columnNames.enumerated().map { ($1, $0) }) { first, _ in first }
  }

  deinit { unsafe PQclear(handle) }

  package var isEmpty: Bool { rowCount == 0 }

  package var rows: some RandomAccessCollection<Row> { (0..<rowCount).lazy.map { Row(result: self, index: $0) } }

  package subscript(row: Int) -> Row {
    precondition(row >= 0 && row < rowCount, "row \(row) of \(rowCount)")
    return Row(result: self, index: row)
  }

  /// `INSERT 0 5`, `CREATE TABLE`, `ROLLBACK` …
  package var commandTag: String { unsafe String(cString: PQcmdStatus(handle)) }

  /// Rows that INSERT, UPDATE, DELETE, COPY … touched; 0 for other statements.
  package var affectedRows: Int { unsafe Int(String(cString: PQcmdTuples(handle))) ?? 0 }

  /// A column by name or by position, as a literal: `row.int("count")`, `row.int(0)`.
  package enum Column: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral, Sendable {
    case name(String)
    case index(Int)
    package init(stringLiteral name: String) { self = .name(name) }
    package init(integerLiteral index: Int) { self = .index(index) }
  }

  package struct Row {
    let result: QueryResult
    package let index: Int

    package func isNull(_ column: Column) throws(PostgresError) -> Bool { try optionalText(column) == nil }

    package func optionalText(_ column: Column) throws(PostgresError) -> String? {
      try result.value(row: index, column: column)
    }

    package func text(_ column: Column) throws(PostgresError) -> String {
      try required(column, "text") { $0 }
    }
    package func int(_ column: Column) throws(PostgresError) -> Int { try required(column, "integer") { Int($0) } }
    package func optionalInt(_ column: Column) throws(PostgresError) -> Int? {
      try optional(column, "integer") { Int($0) }
    }
    package func double(_ column: Column) throws(PostgresError) -> Double {
      try required(column, "number", QueryResult.double)
    }
    package func optionalDouble(_ column: Column) throws(PostgresError) -> Double? {
      try optional(column, "number", QueryResult.double)
    }
    package func bool(_ column: Column) throws(PostgresError) -> Bool {
      try required(column, "boolean", QueryResult.bool)
    }
    package func optionalBool(_ column: Column) throws(PostgresError) -> Bool? {
      try optional(column, "boolean", QueryResult.bool)
    }

    private func optional<T>(
      _ column: Column, _ expected: String, _ convert: (String) -> T?
    ) throws(PostgresError) -> T? {
      guard let text = try optionalText(column) else { return nil }
      guard let value = convert(text) else { throw result.unexpected(column, row: index, expected) }
      return value
    }

    private func required<T>(
      _ column: Column, _ expected: String, _ convert: (String) -> T?
    ) throws(PostgresError) -> T {
      guard let value = try optional(column, expected, convert) else {
        throw result.unexpected(column, row: index, expected)
      }
      return value
    }
  }

  private func value(row: Int, column: Column) throws(PostgresError) -> String? {
    let index: Int? =
      switch column {
      case .name(let name): columnIndexes[name]
      case .index(let index): columnNames.indices.contains(index) ? index : nil
      }
    guard let index else { throw unexpected(column, row: row, "a column of that name or position") }
    if unsafe PQgetisnull(handle, Int32(row), Int32(index)) == 1 { return nil }
    let length = unsafe Int(PQgetlength(handle, Int32(row), Int32(index)))
    guard let start = unsafe PQgetvalue(handle, Int32(row), Int32(index)) else { return nil }
    let bytes = unsafe UnsafeRawBufferPointer(start: start, count: length)
    return unsafe String(decoding: bytes, as: UTF8.self)
  }

  private func unexpected(_ column: Column, row: Int, _ expected: String) -> PostgresError {
    let name =
      switch column {
      case .name(let name): name
      case .index(let index): String(index)
      }
    return .unexpectedValue(column: name, row: row, expected: expected)
  }

  private static func bool(_ text: String) -> Bool? { text == "t" ? true : text == "f" ? false : nil }

  /// PostgreSQL writes `Infinity`, `-Infinity` and `NaN`, which Swift reads as well.
  private static func double(_ text: String) -> Double? { Double(text) }
}
