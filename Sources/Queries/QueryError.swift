package import HealthModel

/// Why a question has no answer. Errors of the server are `PostgresError`, tables of another shape `LoadError`.
package enum QueryError: Error, Equatable, Sendable {
  /// Neither of the two published tables is there.
  case noTables
  /// No metric is called so.
  case unknownMetric(String, nearest: String?)
  /// A type whose samples are not summed up by day: a route, a correlation, an electrocardiogram.
  case noDailyValues(String)
  /// The first day is after the last one.
  case emptyRange(CivilDay, CivilDay)
}
