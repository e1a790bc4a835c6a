import HealthModel
import Testing

@testable import SyntheticExport

/// GPX, ECG and FHIR files as export-format §8 describes them.
@Suite struct SideFileTests {
  private func layout(_ zone: String = "Europe/Berlin") throws -> ExportLayout {
    var request = ExportRequest(byteCount: 1_000_000, seed: 41)
    request.zoneName = zone
    request.firstDay = CivilDay(year: 2025, month: 7, day: 1)
    request.lastDay = CivilDay(year: 2025, month: 7, day: 20)
    return try ExportLayout(request)
  }

  private func text(_ write: (any ByteSink) throws(SyntheticExportError) -> Void) throws -> String {
    let sink = CollectingSink()
    try write(sink)
    return try #require(String(validating: sink.bytes, as: UTF8.self))
  }

  @Test func routesHoldThePointsTheirElementsPromise() throws {
    let layout = try layout()
    var routeCount = 0
    for day in (0..<layout.dayCount).map({ layout.day($0) }) {
      guard let workout = DayPlan(layout, day).workout else { continue }
      let routes = Route.routes(of: workout, on: day, layout)
      guard let last = routes.last else { continue }
      routeCount += 1
      let gpx = try text { sink throws(SyntheticExportError) in
        try last.write(to: sink, exportInstant: layout.exportInstant)
      }
      #expect(gpx.split(separator: "<trkpt lon=\"").count - 1 == last.pointCount)
      #expect(gpx.hasSuffix("</gpx>\n"))
      #expect(routes.dropLast().allSatisfy { $0.pointCount == 0 && $0.fileName == last.fileName })
      // The name's clock is local with daylight saving, though the export was made in winter or summer.
      let local = CivilDay(daysSince1970: Int32((last.end + layout.zone.offset(at: last.end)) / 86_400))
      #expect(last.fileName.hasPrefix("route_\(local)_"))
    }
    #expect(routeCount >= 3)
  }

  @Test(arguments: [("Europe/Berlin", ","), ("America/New_York", ".")])
  func electrocardiogramsAreThirtySeconds(zone: String, mark: String) throws {
    let layout = try layout(zone)
    let recordings = (0..<layout.dayCount).flatMap { Electrocardiogram.recordings(layout, layout.day($0)) }
    let first = try #require(recordings.first)
    let csv = try text { sink throws(SyntheticExportError) in try first.write(to: sink, layout) }
    let lines = csv.split(separator: "\n", omittingEmptySubsequences: false)
    #expect(lines[0] == "Name,Robin Example")
    #expect(lines[7] == "Sample Rate,512 hertz")
    #expect(lines[10] == "Lead,Lead I")
    #expect(lines.dropFirst(13).count == 15_360 + 1)
    #expect(lines.dropFirst(13).dropLast().allSatisfy { $0.contains(mark) })
  }

  @Test func clinicalRecordsOfEveryKind() throws {
    let layout = try layout()
    let records = (0..<layout.dayCount).flatMap { ClinicalRecord.records(layout, layout.day($0)) }
    #expect(Set(records.map(\.resourceType)).count == 8)
    #expect(Set(records.map(\.fileName)).count == records.count)
    let json = try text { sink throws(SyntheticExportError) in try records[0].write(to: sink) }
    #expect(json.hasPrefix("{\"resourceType\":\"\(records[0].resourceType)\""))
  }
}
