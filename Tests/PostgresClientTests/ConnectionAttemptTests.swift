import Foundation
import PostgresClient
import TestSupport
import Testing

/// Failing connections: to nobody, and to a server of their own with pg_hba.conf lines that refuse.
@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)))
struct ConnectionAttemptTests {
  private func failure(
    _ conninfo: String, isInterrupted: @escaping @Sendable () -> Bool = { false }
  ) throws -> ConnectionFailure? {
    let error = #expect(throws: PostgresError.self) {
      try PostgresConnection(ConnectionSettings(conninfo: conninfo), isInterrupted: isInterrupted)
    }
    guard case .connection(let failure, _, let message) = error else { return nil }
    #expect(!message.contains("s3cret"))
    return failure
  }

  @Test func nobodyListens() throws {
    #expect(try failure("host=127.0.0.1 port=\(TestServer.freePort()) dbname=x user=u") == .refused)
    #expect(try failure("host=/nowhere dbname=x user=u") == .socketMissing)
    #expect(try failure("host=no-such-host.invalid dbname=x user=u") == .hostNotFound)
  }

  @Test func theErrorNamesTheAddress() throws {
    let error = #expect(throws: PostgresError.self) {
      try PostgresConnection(ConnectionSettings(conninfo: "host=/nowhere dbname=x user=u password=s3cret"))
    }
    guard case .connection(_, let server, _) = error else {
      Issue.record("\(String(describing: error))")
      return
    }
    #expect(server.description == "host=/nowhere port=5432 dbname=x user=u")
  }

  @Test func theServerRefuses() throws {
    let server = try TestServer(
      hba: [
        "local all scram scram-sha-256", "local all barred reject", "hostssl all encrypted 127.0.0.1/32 trust",
        "host all encrypted 127.0.0.1/32 reject",
      ], overTCP: true)
    let administrator = try PostgresConnection(server.settings)
    try administrator.execute(
      """
      CREATE ROLE scram LOGIN PASSWORD 's3cret'; CREATE ROLE barred LOGIN; CREATE ROLE encrypted LOGIN;
      CREATE ROLE crowded LOGIN CONNECTION LIMIT 0; CREATE ROLE stranger LOGIN
      """)
    try administrator.execute("CREATE DATABASE closed")
    try administrator.execute("REVOKE CONNECT ON DATABASE closed FROM public")
    let place = "host=\(server.folder) port=\(server.tcpPort ?? 0) dbname=postgres"
    #expect(try failure("\(place) user=scram password=wrong") == .authenticationFailed)
    #expect(try failure("\(place) user=scram passfile=/nowhere") == .passwordMissing)
    #expect(try PostgresConnection(ConnectionSettings(conninfo: "\(place) user=scram password=s3cret")).isOpen)
    #expect(try failure("\(place) user=barred") == .notAllowed)
    #expect(try failure("\(place) user=unknown") == .authenticationFailed)
    #expect(try failure("\(place) user=crowded") == .tooManyConnections)
    #expect(try failure("\(place) user=stranger dbname=closed") == .notAllowed)
    #expect(try failure("\(place) user=postgres dbname=nowhere") == .databaseMissing)
    let network = "host=127.0.0.1 port=\(server.tcpPort ?? 0) dbname=postgres"
    #expect(try failure("\(network) user=postgres sslmode=require") == .sslUnavailable)
    #expect(try PostgresConnection(ConnectionSettings(conninfo: "\(network) user=postgres")).isOpen)

    try server.stop()
    #expect(try failure("\(place) user=postgres") == .socketMissing)
    let error = #expect(throws: PostgresError.self) { try administrator.execute("SELECT 1") }
    #expect(error?.isConnectionLost == true)
  }

  /// A listener whose queue is full drops what comes, as a firewall does.
  @Test func silenceTimesOutAndCanBeInterrupted() throws {
    let silence = try SilentListener()
    let start = ContinuousClock.now
    #expect(try failure("host=127.0.0.1 port=\(silence.port) dbname=x user=u connect_timeout=1") == .timedOut)
    #expect(ContinuousClock.now - start < .seconds(4))

    let flag = Flag()
    flag.set(afterMilliseconds: 100)
    let error = #expect(throws: PostgresError.self) {
      try PostgresConnection(
        ConnectionSettings(conninfo: "host=127.0.0.1 port=\(silence.port) dbname=x user=u"),
        isInterrupted: { flag.isSet })
    }
    #expect(error == .interrupted)
  }

  /// The first host says nothing: the second is tried.
  @Test func theNextHostIsTried() throws {
    let silence = try SilentListener()
    let server = try TestServer.shared.get()
    let conninfo =
      "host=127.0.0.1,\(server.address.host) port=\(silence.port),\(server.address.port) connect_timeout=1 "
      + "dbname=postgres user=\(server.address.user)"
    #expect(try PostgresConnection(ConnectionSettings(conninfo: conninfo)).isOpen)
  }
}

/// A TCP port that neither accepts nor refuses: its queue of one is taken.
final class SilentListener {
  let port: Int
  private var descriptors: [Int32] = []

  init() throws {
    port = TestServer.freePort()
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7f00_0001).bigEndian
    address.sin_port = UInt16(port).bigEndian
    let listener = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    descriptors.append(listener)
    let length = socklen_t(MemoryLayout<sockaddr_in>.size)
    unsafe withUnsafePointer(to: &address) { pointer in
      unsafe pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
        _ = unsafe bind(listener, pointer, length)
        _ = listen(listener, 0)
        for _ in 0..<4 {
          let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_NONBLOCK.rawValue), 0)
          _ = unsafe connect(client, pointer, length)
          descriptors.append(client)
        }
      }
    }
  }

  deinit { for descriptor in descriptors { close(descriptor) } }
}
