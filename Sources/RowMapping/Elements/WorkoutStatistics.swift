import HealthModel

extension RowMapper {
  /// The unit in which a statistic's or zone's numbers are written, and how to get there.
  struct StatisticUnit: BitwiseCopyable {
    var symbol: Symbol
    var conversion: UnitConversion
  }

  /// The canonical unit of the type of `node` (WorkoutStatistics, WorkoutZoneGroup); its own unit when it is not
  /// convertible.
  mutating func statisticUnit(of node: Int, in element: borrowing ExportElement) -> StatisticUnit {
    let bytes = element.bytes.span
    let unit = symbols.symbol(for: element.piece(.unit, of: node).range, of: bytes)
    let type = types.entryIndex(of: symbols.symbol(for: element.piece(.type, of: node).range, of: bytes))
    guard let conversion = types.conversion(entry: type, unit: unit) else {
      return StatisticUnit(symbol: unit, conversion: .identity)
    }
    return StatisticUnit(symbol: types.entries[type].canonicalUnit, conversion: conversion)
  }

  /// `statistics: {type: {sum | average, minimum, maximum, unit, started_at, ended_at}}` of the workout itself.
  mutating func addStatistics(in element: borrowing ExportElement) {
    guard hasChild(.workoutStatistics, of: 0, in: element) else { return }
    fillStatistics(of: 0, in: element)
    object.begin("statistics")
    statistics.write(into: &object.text)
    object.end()
  }

  /// Puts the WorkoutStatistics children of `parent` into `statistics`. A type that is repeated counts as its last.
  mutating func fillStatistics(of parent: Int, in element: borrowing ExportElement) {
    let bytes = element.bytes.span
    statistics.removeAll()
    for node in parent + 1..<element.endOfSubtree(of: parent)
    where element.nodes[node].parent == parent && element.nodes[node].name == .workoutStatistics {
      let unit = statisticUnit(of: node, in: element)
      cleaned += statistics.begin(element.piece(.type, of: node).range, of: bytes)
      statistics.text.append(UInt8(ascii: "{"))
      appendNumber(.average, unit, of: node, in: element)
      cleaned += statistics.text.append(member: "ended_at", instant: statisticEnd(of: node, in: element), of: bytes)
      appendNumber(.maximum, unit, of: node, in: element)
      appendNumber(.minimum, unit, of: node, in: element)
      cleaned += statistics.text.append(
        member: "started_at", instant: element.piece(.startDate, of: node), of: bytes)
      appendNumber(.sum, unit, of: node, in: element)
      if unit.symbol != .empty {
        statistics.text.append(member: "unit")
        appendText(of: unit.symbol, to: &statistics.text)
      }
      statistics.text.append(UInt8(ascii: "}"))
      statistics.end()
      countUnknownAttributes(of: node, in: element, except: [.average, .maximum, .minimum, .sum])
    }
  }

  private mutating func appendNumber(
    _ name: AttributeName, _ unit: StatisticUnit, of node: Int, in element: borrowing ExportElement
  ) {
    cleaned += statistics.text.append(
      member: name.exportName, number: element.piece(name, of: node), of: element.bytes.span,
      conversion: unit.conversion)
  }

  /// iOS 16.0 wrote startDate twice and no endDate: the second is the end.
  private func statisticEnd(of node: Int, in element: borrowing ExportElement) -> Piece {
    let end = element.piece(.endDate, of: node)
    if end.isPresent { return end }
    let starts = element.nodes[node].attributeRange.filter { element.attributes[$0].name == .startDate }
    return starts.count == 2 ? Piece(element.attributes[starts[1]]) : .absent
  }

  // MARK: Totals

  /// `total_…`: the attribute, else the sum of the workout's own statistic.
  mutating func addTotals(activity: Symbol, of element: borrowing ExportElement) {
    let distance =
      total(.totalDistance, unit: .totalDistanceUnit, in: "m", of: element)
      ?? distance(of: element, fitting: WorkoutDistance.type(fitting: table.text(of: activity)))
    let energy =
      total(.totalEnergyBurned, unit: .totalEnergyBurnedUnit, in: "kcal", of: element)
      ?? sum(of: "HKQuantityTypeIdentifierActiveEnergyBurned", in: "kcal", of: element)
    let strokes =
      total(.totalSwimmingStrokeCount, unit: nil, in: "count", of: element)
      ?? sum(of: "HKQuantityTypeIdentifierSwimmingStrokeCount", in: "count", of: element)
    let flights =
      total(.totalFlightsClimbed, unit: nil, in: "count", of: element)
      ?? sum(of: "HKQuantityTypeIdentifierFlightsClimbed", in: "count", of: element)
    addTotal("total_distance_meters", distance)
    addTotal("total_energy_burned_cal", energy)
    addTotal("total_swimming_stroke_count", strokes)
    addTotal("total_flights_climbed", flights)
  }

  private mutating func addTotal(_ key: String, _ value: Double?) {
    guard let value else { return }
    object.begin(key)
    object.text.append(json: value)
    object.end()
  }

  private mutating func total(
    _ name: AttributeName, unit: AttributeName?, in target: String, of element: borrowing ExportElement
  ) -> Double? {
    let piece = element.piece(name, of: 0)
    guard !piece.isEmpty else { return nil }
    let unitPiece = unit.map { element.piece($0, of: 0) }
    return value(piece, unit: unitPiece, in: target, of: element)
  }

  /// `unit` nil: counts, which have none.
  private mutating func value(
    _ piece: Piece, unit: Piece?, in target: String, of element: borrowing ExportElement
  ) -> Double? {
    let bytes = element.bytes.span
    guard let value = DecimalParser.parse(piece.range, of: bytes) else {
      cleaned += 1
      return nil
    }
    guard let unit else { return value }
    guard
      let converted = conversions.conversion(from: symbols.symbol(for: unit.range, of: bytes), to: target)?(value),
      converted.isFinite
    else {
      base.problems.add(.unknownUnit, at: element.inputOffset)
      return nil
    }
    return converted
  }

  /// The sum of the last of the workout's own statistics of `type`.
  private mutating func sum(of type: String, in target: String, of element: borrowing ExportElement) -> Double? {
    let found = element.nodes.indices.last { node in
      isSum(node, of: element) && element.bytes.span.isEqual(element.piece(.type, of: node).range, to: type)
    }
    guard let found else { return nil }
    return value(
      element.piece(.sum, of: found), unit: element.piece(.unit, of: found), in: target, of: element)
  }

  private func isSum(_ node: Int, of element: borrowing ExportElement) -> Bool {
    element.nodes[node].parent == 0 && element.nodes[node].name == .workoutStatistics
      && !element.piece(.sum, of: node).isEmpty
  }

  /// The distance of the type that fits the activity, else of the only type there is, else of all together.
  private mutating func distance(of element: borrowing ExportElement, fitting type: String?) -> Double? {
    var distances: [String: Double] = [:]
    for node in element.nodes.indices where isSum(node, of: element) {
      let piece = element.piece(.type, of: node)
      guard element.bytes.span.hasPrefix("HKQuantityTypeIdentifierDistance", piece.range),
        let metres = value(
          element.piece(.sum, of: node), unit: element.piece(.unit, of: node), in: "m", of: element)
      else { continue }
      distances[element.bytes.span.string(piece.range)] = metres
    }
    if let type, let fitting = distances[type] { return fitting }
    // Added in the order of the types, so that the sum does not depend on the order of the elements.
    return distances.isEmpty ? nil : distances.sorted { $0.key < $1.key }.reduce(0) { $0 + $1.value }
  }
}

/// Which distance an activity covers.
enum WorkoutDistance {
  static func type(fitting activity: String) -> String? {
    suffixes[activity].map { "HKQuantityTypeIdentifierDistance" + $0 }
  }

  private static let suffixes: [String: String] = {
    let activities: [String: [String]] = [
      "WalkingRunning": [
        "Running", "Walking", "Hiking", "TrackAndField", "Golf", "Stairs", "StairClimbing", "StepTraining", "Hunting",
        "Soccer", "Rugby", "AmericanFootball", "AustralianFootball", "Basketball", "Tennis", "DiscSports", "Elliptical",
      ],
      "Cycling": ["Cycling", "HandCycling"], "Swimming": ["Swimming"],
      "Wheelchair": ["WheelchairWalkPace", "WheelchairRunPace"],
      "DownhillSnowSports": ["DownhillSkiing", "Snowboarding"], "CrossCountrySkiing": ["CrossCountrySkiing"],
      "PaddleSports": ["PaddleSports"], "Rowing": ["Rowing"], "SkatingSports": ["SkatingSports"],
    ]
    var result: [String: String] = [:]
    for (suffix, names) in activities {
      for name in names { result["HKWorkoutActivityType" + name] = suffix }
    }
    return result
  }()
}
