import Foundation
package import HealthModel

/// What the row of a route says about its points: how many lie inside the route's interval, how far they lead and what
/// area they cover. Points are added in the order of the file.
package struct RouteMeasure: Sendable {
  package let start: Instant
  package let end: Instant
  package private(set) var pointCount = 0
  /// Along the surface of a sphere of the Earth's mean radius.
  package private(set) var distanceMeters = 0.0
  package private(set) var bounds: Bounds?
  private var previous: (longitude: Double, latitude: Double)?

  package struct Bounds: Equatable, Sendable {
    package var minimumLongitude, minimumLatitude, maximumLongitude, maximumLatitude: Double
  }

  /// The interval includes both ends.
  package init(start: Instant, end: Instant) {
    self.start = start
    self.end = end
  }

  /// Takes in a point, unless it has no time or lies outside the interval.
  package mutating func add(_ point: RoutePoint) {
    guard let time = point.recordedAt, start <= time, time <= end else { return }
    let (longitude, latitude) = (point.longitude, point.latitude)
    pointCount += 1
    if let previous { distanceMeters += RouteMeasure.distance(from: previous, to: (longitude, latitude)) }
    previous = (longitude, latitude)
    let known =
      bounds
      ?? Bounds(
        minimumLongitude: longitude, minimumLatitude: latitude, maximumLongitude: longitude, maximumLatitude: latitude)
    bounds = Bounds(
      minimumLongitude: min(known.minimumLongitude, longitude), minimumLatitude: min(known.minimumLatitude, latitude),
      maximumLongitude: max(known.maximumLongitude, longitude), maximumLatitude: max(known.maximumLatitude, latitude))
  }

  /// Haversine formula: exact enough for neighbours a few metres apart.
  private static func distance(
    from a: (longitude: Double, latitude: Double), to b: (longitude: Double, latitude: Double)
  ) -> Double {
    func halfAngleSine(_ from: Double, _ to: Double) -> Double { sin((to - from) * .pi / 360) }
    let latitudes = halfAngleSine(a.latitude, b.latitude)
    let longitudes = halfAngleSine(a.longitude, b.longitude)
    let chord =
      latitudes * latitudes
      + cos(a.latitude * .pi / 180) * cos(b.latitude * .pi / 180) * longitudes * longitudes
    return 2 * 6_371_008.8 * asin(min(1, chord.squareRoot()))
  }

  /// `bounds: [min lon, min lat, max lon, max lat]` and `distance_meters`, which is rounded to centimetres.
  func addMembers(to object: inout JSONObject) {
    guard let bounds else { return }
    object.begin("bounds")
    object.text.append(UInt8(ascii: "["))
    for value in [
      bounds.minimumLongitude, bounds.minimumLatitude, bounds.maximumLongitude, bounds.maximumLatitude,
    ] {
      object.text.appendSeparator()
      object.text.append(json: value)
    }
    object.text.append(UInt8(ascii: "]"))
    object.end()
    object.begin("distance_meters")
    object.text.append(json: (distanceMeters * 100).rounded() / 100)
    object.end()
  }
}
