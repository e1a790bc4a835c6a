import BoundedQueues
import Foundation
import PostgresClient

/// Who writes for a user at the moment.
package struct LeaseHolder: Sendable, Equatable {
  /// Name of the machine.
  package var host: String
  package var processID: Int
  /// ISO 8601.
  package var since: String
}

/// The right to write for one user (DESIGN §7.7): a row in `hk2pg.leases`, kept alive by heartbeats.
///
/// ```
/// acquire   under the user's advisory lock: no row, an expired one, or one of a dead process of this machine
/// work      every transaction takes the lock (shared: chunks and indexes; alone: publishing) and looks for the token
/// takeover  needs the lock alone, so never while a transaction of the old holder is in flight
/// ```
/// Nothing is kept in a session, so a transaction pooler may stand in between.
final class Lease: Sendable {
  struct Timing: Sendable {
    var lifetimeSeconds = 30
    var heartbeatSeconds = 5.0
    var pollSeconds = 0.25
  }

  let userID: String
  private let token: String
  private let heartbeat: Heartbeat
  /// Of this process's leases that are in use. One that is not, its connection was lost before it could be given back.
  private static let inUse = Guarded<Set<String>>([])

  private init(userID: String, token: String, heartbeat: Heartbeat) {
    self.userID = userID
    self.token = token
    self.heartbeat = heartbeat
  }

  enum Wait: Sendable {
    case waiting(LeaseHolder)
    case tookOver(LeaseHolder)
  }

  /// Waits for the lease, or throws `LoadError.busy` at once when `isNoWait`.
  static func acquire(
    _ userID: String, _ server: ServerFacts, _ connection: PostgresConnection, isNoWait: Bool,
    timing: Timing = Timing(),
    isInterrupted: @escaping @Sendable () -> Bool, onWait: (Wait) -> Void
  ) throws -> Lease {
    let token = UUID().uuidString.lowercased()
    var announced: LeaseHolder?
    var isAcquired = false
    inUse.withLock { _ = $0.insert(token) }
    defer { if !isAcquired { inUse.withLock { _ = $0.remove(token) } } }
    while true {
      switch try attempt(userID, token, server, connection, timing) {
      case .acquired(let former):
        if let former { onWait(.tookOver(former)) }
        isAcquired = true
        let heartbeat = Heartbeat(userID: userID, token: token, settings: connection.settings, timing: timing)
        return Lease(userID: userID, token: token, heartbeat: heartbeat)
      case .held(let holder):
        if isNoWait { throw LoadError.busy(holder) }
        if announced != holder { onWait(.waiting(holder)) }
        announced = holder
      case .lockHeld(let former):
        if let former, announced != former { onWait(.waiting(former)) }
        announced = former
      }
      if isInterrupted() { throw PostgresError.interrupted }
      Thread.sleep(forTimeInterval: timing.pollSeconds)
    }
  }

  /// Who works for the user at the moment; nil when nobody does.
  static func holder(of userID: String, _ connection: PostgresConnection) throws -> LeaseHolder? {
    guard try connection.query("SELECT to_regclass('hk2pg.leases') IS NOT NULL")[0].bool(0) else { return nil }
    return try entry(of: userID, connection).flatMap { $0.isAlive ? $0.holder : nil }
  }

  /// What the user's row says. One of a process of this machine that died, or of a lease of this process that nobody
  /// uses, is not alive.
  private static func entry(
    of userID: String, _ connection: PostgresConnection
  ) throws -> (holder: LeaseHolder, isAlive: Bool)? {
    let row = try connection.query(
      """
      SELECT host, process_id, process_start, token::text AS token, expires_at < clock_timestamp() AS is_expired,
        to_char(acquired_at, 'YYYY-MM-DD"T"HH24:MI:SS"Z"') AS since FROM hk2pg.leases WHERE user_id = $1
      """, [userID])
    if row.isEmpty { return nil }
    let process = ProcessIdentity(
      host: try row[0].text("host"), processID: try row[0].int("process_id"), start: try row[0].text("process_start"))
    let name = process.host.split(separator: " ").first.map(String.init) ?? ""
    let holder = LeaseHolder(host: name, processID: process.processID, since: try row[0].text("since"))
    let token = try row[0].text("token")
    let isForgotten = process == ProcessIdentity.current && !inUse.withLock { $0.contains(token) }
    return (holder, try !row[0].bool("is_expired") && !process.isDead && !isForgotten)
  }

  private enum Attempt {
    case acquired(former: LeaseHolder?)
    case held(LeaseHolder)
    /// Nobody holds the lease, but a transaction of a former holder has not ended yet.
    case lockHeld(former: LeaseHolder?)
  }

  private static func attempt(
    _ userID: String, _ token: String, _ server: ServerFacts, _ connection: PostgresConnection, _ timing: Timing
  ) throws -> Attempt {
    try connection.transaction {
      try server.prepareTransaction(connection)
      let isLocked = try connection.query(
        "SELECT pg_try_advisory_xact_lock(\(AdvisoryKey.user(userID)))")[0].bool(0)
      let entry = try entry(of: userID, connection)
      if let entry, entry.isAlive { return .held(entry.holder) }
      let former = entry?.holder
      if !isLocked { return .lockHeld(former: former) }
      let me = ProcessIdentity.current
      try connection.query(
        """
        INSERT INTO hk2pg.leases AS l (user_id, token, host, process_id, process_start, acquired_at, expires_at)
        VALUES ($1, $2::uuid, $3, $4::bigint, $5, clock_timestamp(), clock_timestamp() + $6::interval)
        ON CONFLICT (user_id) DO UPDATE SET token = excluded.token, host = excluded.host,
          process_id = excluded.process_id, process_start = excluded.process_start,
          acquired_at = excluded.acquired_at, expires_at = excluded.expires_at
        """, [userID, token, me.host, String(me.processID), me.start, "\(timing.lifetimeSeconds)s"])
      return .acquired(former: former)
    }
  }

  /// How a transaction goes along with others of the same import.
  enum Sharing { case shared, alone }

  /// To be called first in every transaction that writes for the user.
  func enter(_ connection: PostgresConnection, _ sharing: Sharing) throws {
    let function = sharing == .shared ? "pg_advisory_xact_lock_shared" : "pg_advisory_xact_lock"
    try connection.execute("SELECT \(function)(\(AdvisoryKey.user(userID)))")
    let isMine = try connection.query(
      "SELECT EXISTS (SELECT FROM hk2pg.leases WHERE user_id = $1 AND token = $2::uuid)", [userID, token])[0].bool(0)
    if !isMine { throw LoadError.leaseLost }
  }

  /// Gives the lease back. Harmless when it is lost already.
  func release(_ connection: PostgresConnection) {
    heartbeat.stop()
    // The row goes first: one that nobody in this process uses looks forgotten to a waiter.
    defer { Lease.inUse.withLock { _ = $0.remove(token) } }
    guard connection.isOpen else { return }
    _ = try? connection.withoutInterruption {
      try connection.query("DELETE FROM hk2pg.leases WHERE user_id = $1 AND token = $2::uuid", [userID, token])
    }
  }
}

/// Moves the lease's expiry on, from a thread and a connection of its own.
private final class Heartbeat: @unchecked Sendable {
  // @unchecked: `isStopped` is only touched under `condition`.
  private let condition = NSCondition()
  private var isStopped = false

  init(userID: String, token: String, settings: ConnectionSettings, timing: Lease.Timing) {
    let thread = Thread { [weak self] in
      var connection: PostgresConnection?
      while let beat = self, beat.pause(timing.heartbeatSeconds) {
        do {
          let open =
            try connection ?? PostgresConnection(settings, isInterrupted: { [weak self] in self?.hasStopped ?? true })
          connection = open
          try open.query(
            """
            UPDATE hk2pg.leases SET expires_at = clock_timestamp() + $3::interval
            WHERE user_id = $1 AND token = $2::uuid
            """, [userID, token, "\(timing.lifetimeSeconds)s"])
        } catch {
          // The next beat tries again; a lease that ran out is noticed by the next transaction.
          connection = nil
        }
      }
    }
    thread.start()
  }

  /// False when it is time to end.
  private func pause(_ seconds: Double) -> Bool {
    condition.lock()
    defer { condition.unlock() }
    let end = Date(timeIntervalSinceNow: seconds)
    while !isStopped && condition.wait(until: end) {}
    return !isStopped
  }

  private var hasStopped: Bool {
    condition.lock()
    defer { condition.unlock() }
    return isStopped
  }

  func stop() {
    condition.lock()
    isStopped = true
    condition.broadcast()
    condition.unlock()
  }
}
