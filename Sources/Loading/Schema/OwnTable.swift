import PostgresClient

/// A table of the schema `hk2pg`, described once: DDL and comments come from here.
struct OwnTable {
  struct Column {
    let name: String
    /// Type, NOT NULL and default.
    let definition: String
    let comment: String
    /// Version of the schema that brought it. A later one than the table's: nullable, or with a default.
    let since: Int

    init(_ name: String, _ definition: String, _ comment: String, since: Int = 1) {
      self.name = name
      self.definition = definition
      self.comment = comment
      self.since = since
    }
  }

  /// Who may read it beside the owner.
  enum Readers {
    case nobody
    /// A user of a Supabase-like database reads the rows whose user_id is theirs.
    case user
    /// Holds nothing about anybody.
    case everybody
  }

  let name: String
  let comment: String
  let columns: [Column]
  /// Table constraints and nothing else: `PRIMARY KEY (…)`.
  let constraints: [String]
  /// Statements after the table, which may be run again: indexes, triggers, values of columns that came later.
  let additions: [String]
  let readers: Readers

  init(
    _ name: String, _ comment: String, readers: Readers, columns: [Column], constraints: [String],
    additions: [String] = []
  ) {
    self.name = name
    self.comment = comment
    self.readers = readers
    self.columns = columns
    self.constraints = constraints
    self.additions = additions
  }

  var qualifiedName: String { "hk2pg.\(name)" }

  /// Statements that create the table, or bring one of an earlier version up to date.
  var statements: [String] {
    let lines = columns.map { "  \($0.name) \($0.definition)" } + constraints.map { "  \($0)" }
    var statements = ["CREATE TABLE IF NOT EXISTS \(qualifiedName) (\n\(lines.joined(separator: ",\n"))\n)"]
    statements += columns.filter { $0.since > 1 }.map {
      "ALTER TABLE \(qualifiedName) ADD COLUMN IF NOT EXISTS \($0.name) \($0.definition)"
    }
    statements += additions
    statements.append("COMMENT ON TABLE \(qualifiedName) IS \(SQLText.literal(comment))")
    statements += columns.map {
      "COMMENT ON COLUMN \(qualifiedName).\($0.name) IS \(SQLText.literal($0.comment))"
    }
    return statements
  }
}
