import HealthModel

extension RowMapper {
  typealias Interval = (start: Instant, end: Instant)

  /// ```
  /// <WorkoutRoute sourceName="…" startDate="…" endDate="…">
  ///  <MetadataEntry key="HKMetadataKeySyncIdentifier" value="…"/>
  ///  <FileReference path="/workout-routes/route_2024-05-01_10.30am.gpx"/>
  ///  <Location date="…" latitude="…" longitude="…" altitude="…" …/>      iOS 12: the points themselves
  /// ```
  /// The row of a route with a file has no value yet: `SideFileMetadata` adds what the file says.
  mutating func mapRoute(
    _ node: Int, of element: borrowing ExportElement, workout: (common: CommonAttributes, interval: Interval?)?,
    into buffer: inout SampleBuffer
  ) {
    base.samplesRead += 1
    var common = CommonAttributes(node: node, of: element)
    if common.otherCount > 0 { countUnknownAttributes(of: node, in: element) }
    if let workout, common.sourceName.isEmpty { common.sourceName = workout.common.sourceName }
    guard let interval = routeInterval(node, of: element, workout: workout?.interval) else {
      let kind: ProblemKind = common.startDate.isEmpty ? .rejectedNoStart : .rejectedUnreadableStart
      let _: Void? = reject(kind, at: element.inputOffset)
      return
    }
    guard
      var sample = beginSample(
        fixed.workoutRoute, common, start: interval.start, end: interval.end, of: element)
    else { return }
    object.removeAll()
    let file = routeFile(node, of: element)
    if !file.isEmpty {
      addText("file", file, of: element)
      sample.record.flags.insert(.hasSideFile)
    }
    addLocations(of: node, in: element, to: &sample.record)
    let findings = addEntries(of: node, in: element)
    countUnknownChildren(of: node, in: element, except: [.metadataEntry, .fileReference, .location])
    sample.record.flags.insert(.isConverted)
    // Not its file: that is named by the phone's clock, and an export made in another zone names it otherwise. Routes of
    // one interval are told apart by their points (`SampleOrder`).
    sample.record.naming = NamingHash.hash(findings, of: element)
    take(findings, for: &sample.record, of: element)
    endSample(sample, common, of: element, into: &buffer)
  }

  /// The route's own interval; without dates it takes its workout's. nil: there is no readable start.
  func routeInterval(_ node: Int, of element: borrowing ExportElement, workout: Interval?) -> Interval? {
    let bytes = element.bytes.span
    let start = element.piece(.startDate, of: node)
    let end = element.piece(.endDate, of: node)
    let ended = DateParser.parse(end.range, of: bytes)?.instant
    if start.isEmpty {
      guard let workout else { return nil }
      return (workout.start, max(workout.start, ended ?? workout.end))
    }
    guard let started = DateParser.parse(start.range, of: bytes)?.instant else { return nil }
    return (started, max(started, ended ?? workout?.end ?? started))
  }

  /// The path of the first FileReference of a route.
  func routeFile(_ route: Int, of element: borrowing ExportElement) -> Piece {
    var index = route + 1
    while index < element.nodes.count, element.nodes[index].parent >= route {
      if element.nodes[index].name == .fileReference { return element.piece(.path, of: index) }
      index += 1
    }
    return .absent
  }

  /// Value, `bounds` and `distance_meters` from Location elements, where a route has them, and the points themselves,
  /// which `SideFileMetadata` takes out again.
  private mutating func addLocations(
    of route: Int, in element: borrowing ExportElement, to record: inout SampleRecord
  ) {
    guard hasChild(.location, of: route, in: element) else { return }
    var measure = RouteMeasure(start: record.start, end: record.end)
    object.begin(InlinePoints.key)
    object.text.append(UInt8(ascii: "\""))
    for node in route + 1..<element.endOfSubtree(of: route) where element.nodes[node].name == .location {
      guard let point = location(node, of: element) else {
        base.problems.add(.pointWithoutTime, at: element.inputOffset)
        continue
      }
      measure.add(point)
      InlinePoints.append(point, to: &object.text)
    }
    object.text.append(UInt8(ascii: "\""))
    object.end()
    record.value = Double(measure.pointCount)
    record.flags.formUnion([.hasValue, .hasInlinePoints])
    measure.addMembers(to: &object)
  }

  /// nil: a point without time or place.
  private func location(_ node: Int, of element: borrowing ExportElement) -> RoutePoint? {
    let bytes = element.bytes.span
    func number(_ name: AttributeName) -> Double? {
      DecimalParser.parse(element.piece(name, of: node).range, of: bytes)
    }
    guard let date = DateParser.parse(element.piece(.date, of: node).range, of: bytes),
      let longitude = number(.longitude), let latitude = number(.latitude)
    else { return nil }
    var point = RoutePoint(recordedAt: date.instant, longitude: longitude, latitude: latitude)
    point.elevation = number(.altitude)
    point.horizontalAccuracy = number(.horizontalAccuracy)
    point.verticalAccuracy = number(.verticalAccuracy)
    point.speed = number(.speed).flatMap { $0 < 0 ? nil : $0 }
    point.course = number(.course).flatMap { $0 < 0 ? nil : $0 }
    return point
  }
}
