/// What is wrong with the list of a cohort's exports. Paths and lines only: user ids are people's.
package enum CohortError: Error, Equatable, Sendable {
  /// The CSV file, or the folder that the pattern begins with, cannot be read.
  case unreadable(path: String, errno: Int32)
  /// Nothing matches.
  case empty(path: String)
  case badPattern(String, Pattern)
  case badTable(path: String, line: Int, Table)

  package enum Pattern: Equatable, Sendable {
    /// `{user}` twice in one name.
    case doubledUser
    /// `*` and `{user}` side by side: no telling where one ends.
    case adjacentMarks
  }

  package enum Table: Equatable, Sendable {
    case noHeader
    case missingColumn(String)
    case unknownColumn(String)
    case doubledColumn(String)
    case wrongCount(expected: Int, found: Int)
    case emptyField(String)
    case unclosedQuote
    case textAfterQuote
    /// The same user on two lines.
    case doubledUser(firstLine: Int)
    case notUTF8
  }
}

/// One participant: whose, and which exports to choose the newest of.
package struct CohortMember: Sendable, Equatable {
  package var user: String
  package var exports: [String]
  /// Of the CSV file.
  package var timezone: String?

  package init(user: String, exports: [String], timezone: String? = nil) {
    self.user = user
    self.exports = exports
    self.timezone = timezone
  }
}
