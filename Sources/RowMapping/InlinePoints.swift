package import HealthModel

/// Points of a route in a form without choices: eight numbers of eight bytes each, nothing but their bits. The digest of
/// these bytes names a list of points wherever it came from, and as hexadecimal text they travel in a route's metadata
/// from the mapper to the pass that writes them.
///
/// ```
/// recorded µs since 1970 | longitude | latitude | elevation | speed | course | horizontal | vertical accuracy
/// ```
package enum InlinePoints {
  /// Member of a route's metadata; no other key of ours starts so, and entries of this name are renamed.
  static let key = "inline_points"

  private static let numbersPerPoint = 8
  /// Stands for a number that is unknown. It is no finite double, and no instant of an export.
  private static let unknown = UInt64.max

  /// All points as bytes, for a digest.
  package static func bytes(of points: [RoutePoint]) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(points.count * numbersPerPoint * 8)
    for point in points {
      for number in numbers(of: point) {
        for shift in stride(from: 56, through: 0, by: -8) { bytes.append(UInt8(truncatingIfNeeded: number >> shift)) }
      }
    }
    return bytes
  }

  /// A point as hexadecimal text.
  static func append(_ point: RoutePoint, to text: inout [UInt8]) {
    for number in numbers(of: point) {
      for shift in stride(from: 60, through: 0, by: -4) {
        let digit = UInt8(truncatingIfNeeded: number >> shift) & 15
        text.append(digit < 10 ? 0x30 + digit : 0x61 + digit - 10)
      }
    }
  }

  /// The points in the JSON string `text[string]`.
  static func points(_ string: Range<Int>, of text: Span<UInt8>) -> [RoutePoint] {
    var points: [RoutePoint] = []
    var numbers: [UInt64] = []
    var position = string.lowerBound + 1
    while position + 16 < string.upperBound {
      var number: UInt64 = 0
      for i in position..<position + 16 {
        number = number << 4 | UInt64(text[i] < 0x3A ? text[i] - 0x30 : text[i] - 0x57)
      }
      numbers.append(number)
      position += 16
      if numbers.count == numbersPerPoint {
        points.append(point(of: numbers))
        numbers.removeAll(keepingCapacity: true)
      }
    }
    return points
  }

  private static func numbers(of point: RoutePoint) -> [UInt64] {
    [point.recordedAt.map { UInt64(bitPattern: $0.microseconds) } ?? unknown]
      + [
        point.longitude, point.latitude, point.elevation, point.speed, point.course, point.horizontalAccuracy,
        point.verticalAccuracy,
      ].map { $0?.bitPattern ?? unknown }
  }

  private static func point(of numbers: [UInt64]) -> RoutePoint {
    func number(_ index: Int) -> Double? { numbers[index] == unknown ? nil : Double(bitPattern: numbers[index]) }
    var point = RoutePoint(
      recordedAt: numbers[0] == unknown ? nil : Instant(microseconds: Int64(bitPattern: numbers[0])),
      longitude: number(1) ?? 0, latitude: number(2) ?? 0)
    point.elevation = number(3)
    point.speed = number(4)
    point.course = number(5)
    point.horizontalAccuracy = number(6)
    point.verticalAccuracy = number(7)
    return point
  }
}
