import HealthModel
import RowMapping
import Testing

@Suite struct ElectrocardiogramMappingTests {
  private func map(_ recording: ECGRecording) -> (row: Mapped.Row?, facts: ExportFacts) {
    let symbols = SymbolTable()
    var mapper = RowMapper(symbols: symbols, userByteCount: 0)
    var buffer = SampleBuffer()
    mapper.map(recording, into: &buffer)
    let run = buffer.runs.first
    let row = run.map { Mapped.Row($0.records[0], type: $0.type, payload: buffer.payload, symbols: symbols) }
    return (row, mapper.facts)
  }

  @Test func hasWhatTheFileSays() throws {
    var recording = ECGRecording(recordedAt: Instant(seconds: 1_714_550_400))
    recording.classification = "Sinus \"Rhythm\""
    recording.device = "Watch6,7"
    recording.softwareVersion = "1.90"
    recording.sampleRateHz = 512.5
    recording.lead = "Lead I"
    recording.voltages = Array(repeating: 1, count: 1025)
    let (mapped, facts) = map(recording)
    let row = try #require(mapped)
    #expect(row.type == "HKDataTypeIdentifierElectrocardiogram" && row.value == nil && row.unit == "")
    #expect(row.start == "2024-05-01T08:00:00Z" && row.end == "2024-05-01T08:00:02Z" && row.source == "Watch6,7")
    #expect(
      row.json == #"{"classification":"Sinus \"Rhythm\"","device":"Watch6,7","lead":"Lead I","sample_rate_hz":512.5,"#
        + #""software_version":"1.90"}"#)
    #expect(facts.samplesRead == 1 && facts.problems.entries.isEmpty)
  }

  @Test func averageHeartRateIsTheValue() throws {
    var recording = ECGRecording(recordedAt: Instant(microseconds: 1_714_550_400_250_000))
    recording.averageHeartRate = 61.5
    let (mapped, facts) = map(recording)
    let row = try #require(mapped)
    #expect(row.value == 61.5 && row.unit == "count/min" && row.json == "" && row.start == "2024-05-01T08:00:00Z")
    #expect(facts.problems.entries[.missingSource]?.count == 1)
  }
}
