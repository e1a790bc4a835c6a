import Foundation
import HealthModel
import PostgresClient
import Staging
import Synchronization
import TestSupport
import Testing

@testable import Loading

/// Servers that crash, and poolers (DESIGN §5, §7.5).
@Suite(.serialized, .enabled(if: TestDatabase.isAvailable, "\(TestDatabase.missing)"))
struct ServerTests {
  private func export(_ days: Int, _ date: String) -> ChunkFolderFixture {
    var export = LoadingFixture.export(0, date: date)
    for type in [LoadingFixture.heartRate, LoadingFixture.steps] {
      for day in 1...days {
        export.rows += LoadingFixture.rows(50, from: "2024-05-\(day < 10 ? "0" : "")\(day)T08:00:00Z", type: type)
      }
    }
    return export
  }

  @Test(arguments: ["after-chunk-1", "in-chunk", "after-index-2", "in-publish", "before-insert", "after-publish"])
  func aServerThatCrashesAndComesBack(_ point: String) throws {
    let server = try TestServer()
    let fixture = try LoadingFixture(on: server.settings)
    let exports = [export(4, "2024-06-01T00:00:00Z"), export(6, "2024-06-02T00:00:00Z")]
    for export in exports {
      let folder = try fixture.write(export)
      var options = LoadOptions()
      options.faults = FaultPoints { reached in
        if reached == point { try server.stop() }
      }
      let loader = try fixture.loader(options)
      do { _ = try loader.load(folder) } catch is PostgresError {}
      loader.close()
      if (try? PostgresConnection(fixture.database.settings)) == nil { try server.start() }
      let again = try fixture.loader()
      _ = try again.load(folder)
      again.close()
    }
    let clean = try LoadingFixture()
    for export in exports { try clean.load(export) }
    let connection = try fixture.database.connect()
    let sql = """
      SELECT string_agg(concat_ws('|', \(LoadingFixture.columns)), E'\\n' ORDER BY metric_type, started_at)
      FROM healthkit_metrics
      """
    #expect(try connection.query(sql)[0].text(0) == clean.database.value(sql))
    #expect(try connection.query("SELECT count(*) FROM pg_class WHERE relname LIKE 'incoming%'")[0].int(0) == 0)
  }

  @Test func aConnectionThatWasIdleForTooLongIsMadeAgain() throws {
    let fixture = try LoadingFixture()
    let loader = try fixture.loader()
    try fixture.database.execute(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()"
    )
    #expect(try loader.load(try fixture.write(LoadingFixture.export(10))).new == 10)
    loader.close()
  }

  @Test(.enabled(if: PgBouncer.isAvailable, "\(PgBouncer.missing)"))
  func throughATransactionPooler() throws {
    let fixture = try LoadingFixture()
    let bouncer = try PgBouncer(before: fixture.database)
    let exports = [export(4, "2024-06-01T00:00:00Z"), export(6, "2024-06-02T00:00:00Z")]
    for export in exports {
      let outcome = try fixture.load(export, settings: bouncer.settings)
      #expect(outcome.isBalanced)
    }
    let again = try fixture.load(exports[1], settings: bouncer.settings)
    #expect(again.new == 0)
    let clean = try LoadingFixture()
    for export in exports { try clean.load(export) }
    #expect(try fixture.rows() == clean.rows())
  }

  @Test(.enabled(if: PgBouncer.isAvailable, "\(PgBouncer.missing)"))
  func twoUsersThroughOnePooler() throws {
    let fixture = try LoadingFixture()
    let bouncer = try PgBouncer(before: fixture.database)
    let users = ["a", "b", "c"]
    let folders = try users.map { try fixture.write(LoadingFixture.export(300, user: $0)) }
    let settings = bouncer.settings
    let errors = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: users.count) { index in
      do {
        let loader = try Loader(settings, user: users[index])
        _ = try loader.load(folders[index])
        loader.close()
      } catch { errors.withLock { $0.append("\(error)") } }
    }
    #expect(errors.withLock { $0 } == [])
    #expect(try fixture.count() == 900)
  }
}
