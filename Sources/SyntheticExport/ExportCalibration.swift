/// Finds the records per day that make the asked size, by writing some of the days to nowhere.
enum ExportCalibration {
  /// Days measured; with no more days than this the size is known exactly.
  private static let sampleDays = 42
  private static let tolerance = 0.003

  static func layout(for request: ExportRequest) throws(SyntheticExportError) -> ExportLayout {
    guard request.extraRecordCount <= ExportWriter.extraParts * ExportWriter.extraWindow else {
      throw .usage("at most \(ExportWriter.extraParts * ExportWriter.extraWindow) extra records fit in one morning")
    }
    var layout = try ExportLayout(request)
    let fixed = try bytes(layout, days: [])
    let indexes = (0..<layout.dayCount).filter {
      layout.dayCount <= sampleDays || $0 == 0
        || ($0 * sampleDays / layout.dayCount) != (($0 - 1) * sampleDays / layout.dayCount)
    }
    // Size grows nearly linearly with density: the secant through the last two measurements finds it in a few steps.
    var previous: (density: Double, bytes: Double) = (0, Double(fixed))
    var best = (density: layout.density, bytes: Double.infinity)
    for _ in 0..<12 {
      let measured = try bytes(layout, days: indexes.map { layout.day($0) }) - fixed
      let size = Double(fixed) + Double(measured) * Double(layout.dayCount) / Double(indexes.count)
      let error = size - Double(request.byteCount)
      if abs(error) < abs(best.bytes - Double(request.byteCount)) { best = (layout.density, size) }
      if abs(error) < tolerance * Double(request.byteCount) { break }
      let slope = (size - previous.bytes) / (layout.density - previous.density)
      previous = (layout.density, size)
      let next = layout.density - error / (slope > 0 ? slope : size / layout.density)
      // Never further than eight-fold, and never to nothing.
      layout.density = min(max(next, layout.density / 8), layout.density * 8)
    }
    layout.density = best.density
    guard abs(best.bytes - Double(request.byteCount)) <= 0.04 * Double(request.byteCount) else {
      throw .sizeOutOfReach(asked: request.byteCount, nearest: Int(best.bytes), days: layout.dayCount)
    }
    return layout
  }

  private static func bytes(_ layout: ExportLayout, days: [Day]) throws(SyntheticExportError) -> Int {
    var writer = ExportWriter(layout: layout, days: days, sink: DiscardingSink(), withExtra: false)
    return try writer.write()
  }
}
