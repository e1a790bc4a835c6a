/// Elements of an Apple Health export (all DTD versions and what real files add; `export-format` §4.2).
package enum ElementName: UInt8, CaseIterable, BitwiseCopyable, Sendable {
  case exportDate, me, record, metadataEntry, heartRateVariabilityMetadataList, instantaneousBeatsPerMinute
  case correlation, workout, workoutActivity, workoutEvent, workoutStatistics, workoutZoneGroup, workoutZone
  case workoutRoute, fileReference, location, activitySummary, clinicalRecord, audiogram, sensitivityPoint
  case visionPrescription, rightEye, leftEye, attachment
  /// Not known to this version; its name is in the element's bytes.
  case other

  /// The name in the file, for instance `MetadataEntry`.
  package var exportName: String {
    let name = String(describing: self)
    return name.prefix(1).uppercased() + name.dropFirst()
  }
}

/// Attribute names with a meaning to the mapper; every other attribute is kept under its own name.
package enum AttributeName: UInt8, CaseIterable, BitwiseCopyable, Sendable {
  case type, sourceName, sourceVersion, device, unit, creationDate, startDate, endDate, value
  case key, bpm, time, workoutActivityType, duration, durationUnit, totalDistance, totalDistanceUnit
  case totalEnergyBurned, totalEnergyBurnedUnit, totalSwimmingStrokeCount, totalFlightsClimbed
  case date, uuid, average, minimum, maximum, sum, source, path, dateComponents
  case activeEnergyBurned, activeEnergyBurnedGoal, activeEnergyBurnedUnit
  case identifier, sourceURL, fhirVersion, receivedDate, resourceFilePath
  case frequencyValue, frequencyUnit, leftEarValue, leftEarUnit, rightEarValue, rightEarUnit
  case dateIssued, expirationDate, brand
  case latitude, longitude, altitude, horizontalAccuracy, verticalAccuracy, course, speed
  /// Not in this list; its name is in the element's bytes.
  case other

  /// The name in the file: the case's own name.
  package var exportName: String { String(describing: self) }
}

/// One child of `HealthData` with everything in it, flattened: plain bytes between the XML reader and the row mapper.
/// The reader fills one value over and over, so nothing is allocated per record once it has grown.
///
/// ```
/// <Correlation type="…">            nodes[0]  parent -1  attributes 0..<7
///  <MetadataEntry key=… value=…/>   nodes[1]  parent 0   attributes 7..<9
///  <Record type=…>                  nodes[2]  parent 0
///   <MetadataEntry …/>              nodes[3]  parent 2
/// ```
/// Attribute values are decoded (entities resolved, repairs made); all offsets are into `bytes`.
package struct ExportElement: Sendable {
  package struct Node: BitwiseCopyable, Sendable {
    package var name: ElementName
    package var parent: Int32
    package var firstAttribute: Int32
    package var attributeCount: Int32
    /// The name's bytes when `name == .other`.
    package var nameStart: Int32
    package var nameLength: Int32

    @inlinable package init(
      name: ElementName, parent: Int32, firstAttribute: Int32, attributeCount: Int32, nameStart: Int32 = 0,
      nameLength: Int32 = 0
    ) {
      self.name = name
      self.parent = parent
      self.firstAttribute = firstAttribute
      self.attributeCount = attributeCount
      self.nameStart = nameStart
      self.nameLength = nameLength
    }

    package var attributeRange: Range<Int> { Int(firstAttribute)..<Int(firstAttribute + attributeCount) }
    package var nameRange: Range<Int> { Int(nameStart)..<Int(nameStart + nameLength) }
  }

  package struct Attribute: BitwiseCopyable, Sendable {
    package var name: AttributeName
    package var nameStart: Int32
    package var nameLength: Int32
    package var valueStart: Int32
    package var valueLength: Int32

    @inlinable package init(
      name: AttributeName, nameStart: Int32 = 0, nameLength: Int32 = 0, valueStart: Int32, valueLength: Int32
    ) {
      self.name = name
      self.nameStart = nameStart
      self.nameLength = nameLength
      self.valueStart = valueStart
      self.valueLength = valueLength
    }

    /// The name's bytes when `name == .other`.
    package var nameRange: Range<Int> { Int(nameStart)..<Int(nameStart + nameLength) }
    package var valueRange: Range<Int> { Int(valueStart)..<Int(valueStart + valueLength) }
  }

  package var nodes: [Node] = []
  package var attributes: [Attribute] = []
  package var bytes: [UInt8] = []
  /// First byte (`<`) of the element in the original input, before repairs.
  package var inputOffset: Int64 = 0

  package init() {}

  package mutating func removeAll() {
    nodes.removeAll(keepingCapacity: true)
    attributes.removeAll(keepingCapacity: true)
    bytes.removeAll(keepingCapacity: true)
    inputOffset = 0
  }

  /// Range of the value of the first attribute `name` of node `node`, nil when absent.
  package func value(_ name: AttributeName, of node: Int) -> Range<Int>? {
    for index in nodes[node].attributeRange where attributes[index].name == name { return attributes[index].valueRange }
    return nil
  }
}
