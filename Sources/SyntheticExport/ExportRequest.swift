package import HealthModel

/// What is asked for; the same request gives the same bytes, on every machine and in every year.
package struct ExportRequest: Sendable {
  /// Bytes of export.xml, reached within 5 %.
  package var byteCount: Int
  package var seed: UInt64
  /// New records of the day after `lastDay`; everything else stays byte-identical.
  package var extraRecordCount = 0
  /// IANA name out of `LocalZone.all`.
  package var zoneName = "Europe/Berlin"
  /// nil: as many days before `lastDay` as a heavy user needs for this size.
  package var firstDay: CivilDay?
  package var lastDay = CivilDay(year: 2026, month: 1, day: 14)
  /// Local date and time (seconds since midnight); its offset is the file's. nil: 09:41:00 on the day after `lastDay`.
  package var exportDate: (day: CivilDay, clock: Int)?

  package init(byteCount: Int, seed: UInt64) {
    self.byteCount = byteCount
    self.seed = seed
  }

  package static var zoneNames: [String] { LocalZone.all.map(\.name) }
}

/// How a request is spread over days: the fixed part of every decision the generators make.
struct ExportLayout {
  /// XML per day of somebody who wears a watch day and night (export-format §11: 3.1 GB in ten years).
  static let heavyBytesPerDay = 913_000
  /// A longer export gets more records per day instead of more days.
  static let longestSpan = 4383

  let request: ExportRequest
  let zone: LocalZone
  let firstDay: CivilDay
  let dayCount: Int
  let detail: Detail
  let eraCount: Int
  /// Records per day, 1 being the heavy user; found by `ExportCalibration`.
  var density: Double

  /// How rich the events of a day are; small exports cannot afford whole nights.
  enum Detail: Int { case sparse, moderate, full }

  init(_ request: ExportRequest) throws(SyntheticExportError) {
    guard let zone = LocalZone.all.first(where: { $0.name == request.zoneName }) else {
      throw .usage("unknown zone \(request.zoneName); known: \(ExportRequest.zoneNames.joined(separator: ", "))")
    }
    let wanted = request.byteCount / ExportLayout.heavyBytesPerDay
    let fewest = request.byteCount < 150_000 ? 2 : request.byteCount < 400_000 ? 3 : 7
    let days =
      request.firstDay.map { Int(request.lastDay.daysSince1970 - $0.daysSince1970) + 1 }
      ?? min(max(wanted, fewest), ExportLayout.longestSpan)
    guard days >= 1 else { throw .usage("--start is after --end") }
    self.request = request
    self.zone = zone
    dayCount = days
    firstDay = request.lastDay.advanced(by: 1 - days)
    let bytesPerDay = request.byteCount / days
    detail = bytesPerDay < 60_000 ? .sparse : bytesPerDay < 400_000 ? .moderate : .full
    eraCount = min(6, 1 + days / 120)
    density = Double(bytesPerDay) / Double(ExportLayout.heavyBytesPerDay)
  }

  /// Seconds since 1970 of ExportDate.
  var exportInstant: Int {
    let (day, clock) = request.exportDate ?? (request.lastDay.advanced(by: 1), 9 * 3600 + 41 * 60)
    return zone.midnight(day) + clock
  }

  /// The offset every date of the file carries.
  var offset: Int { zone.offset(at: exportInstant) }

  func day(_ index: Int) -> Day {
    let civil = firstDay.advanced(by: index)
    let midnight = zone.midnight(civil)
    return Day(
      index: index, civil: civil, midnight: midnight, length: zone.midnight(civil.advanced(by: 1)) - midnight,
      era: index * eraCount / dayCount)
  }

  func random(_ stream: UInt64, _ index: Int) -> SplitMix64 {
    SplitMix64(seed: request.seed, stream: stream, index: index)
  }

  // MARK: How many

  /// Samples on a day of something that a heavy user has `perDay` times; whole numbers that add up over the span.
  /// What happens a few times a day or less thins out more slowly, so that small exports still have every type.
  func count(_ perDay: Double, on day: Day, stream: UInt64) -> Int {
    let rate = perDay * (perDay > 4 ? density : density.squareRoot())
    return occurrences(rate, on: day, stream: stream)
  }

  /// At least one in the whole span, however small the rate.
  func occurrences(_ rate: Double, on day: Day, stream: UInt64) -> Int {
    var phase = 0.5
    if rate * Double(dayCount) < 1 {
      var random = random(stream, -1)
      phase = 1 - rate * (Double(random.below(dayCount)) + 0.5)
    }
    return Int(rate * Double(day.index + 1) + phase) - Int(rate * Double(day.index) + phase)
  }
}

/// A local day of the span.
struct Day {
  let index: Int
  let civil: CivilDay
  /// Its first instant, and its length in seconds (82,800 to 90,000).
  let midnight: Int
  let length: Int
  let era: Int

  var weekday: Int { (Int(civil.daysSince1970) + 4) % 7 }
  var isWeekend: Bool { weekday == 0 || weekday == 6 }
}
