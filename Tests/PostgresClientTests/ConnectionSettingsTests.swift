import PostgresClient
import Testing

struct ConnectionSettingsTests {
  @Test func urlAndPairsNameTheSameAddress() throws {
    let expected = ServerAddress(host: "db.example.org", port: "6543", database: "health", user: "anna")
    for conninfo in [
      "postgresql://anna:secret@db.example.org:6543/health?sslmode=require",
      "postgres://anna@db.example.org:6543/health",
      "host=db.example.org port=6543 dbname=health user=anna password='se cret'",
    ] {
      #expect(try ConnectionSettings(conninfo: conninfo).address == expected)
    }
  }

  @Test func partsCanBeReplaced() throws {
    let settings = try ConnectionSettings(conninfo: "host=/run/x user=u dbname=a")
      .replacing(database: "b").replacing("port", "6000")
    #expect(settings.description == "host=/run/x port=6000 dbname=b user=u")
  }

  @Test func aBareNameIsADatabase() throws {
    #expect(try ConnectionSettings(conninfo: "health").address.database == "health")
  }

  @Test func nothingPrintsThePassword() throws {
    let settings = try ConnectionSettings(conninfo: "postgresql://anna:s3cret@db/health")
    var dumped = ""
    dump(settings, to: &dumped)
    for text in ["\(settings)", String(reflecting: settings), dumped] { #expect(!text.contains("s3cret")) }
  }

  /// libpq's own sentences quote these strings.
  @Test(arguments: [
    "postgresql://anna:s3cret%zz@db/health", "postgresql://anna:x@[s3cret/health", "host=db password=a s3cret",
    "password='s3cret", "postgresql://anna@db/health?s3cret",
  ])
  func errorsDoNotQuoteTheText(_ conninfo: String) {
    let error = #expect(throws: PostgresError.self) { try ConnectionSettings(conninfo: conninfo) }
    #expect(error == .settings(.malformed))
  }

  @Test func anUnknownParameterIsNamed() {
    #expect(throws: PostgresError.settings(.unknownParameter("pgbouncer"))) {
      try ConnectionSettings(conninfo: "postgresql://anna@db/health?pgbouncer=true")
    }
    #expect(throws: PostgresError.settings(.unknownParameter("colour"))) {
      try ConnectionSettings(conninfo: "host=db colour=red")
    }
  }

  @Test func nulIsRefused() {
    #expect(throws: PostgresError.nulCharacter) { try ConnectionSettings(conninfo: "host=a\0b") }
  }
}
