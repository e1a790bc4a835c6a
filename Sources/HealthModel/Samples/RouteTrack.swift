/// The points of one GPX file, all its segments one after another.
package struct RouteTrack: Sendable, Equatable {
  /// In the order of the file; every one has a time.
  package var points: [RoutePoint] = []
  /// Points without a time, or without a place: left out.
  package var leftOutPointCount = 0

  package init() {}
}
