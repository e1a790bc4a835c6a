import PostgresClient
import Staging
import TestSupport
import Testing

@testable import Loading

/// Points that are there are not sent to the server again; whatever else the export has of them arrives.
@Suite(.enabled(if: TestDatabase.isAvailable, "\(TestDatabase.missing)"))
struct KnownRoutesTests {
  private static func export(_ routes: [String: Int], on date: String) -> ChunkFolderFixture {
    var export = LoadingFixture.export(0, date: date)
    for (index, digest) in routes.keys.sorted().enumerated() {
      export.rows.append(
        LoadingFixture.row(
          LoadingFixture.routes, "2024-05-\(index + 10)T08:00:00Z", minutes: 30, value: 5,
          metadata: #"{"file_digest":"\#(digest)"}"#))
    }
    export.routes = routes
    return export
  }

  private static func points(_ fixture: LoadingFixture) throws -> [String] {
    try fixture.database.lines(
      "SELECT file_digest, count(*), min(ordinal), max(ordinal) FROM hk2pg.route_points GROUP BY 1 ORDER BY 1")
  }

  @Test func knownFilesAreNotCopied() throws {
    let fixture = try LoadingFixture()
    try fixture.load(KnownRoutesTests.export(["a": 3, "b": 2], on: "2024-06-01T12:00:00Z"))
    let folder = try fixture.write(KnownRoutesTests.export(["a": 3, "b": 2, "c": 4], on: "2024-06-02T12:00:00Z"))
    #expect(try KnownRoutes.read(folder, fixture.database.connection) == [Array("a".utf8), Array("b".utf8)])
    // The four points of the new file are all that travel.
    var options = LoadOptions()
    options.faults = FaultPoints { if $0 == "after-chunks" { throw LoadError.fault($0) } }
    let first = try fixture.loader(options)
    #expect(throws: LoadError.fault("after-chunks")) { try first.load(folder) }
    first.close()
    #expect(try fixture.count("hk2pg.incoming_2_route_points") == 4)
    let second = try fixture.loader()
    defer { second.close() }
    _ = try second.load(folder)
    #expect(try KnownRoutesTests.points(fixture) == ["a|3|0|2", "b|2|0|1", "c|4|0|3"])
  }

  @Test func aFileOfWhichPointsAreMissingIsCopiedWhole() throws {
    let fixture = try LoadingFixture()
    try fixture.load(KnownRoutesTests.export(["a": 3, "b": 2], on: "2024-06-01T12:00:00Z"))
    try fixture.database.execute("DELETE FROM hk2pg.route_points WHERE file_digest = 'a' AND ordinal = 1")
    try fixture.load(KnownRoutesTests.export(["a": 3, "b": 2], on: "2024-06-02T12:00:00Z"))
    #expect(try KnownRoutesTests.points(fixture) == ["a|3|0|2", "b|2|0|1"])
  }

  @Test func filterPassesOnWholeRowsWhateverThePieces() throws {
    let fieldCount = ChunkTable.routePoints.columns.count
    var encoder = CopyEncoder()
    encoder.appendHeader()
    for (digest, ordinal) in [("a", 0), ("b", 0), ("b", 1), ("a", 1)] as [(String, Int32)] {
      encoder.beginRow(fieldCount: fieldCount)
      encoder.append(text: Array("u".utf8))
      encoder.append(text: Array(digest.utf8))
      encoder.append(int4: ordinal)
      for _ in 3..<fieldCount { encoder.appendNull() }
    }
    encoder.appendTrailer()
    for size in [1, 7, 64, encoder.bytes.count] {
      var filter = KnownRoutes.Filter(known: [Array("b".utf8)])
      var output = CopyEncoder()
      output.appendHeader()
      var rest = encoder.bytes[...]
      while !rest.isEmpty {
        try filter.filter(Array(rest.prefix(size)).span, into: &output)
        rest = rest.dropFirst(size)
      }
      try filter.finish()
      output.appendTrailer()
      var decoder = CopyDecoder(fieldCount: fieldCount)
      decoder.append(output.bytes.span)
      var rows: [String] = []
      while try decoder.nextRow() { rows.append("\(decoder.string(1) ?? "") \(try decoder.int4(2) ?? -1)") }
      try decoder.finish()
      #expect(rows == ["a 0", "a 1"] && filter.rowCount == 2)
    }
  }
}
