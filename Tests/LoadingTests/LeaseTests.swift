import Foundation
import HealthModel
import PostgresClient
import Staging
import Synchronization
import TestSupport
import Testing

@testable import Loading

@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.missing)"))
struct LeaseTests {
  private let fixture: LoadingFixture
  private let server: ServerFacts

  init() throws {
    fixture = try LoadingFixture()
    try Schema.apply(fixture.database.connection)
    server = try ServerFacts(fixture.database.connection)
  }

  private func acquire(
    _ connection: PostgresConnection, isNoWait: Bool = true, timing: Lease.Timing = .init(),
    onWait: (Lease.Wait) -> Void = { _ in }
  ) throws -> Lease {
    try Lease.acquire(
      "u", server, connection, isNoWait: isNoWait, timing: timing, isInterrupted: { false }, onWait: onWait)
  }

  private func holdAs(_ process: ProcessIdentity, expires: String = "1 hour") throws {
    try fixture.database.query(
      """
      INSERT INTO hk2pg.leases VALUES ('u', gen_random_uuid(), $1, $2::bigint, $3, now(), now() + $4::interval)
      """, [process.host, String(process.processID), process.start, expires])
  }

  @Test func oneHolderAtATime() throws {
    let first = try acquire(fixture.database.connection)
    let other = try fixture.database.connect()
    #expect(throws: LoadError.self) { try acquire(other) }
    do { _ = try acquire(other) } catch LoadError.busy(let holder) { #expect(holder.processID == Int(getpid())) }
    first.release(fixture.database.connection)
    let second = try acquire(other)
    second.release(other)
    #expect(try fixture.count("hk2pg.leases") == 0)
  }

  @Test func aWaiterGetsItWhenItIsFree() throws {
    let first = try acquire(fixture.database.connection)
    let settings = fixture.database.settings
    let server = server
    let waited = Mutex(0)
    let thread = Thread {
      guard let connection = try? PostgresConnection(settings) else { return }
      let lease = try? Lease.acquire(
        "u", server, connection, isNoWait: false, timing: .init(pollSeconds: 0.02), isInterrupted: { false }
      ) { _ in waited.withLock { $0 += 1 } }
      waited.withLock { $0 += lease == nil ? 0 : 100 }
      lease?.release(connection)
    }
    thread.start()
    Thread.sleep(forTimeInterval: 0.3)
    #expect(waited.withLock { $0 } == 1)
    first.release(fixture.database.connection)
    for _ in 0..<200 where waited.withLock({ $0 }) < 100 { Thread.sleep(forTimeInterval: 0.02) }
    #expect(waited.withLock { $0 } == 101)
  }

  @Test func aDeadProcessOfThisMachineIsTakenOverAtOnce() throws {
    let child = Process()
    child.executableURL = URL(fileURLWithPath: "/bin/true")
    try child.run()
    child.waitUntilExit()
    var dead = ProcessIdentity.current
    dead.processID = Int(child.processIdentifier)
    try holdAs(dead)
    let former = Mutex<LeaseHolder?>(nil)
    let lease = try acquire(fixture.database.connection) { wait in
      if case .tookOver(let holder) = wait { former.withLock { $0 = holder } }
    }
    #expect(former.withLock { $0 }?.processID == dead.processID)
    lease.release(fixture.database.connection)
  }

  @Test func aProcessIDInUseAgainIsDeadToo() throws {
    var earlier = ProcessIdentity.current
    earlier.start = "1"
    try holdAs(earlier)
    try acquire(fixture.database.connection).release(fixture.database.connection)
  }

  @Test func aProcessElsewhereIsTakenOverWhenItsLeaseExpires() throws {
    try holdAs(ProcessIdentity(host: "elsewhere boot pid", processID: 1, start: ""))
    #expect(throws: LoadError.self) { try acquire(fixture.database.connection) }
    try fixture.database.execute("UPDATE hk2pg.leases SET expires_at = now() - interval '1 second'")
    try acquire(fixture.database.connection).release(fixture.database.connection)
  }

  @Test func heartbeatsKeepItAlive() throws {
    let timing = Lease.Timing(lifetimeSeconds: 1, heartbeatSeconds: 0.1, pollSeconds: 0.05)
    let lease = try acquire(fixture.database.connection, timing: timing)
    Thread.sleep(forTimeInterval: 1.6)
    #expect(throws: LoadError.self) { try acquire(fixture.database.connect(), timing: timing) }
    lease.release(fixture.database.connection)
  }

  @Test func aLostLeaseStopsTheNextTransaction() throws {
    let connection = fixture.database.connection
    let lease = try acquire(connection)
    try connection.transaction { try lease.enter(connection, .shared) }
    try fixture.database.execute("UPDATE hk2pg.leases SET token = gen_random_uuid()")
    #expect(throws: LoadError.leaseLost) { try connection.transaction { try lease.enter(connection, .alone) } }
    lease.release(connection)
    #expect(try fixture.count("hk2pg.leases") == 1)
  }

  @Test func aTransactionInFlightHoldsBackTheTakeover() throws {
    // The process is dead, but its server process has not noticed yet.
    let connection = fixture.database.connection
    var dead = ProcessIdentity.current
    dead.start = "1"
    try holdAs(dead)
    let other = try fixture.database.connect()
    try other.execute("BEGIN; SELECT pg_advisory_xact_lock_shared(\(AdvisoryKey.user("u")))")
    let settings = fixture.database.settings
    let server = server
    let isAcquired = Mutex(false)
    Thread {
      guard let waiting = try? PostgresConnection(settings) else { return }
      let lease = try? Lease.acquire(
        "u", server, waiting, isNoWait: true, timing: .init(pollSeconds: 0.02), isInterrupted: { false }
      ) { _ in }
      isAcquired.withLock { $0 = lease != nil }
      lease?.release(waiting)
    }.start()
    Thread.sleep(forTimeInterval: 0.3)
    #expect(!isAcquired.withLock { $0 })
    try other.execute("ROLLBACK")
    for _ in 0..<200 where !isAcquired.withLock({ $0 }) { Thread.sleep(forTimeInterval: 0.02) }
    #expect(isAcquired.withLock { $0 })
    _ = connection
  }

  @Test func twoImportsOfOneUserComeOneAfterTheOther() throws {
    let fixture = try LoadingFixture()
    let folders = try [300, 400].map { try fixture.write(LoadingFixture.export($0)) }
    let errors = Mutex<[String]>([])
    let settings = fixture.database.settings
    DispatchQueue.concurrentPerform(iterations: 2) { index in
      do {
        let loader = try Loader(settings, user: LoadingFixture.user)
        _ = try loader.load(folders[index])
        loader.close()
      } catch { errors.withLock { $0.append("\(error)") } }
    }
    #expect(errors.withLock { $0 } == [])
    #expect(try fixture.count() == 400)
  }

  @Test func manyUsersAtOnce() throws {
    let fixture = try LoadingFixture()
    let users = (1...8).map { "participant-\($0)" }
    let folders = try users.enumerated().map { index, user in
      try fixture.write(LoadingFixture.export(200 + index, user: user))
    }
    let errors = Mutex<[String]>([])
    let settings = fixture.database.settings
    DispatchQueue.concurrentPerform(iterations: users.count) { index in
      do {
        let loader = try Loader(settings, user: users[index])
        let outcome = try loader.load(folders[index])
        if outcome.new != 200 + index || !outcome.isBalanced { errors.withLock { $0.append("\(outcome)") } }
        loader.close()
      } catch { errors.withLock { $0.append("\(error)") } }
    }
    #expect(errors.withLock { $0 } == [])
    for (index, user) in users.enumerated() {
      #expect(try fixture.count("healthkit_metrics", "user_id = '\(user)'") == 200 + index)
    }
    #expect(try fixture.leftovers().isEmpty)
  }
}
