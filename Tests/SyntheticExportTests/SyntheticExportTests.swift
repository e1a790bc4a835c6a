import HealthModel
import Testing

@testable import SyntheticExport

@Suite struct SyntheticExportTests {
  static func bytes(
    _ byteCount: Int, seed: UInt64, _ change: (inout ExportRequest) -> Void = { _ in }
  ) throws -> [UInt8] {
    var request = ExportRequest(byteCount: byteCount, seed: seed)
    change(&request)
    return try SyntheticExport(request).xmlBytes()
  }

  /// FNV-1a, 64 bits.
  private func hash(_ bytes: [UInt8]) -> UInt64 {
    bytes.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }

  /// Whoever changes the generator changes these on purpose, together with samples/export.zip.
  @Test(arguments: [
    (100_000, UInt64(1), UInt64(7_692_703_934_167_453_301)), (1_000_000, 2, 10_995_213_693_618_679_433),
  ])
  func sameArgumentsGiveTheSameBytes(byteCount: Int, seed: UInt64, expected: UInt64) throws {
    let bytes = try Self.bytes(byteCount, seed: seed)
    #expect(try bytes == Self.bytes(byteCount, seed: seed))
    #expect(hash(bytes) == expected)
  }

  @Test func anotherSeedIsAnotherPerson() throws {
    #expect(try Self.bytes(100_000, seed: 1) != Self.bytes(100_000, seed: 2))
  }

  @Test(arguments: [100_000, 300_000, 1_000_000, 4_000_000])
  func sizeIsWithinFivePercent(byteCount: Int) throws {
    let seed = UInt64.random(in: 1...1_000_000)
    print("seed \(seed)")
    let count = try Self.bytes(byteCount, seed: seed).count
    #expect(abs(count - byteCount) <= byteCount / 20)
  }

  @Test(arguments: ["Europe/Berlin", "America/New_York"])
  func isWellFormed(zone: String) throws {
    let elements = try StrictScanner.elements(of: Self.bytes(1_000_000, seed: 11) { $0.zoneName = zone })
    #expect(elements.first?.name == "HealthData")
    #expect(elements.filter { $0.name == "Me" }.count == 1)
    let expected = [
      "Record", "Correlation", "Workout", "WorkoutEvent", "WorkoutStatistics", "WorkoutActivity", "WorkoutRoute",
      "FileReference", "ActivitySummary", "ClinicalRecord", "Audiogram", "SensitivityPoint", "VisionPrescription",
      "RightEye", "LeftEye", "InstantaneousBeatsPerMinute", "MetadataEntry",
    ]
    let names = Set(elements.map(\.name))
    #expect(expected.filter { !names.contains($0) } == [])
  }

  @Test func recordsCarryTheirAttributesInApplesOrder() throws {
    let order = [
      "type", "sourceName", "sourceVersion", "device", "unit", "creationDate", "startDate", "endDate", "value",
    ]
    for element in try StrictScanner.elements(of: Self.bytes(300_000, seed: 4)) where element.name == "Record" {
      let names = element.attributes.map(\.name)
      #expect(names == order.filter(names.contains))
    }
  }

  /// Dates of the whole file have the offset of the export date; the instants stay.
  @Test func exportDateMovesOffsetsOnly() throws {
    let winter = try StrictScanner.elements(of: Self.bytes(300_000, seed: 5))
    let summer = try StrictScanner.elements(
      of: Self.bytes(300_000, seed: 5) { $0.exportDate = (CivilDay(year: 2026, month: 7, day: 1), 3600) })
    #expect(winter.count == summer.count)
    for (one, other) in zip(winter.dropFirst(2), summer.dropFirst(2)) {
      for (a, b) in zip(one.attributes, other.attributes) where a.name.hasSuffix("Date") {
        #expect(a.value.hasSuffix(" +0100") && b.value.hasSuffix(" +0200"))
        #expect(try instant(a.value) == instant(b.value))
      }
    }
  }

  @Test(arguments: [1, 7, 250])
  func extraRecordsAreAddedAndNothingElseChanges(count: Int) throws {
    let base = try Self.bytes(300_000, seed: 6).split(separator: 0x0A)
    let more = try Self.bytes(300_000, seed: 6) { $0.extraRecordCount = count }.split(separator: 0x0A)
    let added = more.difference(from: base)
    #expect(added.removals.isEmpty)
    let recordStart = Array(" <Record ".utf8)
    let records = added.insertions.filter {
      guard case .insert(_, let line, _) = $0 else { return false }
      return line.starts(with: recordStart)
    }
    #expect(records.count == count)
    // New records are newer than everything that was there.
    let newest = try newestStart(base)
    for case .insert(_, let line, _) in records {
      #expect(try start(line) > newest)
    }
  }

  private func start(_ line: ArraySlice<UInt8>) throws -> Int {
    let text = String(decoding: line, as: UTF8.self)
    let range = try #require(text.firstRange(of: "startDate=\""))
    return try instant(String(text[range.upperBound...].prefix(25)))
  }

  private func newestStart(_ lines: [ArraySlice<UInt8>]) throws -> Int {
    try lines.filter { $0.starts(with: Array(" <Record ".utf8)) }.map(start).max() ?? 0
  }
}

/// Seconds since 1970 of `2024-05-01 07:12:09 +0200`.
func instant(_ text: String) throws -> Int {
  let parts = text.split { " -:+".contains($0) }.compactMap { Int($0) }
  try #require(parts.count == 7, "\(text)")
  let day = Int(CivilDay(year: parts[0], month: parts[1], day: parts[2]).daysSince1970)
  let offset = (parts[6] / 100 * 60 + parts[6] % 100) * 60 * (text.contains(" -") ? -1 : 1)
  return day * 86_400 + parts[3] * 3600 + parts[4] * 60 + parts[5] - offset
}
