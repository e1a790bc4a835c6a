import HealthModel

/// A workout's way across the map: an element in export.xml and points in a GPX file.
struct Route {
  let start: Int
  let end: Int
  let fileName: String
  let identifier: String
  /// Seconds between points.
  let spacing: Int
  /// The first half of a cut route points at the file of the second, which is all that is left (export-format §8.2).
  let isOverwritten: Bool
  private let seed: SplitMix64

  static func routes(of workout: PlannedWorkout, on day: Day, _ layout: ExportLayout) -> [Route] {
    guard workout.hasRoute else { return [] }
    var random = layout.random(Stream.routes, day.index)
    let start = day.midnight + workout.start + 2
    let end = day.midnight + workout.end - 1
    let fileName = name(end, layout.zone)
    let spacing = [10, 4, 1][layout.detail.rawValue]
    let middle = (start + end) / 2
    let borders = workout.isSplit ? [(start, middle, true), (middle + 1, end, false)] : [(start, end, false)]
    return borders.map { from, until, isOverwritten in
      Route(
        start: from, end: until, fileName: fileName, identifier: random.uuid(), spacing: spacing,
        isOverwritten: isOverwritten, seed: random)
    }
  }

  /// Points in the file that lie in this route's interval.
  var pointCount: Int { isOverwritten ? 0 : (end - start) / spacing + 1 }

  /// The clock of the route's end, with daylight saving: `route_2025-07-14_6.51pm.gpx`.
  private static func name(_ instant: Int, _ zone: LocalZone) -> String {
    let local = instant + zone.offset(at: instant)
    let day = CivilDay(daysSince1970: Int32(local.flooredQuotient(86_400)))
    let minute = local.flooredModulo(86_400) / 60
    let clock = "\((minute / 60 + 11) % 12 + 1).\(minute % 60 < 10 ? "0" : "")\(minute % 60)"
    return "route_\(day)_\(clock)\(minute < 720 ? "am" : "pm").gpx"
  }

  /// The whole file (the one that is left when the route was cut).
  func write(to sink: any ByteSink, exportInstant: Int) throws(SyntheticExportError) {
    var file = SideFile(sink: sink)
    let title = fileName.dropFirst(6).dropLast(4).replacing("_", with: " ").replacing(".", with: ":")
    file.buffer.append(
      text: """
        <?xml version="1.0" encoding="UTF-8"?>
        <gpx version="1.1" creator="Apple Health Export" xmlns="http://www.topografix.com/GPX/1/1" \
        xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
        xsi:schemaLocation="http://www.topografix.com/GPX/1/1 http://www.topografix.com/GPX/1/1/gpx.xsd">
          <metadata>
            <time>
        """)
    file.buffer.append(utc: exportInstant)
    file.buffer.append(text: "</time>\n  </metadata>\n  <trk>\n    <name>Route \(title)</name>\n    <trkseg>\n")
    var random = seed
    var walker = Walker(&random)
    for second in stride(from: start, through: end, by: spacing) {
      try file.makeRoom()
      walker.advance(spacing, &random)
      walker.write(at: second, to: &file.buffer)
    }
    file.buffer.append(text: "    </trkseg>\n  </trk>\n</gpx>\n")
    try file.flush()
  }

  /// A point that wanders; all numbers are integers, so that every machine prints the same.
  private struct Walker {
    /// Millionths of a degree.
    var longitude: Int
    var latitude: Int
    var centimetres: Int
    var heading: Int
    var speed = 2_700_000

    init(_ random: inout SplitMix64) {
      longitude = 13_000_000 + random.below(800_000)
      latitude = 51_900_000 + random.below(600_000)
      centimetres = 3400 + random.below(9000)
      heading = random.below(360)
    }

    mutating func advance(_ seconds: Int, _ random: inout SplitMix64) {
      heading = (heading + random.between(-9, 10)).flooredModulo(360)
      speed = min(max(speed + random.between(-90_000, 90_000), 900_000), 4_200_000)
      centimetres += random.between(-12, 12)
      // 1 m is 9 millionths of a degree north, about 14.6 east at this latitude.
      latitude += seconds * speed / 1_000_000 * 9 * sine(heading + 90) / 1000
      longitude += seconds * speed / 1_000_000 * 146 * sine(heading) / 10_000
    }

    func write(at second: Int, to buffer: inout ByteBuffer) {
      buffer.append("      <trkpt lon=\"")
      buffer.append(fixed: longitude, decimals: 6)
      buffer.append("\" lat=\"")
      buffer.append(fixed: latitude, decimals: 6)
      buffer.append("\"><ele>")
      buffer.append(fixed: centimetres * 10_000, decimals: 6)
      buffer.append("</ele><time>")
      buffer.append(utc: second)
      buffer.append("</time><extensions><speed>")
      // Unknown speed and course are -1 now and then.
      buffer.append(fixed: second % 97 == 0 ? -1_000_000 : speed, decimals: 6)
      buffer.append("</speed><course>")
      buffer.append(fixed: second % 97 == 0 ? -1_000_000 : heading * 1_000_000, decimals: 6)
      buffer.append("</course><hAcc>")
      buffer.append(fixed: 1_800_000 + second % 50 * 41_000, decimals: 6)
      buffer.append("</hAcc><vAcc>1.500000</vAcc></extensions></trkpt>\n")
    }
  }
}

/// 1000 × sine of whole degrees by Bhaskara's formula, within 2: good enough for a curve, and the same everywhere.
func sine(_ degrees: Int) -> Int {
  let angle = degrees.flooredModulo(360)
  let half = angle % 180
  let value = 4000 * half * (180 - half) / (40_500 - half * (180 - half))
  return angle < 180 ? value : -value
}
