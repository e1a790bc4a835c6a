/// Times of a folder that exports arrive in, in seconds.
package struct FolderTiming: Sendable, Equatable {
  /// A file that has not changed for so long may be complete (`settle_seconds`).
  package var settle = 3.0
  /// A file that is not complete and has not changed for so long is not waited for any more (`give_up_seconds`).
  package var giveUp = 120.0
  /// Between two looks where nothing tells of changes, as on a network file system (`poll_seconds`).
  package var poll = 30.0
  /// After a failed import, at first; doubled every time, up to an hour (`retry_seconds`).
  package var retry = 30.0

  package static let longestRetry = 3600.0

  package init() {}

  /// The pause after so many failures in a row.
  package func retryPause(afterFailures count: Int) -> Double {
    var pause = retry
    for _ in 1..<max(1, count) where pause < FolderTiming.longestRetry { pause *= 2 }
    return min(pause, max(retry, FolderTiming.longestRetry))
  }
}
