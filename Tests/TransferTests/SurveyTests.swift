import HealthModel
import Loading
import PostgresClient
import Staging
import TestSupport
import Testing

@testable import Transfer

/// What a migration has to move.
@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)), .timeLimit(.minutes(20)))
struct SurveyTests {
  private typealias F = TransferFixture

  private func survey(_ database: TestDatabase) throws -> Survey {
    let reader = try SourceDatabase(database.settings, isInterrupted: { false })
    return try reader.snapshot { try Survey(ComparedSide($0, user: F.anna)) }
  }

  @Test func onlyMonthsThatDifferAreMoved() throws {
    let fixture = try F()
    let months = ["2024-03-05", "2024-04-05", "2024-05-01"]
    try fixture.load(F.export(months.flatMap { F.rows(10, from: $0 + "T08:00:00Z") }), into: fixture.source)
    #expect(
      try survey(fixture.source).selection(against: survey(fixture.target)).groups[.metrics]?.months
        == [F.steps: ["2024-03-01", "2024-04-01", "2024-05-01"]])
    try fixture.copy()
    #expect(try survey(fixture.source).selection(against: survey(fixture.target)).isEmpty)

    try F.insertLive(
      fixture.source, id: "0f8fad5b-d9cb-469f-a165-70867728950e", at: "2024-04-09T08:00:00Z", value: 7)
    // What only the target has is nobody's business.
    try F.insertLive(
      fixture.target, id: "1f8fad5b-d9cb-469f-a165-70867728950e", at: "2024-07-09T08:00:00Z", value: 7)
    let (own, there) = (try survey(fixture.source), try survey(fixture.target))
    let selection = own.selection(against: there)
    #expect(selection.groups[.metrics]?.months == [F.steps: ["2024-04-01"]])
    #expect(selection.groups[.dailySummaries]?.isEmpty == true)
    #expect(own.rowsByType(in: selection) == [F.steps: 11])
    #expect(own.rowsByType == [F.steps: 31])

    let reader = try SourceDatabase(fixture.source.settings, isInterrupted: { false })
    let archive = try reader.snapshot {
      try ArchiveWriter($0, user: F.anna, newUser: F.anna).write(
        into: try ChunkFolder.create(at: fixture.newPath()), selection: selection, name: "test", version: "0")
    }
    #expect(archive.chunks(of: .metrics).map(\.rowCount) == [11])
    #expect(archive.chunks(of: .dailySummaries).isEmpty)
    #expect(archive.manifest.archive?.isPartial == true)
    #expect(try fixture.receive(archive).rows.new == 1)
    #expect(try fixture.verify(.contained).isEqual)
  }

  @Test func sizesByType() throws {
    let fixture = try F()
    try fixture.load(F.export(F.rows(10)), into: fixture.source)
    let reader = try SourceDatabase(fixture.source.settings, isInterrupted: { false })
    let bytes = try reader.snapshot { snapshot in
      try Survey(ComparedSide(snapshot, user: F.anna)).bytesByType(snapshot, user: F.anna)
    }
    // Header, ids, instants and short texts: some 180 bytes a row.
    #expect((1_000...3_000).contains(bytes[F.steps] ?? 0), "\(bytes)")
  }
}
