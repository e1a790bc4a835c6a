import Foundation
package import HealthModel

/// A made-up Apple Health export of any size, the same bytes for the same request.
package struct SyntheticExport {
  let layout: ExportLayout

  /// Fits the request: how many records a day make the size.
  package init(_ request: ExportRequest) throws(SyntheticExportError) {
    layout = try ExportCalibration.layout(for: request)
  }

  package var firstDay: CivilDay { layout.firstDay }

  /// export.xml in memory.
  package func xmlBytes() throws(SyntheticExportError) -> [UInt8] {
    let sink = CollectingSink()
    _ = try writeXML(to: sink)
    return sink.bytes
  }

  /// What `truth.json` holds, without writing anything else.
  package func truthText() throws(SyntheticExportError) -> String { try writeXML(to: DiscardingSink()) }

  /// export.xml to a path, `-` being standard output; with the side files beside it. Returns the truth.
  package func writeXML(path: String, sideFiles: Bool) throws(SyntheticExportError) -> String {
    if path == "-" { return try writeXML(to: FileSink(standardOutput: ())) }
    let truth = try writeXML(to: FileSink(creating: path))
    guard sideFiles else { return truth }
    let folder = (path as NSString).deletingLastPathComponent
    try writeSideFiles { name, body throws(SyntheticExportError) in
      let path = folder.isEmpty ? name : folder + "/" + name
      try makeFolder((path as NSString).deletingLastPathComponent)
      try body(try FileSink(creating: path))
    }
    return truth
  }

  /// A zip as the phone makes it. `level` is zlib's, 1 to 9. Returns the truth.
  package func writeZip(path: String, level: Int, sideFiles: Bool) throws(SyntheticExportError) -> String {
    let file = try FileSink(creating: path)
    let local = layout.exportInstant + layout.offset
    let day = CivilDay(daysSince1970: Int32(local.flooredQuotient(86_400))).civil
    let clock = local.flooredModulo(86_400)
    let archive = ZipArchive(
      file: file, level: level,
      date: (day.year, day.month, day.day, clock / 3600, clock / 60 % 60, clock % 60))
    var truth = ""
    // 5 % of leeway in size, and then some.
    let isLarge = layout.request.byteCount > 3_900_000_000
    try archive.addEntry("apple_health_export/export.xml", mayExceed32Bits: isLarge) {
      sink throws(SyntheticExportError) in truth = try writeXML(to: sink)
    }
    if sideFiles {
      try archive.addEntry("apple_health_export/export_cda.xml") { sink throws(SyntheticExportError) in
        try ClinicalDocument.write(to: sink)
      }
      try writeSideFiles { name, body throws(SyntheticExportError) in
        try archive.addEntry("apple_health_export/" + name, body)
      }
    }
    try archive.finish()
    return truth
  }

  private func writeXML(to sink: any ByteSink) throws(SyntheticExportError) -> String {
    let days = (0..<layout.dayCount).map { layout.day($0) }
    var writer = ExportWriter(layout: layout, days: days, sink: sink, withExtra: true)
    let count = try writer.write()
    let recordings = days.reduce(0) { $0 + Electrocardiogram.recordings(layout, $1).count }
    return writer.truth.json(layout, electrocardiograms: recordings, xmlByteCount: count)
  }

  /// Hands out each side file with its path in the export folder.
  private func writeSideFiles(
    _ write: (String, (any ByteSink) throws(SyntheticExportError) -> Void) throws(SyntheticExportError) -> Void
  ) throws(SyntheticExportError) {
    for day in (0..<layout.dayCount).map({ layout.day($0) }) {
      if let workout = DayPlan(layout, day).workout, let route = Route.routes(of: workout, on: day, layout).last {
        try write("workout-routes/" + route.fileName) { sink throws(SyntheticExportError) in
          try route.write(to: sink, exportInstant: layout.exportInstant)
        }
      }
      for recording in Electrocardiogram.recordings(layout, day) {
        try write("electrocardiograms/" + recording.fileName) { sink throws(SyntheticExportError) in
          try recording.write(to: sink, layout)
        }
      }
      for record in ClinicalRecord.records(layout, day) {
        try write("clinical-records/" + record.fileName) { sink throws(SyntheticExportError) in
          try record.write(to: sink)
        }
      }
    }
  }

  private func makeFolder(_ path: String) throws(SyntheticExportError) {
    if unsafe mkdir(path, 0o755) != 0 && errno != EEXIST { throw .cannotWrite(path: path, errno: errno) }
  }
}
