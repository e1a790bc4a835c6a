import HealthModel
import PostgresClient
import Staging
import TestSupport
import Testing

@Suite struct GroupFingerprintsTests {
  private let start = Instant(seconds: 1_700_000_000)

  private func groups(_ folder: ChunkFolder) throws -> [String] {
    var rows: [String] = []
    for chunk in folder.chunks(of: .groups) {
      var decoder = CopyDecoder(fieldCount: 5)
      var reader = try folder.reader(of: chunk)
      var piece: [UInt8] = []
      while try reader.read(into: &piece) > 0 { decoder.append(piece.span) }
      while try decoder.nextRow() {
        let day = try decoder.required(try decoder.date(2), 2)
        let count = try decoder.required(try decoder.int4(3), 3)
        let fingerprint = try decoder.required(try decoder.int8(4), 4)
        rows.append("\(decoder.string(0) ?? "") \(decoder.string(1) ?? "") \(day) \(count) \(fingerprint)")
      }
    }
    return rows
  }

  /// The figures are those of PostgreSQL 15 over the loaded rows, by the query in `GroupFingerprints`.
  @Test func fingerprintsAreTheServersOwn() throws {
    let place = try TemporaryFolder()
    var fixture = ChunkFolderFixture(user: "user-1")
    fixture.rows = [
      .init(start: start, end: Instant(seconds: 1_700_000_060), value: 12, metadata: "{\"a\":\"b\"}"),
      .init(start: start, value: 12),
      .init(source: "iPhone", start: start, value: 0),
      .init(source: "iPhone", start: Instant(seconds: -1), value: -3.5),
      .init(type: "HKCategoryTypeIdentifierSleepAnalysis", start: start, value: nil, unit: "category"),
    ]
    #expect(
      try groups(try fixture.write(at: place.file("a"))) == [
        "HKCategoryTypeIdentifierSleepAnalysis Apple Watch 2023-11-14 1 -7586478549032764857",
        "HKQuantityTypeIdentifierStepCount iPhone 1969-12-31 1 -7950807071378415460",
        "HKQuantityTypeIdentifierStepCount Apple Watch 2023-11-14 2 7937688840357750038",
        "HKQuantityTypeIdentifierStepCount iPhone 2023-11-14 1 -657768446163005064",
      ])
  }

  @Test func daysAreThoseOfUTCAndSourcesAreOrderedBytewise() throws {
    let place = try TemporaryFolder()
    var fixture = ChunkFolderFixture(user: "u")
    let midnight = CivilDay(year: 2024, month: 2, day: 29).utcMidnight
    for source in ["ä", "b", "Z", ""] {
      for offset in [-1, 0, 86_399, 86_400] {
        fixture.rows.append(.init(source: source, start: Instant(seconds: midnight.seconds + Int64(offset))))
      }
    }
    let found = try groups(try fixture.write(at: place.file("a"))).map { row in
      row.split(separator: " ", omittingEmptySubsequences: false)[1...3].joined(separator: " ")
    }
    let days = [("2024-02-28", 1), ("2024-02-29", 2), ("2024-03-01", 1)]
    #expect(found == days.flatMap { day in ["", "Z", "b", "ä"].map { "\($0) \(day.0) \(day.1)" } })
  }

  /// A row counts by id and value: one that only changed its value changes the group, one that changed its unit does not.
  @Test func aChangedValueChangesTheFingerprint() {
    let id = RowID(high: 1, low: 2)
    #expect(GroupFingerprints.hash(id: id, value: 1) != GroupFingerprints.hash(id: id, value: 2))
    #expect(GroupFingerprints.hash(id: id, value: nil) != GroupFingerprints.hash(id: id, value: 0))
    #expect(GroupFingerprints.hash(id: id, value: 0) == GroupFingerprints.hash(id: id, value: -0.0))
  }

  @Test func batchesOfAnySizeGiveTheSameGroups() {
    var batch = ResolvedBatch()
    for index in 0..<1000 {
      var record = SampleRecord(start: Instant(seconds: Int64(index * 3000)), end: Instant(seconds: 0))
      record.source = Symbol(index: UInt32(index % 3))
      batch.rows.append(
        ResolvedSample(
          record: record, id: RowID(high: 0, low: UInt64(index)), startedAt: record.start, endedAt: record.start,
          unit: .empty))
    }
    let symbols: [[UInt8]] = [[], [2], [1]]
    let results = [1, 3, 1000].map { size in
      var fingerprints = GroupFingerprints(metricType: [1])
      for start in stride(from: 0, to: 1000, by: size) {
        var part = batch
        part.rows = Array(batch.rows[start..<min(start + size, 1000)])
        fingerprints.add(part, symbols: symbols)
      }
      fingerprints.endDay(symbols: symbols)
      return fingerprints.groups
    }
    #expect(results[0].count == 35 * 3)
    #expect(results[0].reduce(0) { $0 + Int($1.rowCount) } == 1000)
    #expect(results[1] == results[0])
    #expect(results[2] == results[0])
  }
}
