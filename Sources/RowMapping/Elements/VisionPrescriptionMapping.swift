import HealthModel

extension RowMapper {
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
    countUnknownAttributes(of: 0, in: element, except: [.dateIssued, .expirationDate, .brand])
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
}
