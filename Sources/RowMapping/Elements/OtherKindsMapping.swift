import HealthModel

/// Kinds of samples that have no number: audiograms, prescriptions, clinical records.
extension RowMapper {
  /// ```
  /// <Audiogram type="HKDataTypeIdentifierAudiogram" sourceName="…" startDate="…" endDate="…">
  ///  <SensitivityPoint frequencyValue="1000" frequencyUnit="Hz" leftEarValue="10" leftEarUnit="dBHL" …/>
  /// ```
  /// `points: [{frequency_hz, left_ear_dbhl, right_ear_dbhl, …}]`; attributes beyond these under their own names.
  mutating func mapAudiogram(_ element: borrowing ExportElement, into buffer: inout SampleBuffer) {
    base.samplesRead += 1
    let common = CommonAttributes(node: 0, of: element)
    if common.otherCount > 0 { countUnknownAttributes(of: 0, in: element) }
    // Version 11 of the DTD names no type.
    let type =
      common.type.isEmpty ? table.intern("HKDataTypeIdentifierAudiogram") : typeSymbol(common.type, of: element)
    guard let type, let start = startInstant(common.startDate, of: element),
      var sample = beginSample(
        type, common, start: start, end: endInstant(common.endDate, start: start, of: element), of: element)
    else { return }
    object.removeAll()
    if hasChild(.sensitivityPoint, of: 0, in: element) {
      object.begin("points")
      object.text.append(UInt8(ascii: "["))
      for node in element.nodes.indices where element.nodes[node].name == .sensitivityPoint {
        inner.removeAll()
        fillPoint(node, of: element)
        object.text.appendSeparator()
        inner.write(into: &object.text)
      }
      object.text.append(UInt8(ascii: "]"))
      object.end()
    }
    finish(&sample, common, of: element, expecting: [.metadataEntry, .sensitivityPoint], into: &buffer)
  }

  private mutating func fillPoint(_ node: Int, of element: borrowing ExportElement) {
    for index in element.nodes[node].attributeRange {
      let attribute = element.attributes[index]
      switch attribute.name {
      case .frequencyValue: addNumber("frequency_hz", attribute, unit: .frequencyUnit, "Hz", node, of: element)
      case .leftEarValue: addNumber("left_ear_dbhl", attribute, unit: .leftEarUnit, "dBHL", node, of: element)
      case .rightEarValue: addNumber("right_ear_dbhl", attribute, unit: .rightEarUnit, "dBHL", node, of: element)
      case .frequencyUnit, .leftEarUnit, .rightEarUnit: break
      default: addAttribute(attribute, of: element)
      }
    }
  }

  /// A number of a hearing test, in `unit`. One in a unit that does not convert keeps its attributes' names.
  private mutating func addNumber(
    _ key: String, _ attribute: ExportElement.Attribute, unit: AttributeName, _ target: String, _ node: Int,
    of element: borrowing ExportElement
  ) {
    let bytes = element.bytes.span
    let piece = element.piece(unit, of: node)
    let conversion =
      piece.isEmpty ? .identity : conversions.conversion(from: symbols.symbol(for: piece.range, of: bytes), to: target)
    if let conversion {
      inner.begin(key)
      cleaned += inner.text.append(number: Piece(attribute), of: bytes, conversion: conversion)
      inner.end()
    } else {
      addAttribute(attribute, of: element)
      for index in element.nodes[node].attributeRange where element.attributes[index].name == unit {
        addAttribute(element.attributes[index], of: element)
      }
    }
  }

  /// An attribute under its own name, into `inner`: a number where it is one.
  private mutating func addAttribute(_ attribute: ExportElement.Attribute, of element: borrowing ExportElement) {
    let bytes = element.bytes.span
    if attribute.name == .other {
      inner.begin(attribute.nameRange, of: bytes)
    } else {
      inner.begin(attribute.name.exportName)
    }
    if !inner.text.appendJSONNumber(attribute.valueRange, of: bytes) {
      cleaned += inner.text.appendJSON(attribute.valueRange, of: bytes)
    }
    inner.end()
  }

  /// ```
  /// <VisionPrescription type="…" dateIssued="…" expirationDate="…" brand="…">
  ///  <RightEye sphere="-1.25" sphereUnit="D" …/> <LeftEye …/> <Attachment identifier="…"/>
  /// ```
  mutating func mapVisionPrescription(_ element: borrowing ExportElement, into buffer: inout SampleBuffer) {
    base.samplesRead += 1
    let common = CommonAttributes(node: 0, of: element)
    let issued = element.piece(.dateIssued, of: 0)
    guard let start = startInstant(issued.isEmpty ? common.startDate : issued, of: element) else { return }
    let expires = element.piece(.expirationDate, of: 0)
    let end = expires.isEmpty ? nil : endInstant(expires, start: start, of: element)
    guard
      var sample = beginSample(fixed.visionPrescription, common, start: start, end: end ?? start, of: element)
    else { return }
    if end == nil { sample.record.flags.remove(.hasEnd) }
    object.removeAll()
    addEye("right_eye", .rightEye, of: element)
    addEye("left_eye", .leftEye, of: element)
    if !element.piece(.brand, of: 0).isEmpty { addText("brand", element.piece(.brand, of: 0), of: element) }
    if let end {
      object.begin("expires_at")
      object.text.append(json: end)
      object.end()
    }
    // Glasses or contacts.
    if !common.type.isEmpty { addText("prescription_type", common.type, of: element) }
    addAttachments(of: element)
    finish(
      &sample, common, of: element, expecting: [.metadataEntry, .rightEye, .leftEye, .attachment], into: &buffer)
  }

  /// The attributes of an eye under their own names.
  private mutating func addEye(_ key: String, _ name: ElementName, of element: borrowing ExportElement) {
    guard let node = element.nodes.firstIndex(where: { $0.name == name }) else { return }
    inner.removeAll()
    for index in element.nodes[node].attributeRange { addAttribute(element.attributes[index], of: element) }
    if inner.isEmpty { return }
    object.begin(key)
    inner.write(into: &object.text)
    object.end()
  }

  private mutating func addAttachments(of element: borrowing ExportElement) {
    guard hasChild(.attachment, of: 0, in: element) else { return }
    object.begin("attachments")
    object.text.append(UInt8(ascii: "["))
    for node in element.nodes.indices where element.nodes[node].name == .attachment {
      object.text.appendSeparator()
      cleaned += object.text.appendJSON(element.piece(.identifier, of: node).range, of: element.bytes.span)
    }
    object.text.append(UInt8(ascii: "]"))
    object.end()
  }

  /// ```
  /// <ClinicalRecord type="AllergyIntolerance" identifier="…" sourceName="…" sourceURL="…" fhirVersion="4.0.1"
  ///                 receivedDate="…" resourceFilePath="/clinical-records/AllergyIntolerance-….json"/>
  /// ```
  /// Its row names the `file` until `SideFileMetadata` puts the `resource` in its place.
  mutating func mapClinicalRecord(_ element: borrowing ExportElement, into buffer: inout SampleBuffer) {
    base.samplesRead += 1
    let common = CommonAttributes(node: 0, of: element)
    guard let resource = typeSymbol(common.type, of: element) else { return }
    let type = table.intern(ClinicalType.identifier(forResource: table.text(of: resource)))
    let received = element.piece(.receivedDate, of: 0)
    guard let start = startInstant(received.isEmpty ? common.startDate : received, of: element),
      var sample = beginSample(type, common, start: start, end: start, of: element)
    else { return }
    sample.record.flags.remove(.hasEnd)
    object.removeAll()
    let members: [(String, AttributeName)] = [
      ("identifier", .identifier), ("source_url", .sourceURL), ("fhir_version", .fhirVersion),
      ("file", .resourceFilePath),
    ]
    for (key, name) in members where !element.piece(name, of: 0).isEmpty {
      addText(key, element.piece(name, of: 0), of: element)
    }
    if !element.piece(.resourceFilePath, of: 0).isEmpty { base.notLoaded["ClinicalRecord", default: 0] += 1 }
    countUnknownAttributes(
      of: 0, in: element, except: [.identifier, .sourceURL, .fhirVersion, .receivedDate, .resourceFilePath])
    finish(&sample, common, of: element, expecting: [.metadataEntry], into: &buffer)
  }

  private mutating func finish(
    _ sample: inout Sample, _ common: CommonAttributes, of element: borrowing ExportElement,
    expecting children: Set<ElementName>, into buffer: inout SampleBuffer
  ) {
    let findings = addEntries(of: 0, in: element)
    countUnknownChildren(of: 0, in: element, except: children)
    sample.record.naming = NamingHash.hash(findings, of: element)
    take(findings, for: &sample.record, of: element)
    endSample(sample, common, of: element, into: &buffer)
  }

  // MARK: Elements that are no samples

  mutating func noteExportDate(_ element: borrowing ExportElement) {
    guard let date = DateParser.parse(element.piece(.value, of: 0).range, of: element.bytes.span) else { return }
    base.exportDate = max(base.exportDate ?? date.instant, date.instant)
    base.exportOffsetSeconds = date.offsetSeconds
  }

  /// The characteristics of the person: an attribute each.
  mutating func noteMe(_ element: borrowing ExportElement) {
    let bytes = element.bytes.span
    for index in element.nodes[0].attributeRange {
      let attribute = element.attributes[index]
      let name = attribute.name == .other ? bytes.string(attribute.nameRange) : attribute.name.exportName
      base.me[name] = bytes.string(attribute.valueRange)
    }
  }
}

/// Metric types of FHIR resources (DESIGN §2.3).
package enum ClinicalType {
  /// `AllergyIntolerance` is `HKClinicalTypeIdentifierAllergyRecord`. Resources not listed go by their own name, a full
  /// identifier is kept.
  package static func identifier(forResource resource: String) -> String {
    let prefix = "HKClinicalTypeIdentifier"
    if resource.hasPrefix(prefix) { return resource }
    if resource.hasPrefix("Medication") { return prefix + "MedicationRecord" }
    return prefix + (records[resource] ?? resource)
  }

  private static let records = [
    "AllergyIntolerance": "AllergyRecord", "Condition": "ConditionRecord", "Immunization": "ImmunizationRecord",
    "Observation": "LabResultRecord", "DiagnosticReport": "LabResultRecord", "Procedure": "ProcedureRecord",
    "Coverage": "CoverageRecord", "DocumentReference": "ClinicalNoteRecord",
  ]
}
