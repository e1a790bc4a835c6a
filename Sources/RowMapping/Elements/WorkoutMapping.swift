import HealthModel

extension RowMapper {
  /// ```
  /// <Workout workoutActivityType="HKWorkoutActivityTypeRunning" duration="30.5" durationUnit="min" sourceName="…" …>
  ///  <MetadataEntry …/>                                written twice, before and after the rest
  ///  <WorkoutEvent type="HKWorkoutEventTypePause" date="…" duration="0.5" durationUnit="min"/>
  ///  <WorkoutStatistics type="HKQuantityTypeIdentifierActiveEnergyBurned" startDate="…" endDate="…" sum="310" unit="Cal"/>
  ///  <WorkoutActivity uuid="…" startDate="…" …> events, statistics, metadata of its own </WorkoutActivity>
  ///  <WorkoutRoute …><FileReference path="/workout-routes/route_….gpx"/></WorkoutRoute>
  ///  <WorkoutZoneGroup type="…" source="user" unit="…"><WorkoutZone …/></WorkoutZoneGroup>
  ///  <Record …/>                                       effort scores
  /// ```
  /// is one row, one more per route, and one per Record.
  mutating func mapWorkout(_ element: borrowing ExportElement, into buffer: inout SampleBuffer) {
    base.samplesRead += 1
    let common = CommonAttributes(node: 0, of: element)
    countUnknownAttributes(of: 0, in: element, except: RowMapper.workoutAttributes)
    let interval = mapWorkoutSample(common, of: element, into: &buffer)
    for node in element.nodes.indices.dropFirst() where element.nodes[node].name == .workoutRoute {
      mapRoute(node, of: element, workout: (common, interval), into: &buffer)
    }
    mapNestedRecords(of: element, into: &buffer)
  }

  /// The workout's interval; nil when it was rejected for want of one.
  private mutating func mapWorkoutSample(
    _ common: CommonAttributes, of element: borrowing ExportElement, into buffer: inout SampleBuffer
  ) -> (start: Instant, end: Instant)? {
    guard let start = startInstant(common.startDate, of: element) else { return nil }
    let end = endInstant(common.endDate, start: start, of: element)
    guard var sample = beginSample(fixed.workout, common, start: start, end: end, of: element),
      setDuration(&sample, of: element)
    else { return (start, end) }
    object.removeAll()
    let activity = element.piece(.workoutActivityType, of: 0)
    if !activity.isEmpty {
      sample.record.subtype = symbols.symbol(for: activity.range, of: element.bytes.span)
      addText("workout_type", activity, of: element)
    }
    object.begin("duration_seconds")
    object.text.append(json: sample.record.value)
    object.end()
    addTotals(activity: sample.record.subtype, of: element)
    addStatistics(in: element)
    addEvents(of: 0, in: element)
    addActivities(in: element)
    addRoutes(in: element, start: start, end: end)
    addZones(in: element)
    let findings = addEntries(of: 0, in: element)
    countUnknownChildren(of: 0, in: element, except: RowMapper.workoutChildren)
    sample.record.naming = NamingHash.hash(findings, activity: activity, of: element)
    take(findings, for: &sample.record, of: element)
    endSample(sample, common, of: element, into: &buffer)
    return (start, end)
  }

  static let workoutAttributes: Set<AttributeName> = [
    .workoutActivityType, .duration, .durationUnit, .totalDistance, .totalDistanceUnit, .totalEnergyBurned,
    .totalEnergyBurnedUnit, .totalSwimmingStrokeCount, .totalFlightsClimbed,
  ]
  private static let workoutChildren: Set<ElementName> = [
    .metadataEntry, .workoutEvent, .workoutStatistics, .workoutActivity, .workoutRoute, .workoutZoneGroup, .record,
  ]

  /// The duration in seconds, without pauses; end - start where the export has none. False: the sample was rejected.
  private mutating func setDuration(_ sample: inout Sample, of element: borrowing ExportElement) -> Bool {
    let bytes = element.bytes.span
    let piece = element.piece(.duration, of: 0)
    let unit = element.piece(.durationUnit, of: 0)
    sample.record.flags.formUnion([.hasValue, .isConverted])
    sample.record.value = Double(sample.record.end.microseconds - sample.record.start.microseconds) / 1_000_000
    guard !piece.isEmpty else { return true }
    guard let duration = DecimalParser.parse(piece.range, of: bytes) else {
      return reject(.rejectedNotANumber, at: element.inputOffset) ?? false
    }
    sample.record.exportedUnit = symbols.symbol(for: unit.range, of: bytes)
    if let seconds = secondsConversion(unit, of: element)?(duration), seconds.isFinite {
      sample.record.value = seconds
    } else {
      base.problems.add(.unknownUnit, at: element.inputOffset)
    }
    return true
  }

  /// Into seconds; the export's unit is `min` where it names none.
  mutating func secondsConversion(_ unit: Piece, of element: borrowing ExportElement) -> UnitConversion? {
    let symbol = unit.isEmpty ? fixed.minutes : symbols.symbol(for: unit.range, of: element.bytes.span)
    return conversions.conversion(from: symbol, to: "s")
  }

  // MARK: Events

  /// `events: [{type, at, duration_seconds, metadata}]` of the workout or of an activity in it.
  mutating func addEvents(of parent: Int, in element: borrowing ExportElement) {
    guard hasChild(.workoutEvent, of: parent, in: element) else { return }
    object.begin("events")
    appendEvents(of: parent, in: element)
    object.end()
  }

  /// The array, as text.
  private mutating func appendEvents(of parent: Int, in element: borrowing ExportElement) {
    let bytes = element.bytes.span
    object.text.append(UInt8(ascii: "["))
    for node in parent + 1..<element.endOfSubtree(of: parent)
    where element.nodes[node].parent == parent && element.nodes[node].name == .workoutEvent {
      object.text.open("{")
      cleaned += object.text.append(member: "at", instant: element.piece(.date, of: node), of: bytes)
      appendDuration(of: node, in: element)
      appendNestedMetadata(of: node, in: element)
      cleaned += object.text.append(member: "type", text: element.piece(.type, of: node), of: bytes)
      object.text.close("}")
      countUnknownAttributes(of: node, in: element, except: [.date, .duration, .durationUnit])
      countUnknownChildren(of: node, in: element, except: [.metadataEntry])
    }
    object.text.append(UInt8(ascii: "]"))
  }

  // MARK: Activities

  /// `activities: [{uuid, started_at, ended_at, duration_seconds, metadata, statistics, events}]`.
  private mutating func addActivities(in element: borrowing ExportElement) {
    guard hasChild(.workoutActivity, of: 0, in: element) else { return }
    object.begin("activities")
    object.text.append(UInt8(ascii: "["))
    for node in element.nodes.indices
    where element.nodes[node].parent == 0 && element.nodes[node].name == .workoutActivity {
      appendActivity(node, of: element)
      countUnknownAttributes(of: node, in: element, except: [.uuid, .duration, .durationUnit])
      countUnknownChildren(of: node, in: element, except: RowMapper.activityChildren)
    }
    object.text.append(UInt8(ascii: "]"))
    object.end()
  }

  private static let activityChildren: Set<ElementName> = [
    .metadataEntry, .workoutEvent, .workoutStatistics, .record, .workoutRoute,
  ]

  private mutating func appendActivity(_ node: Int, of element: borrowing ExportElement) {
    let bytes = element.bytes.span
    object.text.open("{")
    if element.piece(.duration, of: node).isEmpty {
      appendInterval(of: node, in: element)
    } else {
      appendDuration(of: node, in: element)
    }
    cleaned += object.text.append(member: "ended_at", instant: element.piece(.endDate, of: node), of: bytes)
    if hasChild(.workoutEvent, of: node, in: element) {
      object.text.append(member: "events")
      appendEvents(of: node, in: element)
    }
    appendNestedMetadata(of: node, in: element)
    cleaned += object.text.append(member: "started_at", instant: element.piece(.startDate, of: node), of: bytes)
    if hasChild(.workoutStatistics, of: node, in: element) {
      object.text.append(member: "statistics")
      fillStatistics(of: node, in: element)
      statistics.write(into: &object.text)
    }
    cleaned += object.text.append(member: "uuid", text: element.piece(.uuid, of: node), of: bytes)
    object.text.close("}")
  }

  // MARK: Routes and zones

  /// `routes: [{file, started_at, ended_at}]`; a route without dates takes its workout's.
  private mutating func addRoutes(in element: borrowing ExportElement, start: Instant, end: Instant) {
    let bytes = element.bytes.span
    guard element.nodes.contains(where: { $0.name == .workoutRoute }) else { return }
    object.begin("routes")
    object.text.append(UInt8(ascii: "["))
    for node in element.nodes.indices where element.nodes[node].name == .workoutRoute {
      let interval = routeInterval(node, of: element, workout: (start, end))
      object.text.open("{")
      object.text.append(member: "ended_at")
      object.text.append(json: interval?.end ?? end)
      cleaned += object.text.append(member: "file", text: routeFile(node, of: element), of: bytes)
      object.text.append(member: "started_at")
      object.text.append(json: interval?.start ?? start)
      object.text.close("}")
    }
    object.text.append(UInt8(ascii: "]"))
    object.end()
  }

  /// `zones: [{type, source, unit, zones: [{minimum, maximum, duration_seconds}]}]`, bounds in the type's canonical unit.
  private mutating func addZones(in element: borrowing ExportElement) {
    let bytes = element.bytes.span
    guard hasChild(.workoutZoneGroup, of: 0, in: element) else { return }
    object.begin("zones")
    object.text.append(UInt8(ascii: "["))
    for group in element.nodes.indices
    where element.nodes[group].parent == 0 && element.nodes[group].name == .workoutZoneGroup {
      let unit = statisticUnit(of: group, in: element)
      object.text.open("{")
      cleaned += object.text.append(member: "source", text: element.piece(.source, of: group), of: bytes)
      cleaned += object.text.append(member: "type", text: element.piece(.type, of: group), of: bytes)
      if unit.symbol != .empty {
        object.text.append(member: "unit")
        appendText(of: unit.symbol, to: &object.text)
      }
      object.text.append(member: "zones")
      object.text.append(UInt8(ascii: "["))
      for zone in group + 1..<element.endOfSubtree(of: group) where element.nodes[zone].name == .workoutZone {
        object.text.open("{")
        appendDuration(of: zone, in: element)
        for key in [AttributeName.maximum, .minimum] {
          cleaned += object.text.append(
            member: key.exportName, number: element.piece(key, of: zone), of: bytes, conversion: unit.conversion)
        }
        object.text.close("}")
        countUnknownAttributes(of: zone, in: element, except: [.maximum, .minimum, .duration, .durationUnit])
      }
      object.text.append(UInt8(ascii: "]"))
      object.text.close("}")
      countUnknownAttributes(of: group, in: element, except: [.source])
      countUnknownChildren(of: group, in: element, except: [.workoutZone])
    }
    object.text.append(UInt8(ascii: "]"))
    object.end()
  }
}
