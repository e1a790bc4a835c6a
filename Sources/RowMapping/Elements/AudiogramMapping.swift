import HealthModel

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
}
