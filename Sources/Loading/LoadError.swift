package import HealthModel
import PostgresClient

/// Why the database side refused, or a load could not go on. Errors of the server itself are `PostgresError`, those of
/// the chunk files `StagingError`; both pass through unchanged.
package enum LoadError: Error, Sendable, Equatable {
  /// Older than PostgreSQL 15 (`server_version_num`).
  case serverTooOld(version: Int)
  /// The database's encoding is not UTF-8.
  case encoding(String)
  /// A standby, or `default_transaction_read_only`.
  case readOnly
  /// The role lacks rights; `sql` is what the owner has to run.
  case missingRights(what: String, sql: String)
  /// A published table has a shape that hk2pg does not serve.
  case alienShape(table: String, differences: [ShapeDifference])
  /// `user_id` is a uuid column, and the user is no UUID.
  case userIsNoUUID
  /// `--no-wait`, and another import of the user runs.
  case busy(LeaseHolder)
  /// Somebody took the lease over: this process was silent for too long.
  case leaseLost
  /// `--missing-rows remove` would remove more than 5 % of a type, and `--force` was not given.
  case wouldRemoveTooMuch([TypeLoss])
  /// A chunk is not what the manifest says, or not what the tables can take.
  case badChunk(file: String, reason: String)
  /// Rows of this type and UTC day are not in the chunks, since the database they were staged for held them; this one
  /// does not, or not any more. To be staged again, whole.
  case leftOut(metricType: String, day: CivilDay)
  /// The chunks are of another user.
  case otherUser(staged: String)
  /// The schema `hk2pg` was made by an earlier version of this program, and the role may not alter it.
  case olderSchema(found: Int, owner: String)
  /// The schema `hk2pg` was made by a newer version of this program.
  case newerSchema(found: Int)
  /// Ranks of sources in `hk2pg.user_settings` are no lists of names by metric type: somebody wrote them by hand.
  case malformedRanks(column: String, user: String)
  /// The limits of days in `hk2pg.user_settings.summarized_days` cannot be read: somebody has changed them.
  case malformedDays(user: String)
  /// `summarize --days` in another zone than the summaries beside these days have.
  case daysOfOtherZone(summaries: String, wanted: String)
  /// `summarize --days` with other source ranks than the summaries beside these days have.
  case daysByOtherRanks
  /// A named fault point was reached, in tests.
  case fault(String)

  /// Nothing was changed, and the same call would be refused again: there is nothing to go on with.
  package var isRefusal: Bool {
    switch self {
    case .leaseLost, .fault, .leftOut: false
    default: true
    }
  }
}

/// What removal would do to one type.
package struct TypeLoss: Sendable, Equatable {
  package var metricType: String
  package var rows: Int
  package var lost: Int
}

/// One thing about a table that is not as DESIGN §2.1 allows.
package enum ShapeDifference: Sendable, Equatable {
  case notATable(kind: String)
  case missingColumn(String)
  case columnType(String, expected: String, found: String)
  /// NOT NULL where hk2pg has to store NULL.
  case notNull(String)
  /// A column of somebody else's that is NOT NULL and has no default.
  case extraColumnWithoutDefault(String)
  case missingKey([String])
  /// A unique key that would refuse samples.
  case extraKey(String, [String])
  case partitioning(String)
}
