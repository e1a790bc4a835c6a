/// One point of a route, degrees of WGS 84, metres, metres per second. What is unknown (speed and course -1) is nil.
package struct RoutePoint: Equatable, Sendable {
  package var recordedAt: Instant?
  package var longitude: Double
  package var latitude: Double
  package var elevation: Double?
  package var speed: Double?
  package var course: Double?
  package var horizontalAccuracy: Double?
  package var verticalAccuracy: Double?

  package init(recordedAt: Instant?, longitude: Double, latitude: Double) {
    self.recordedAt = recordedAt
    self.longitude = longitude
    self.latitude = latitude
  }
}
