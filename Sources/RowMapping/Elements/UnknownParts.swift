import HealthModel

/// Parts of known elements that no version of the export has: kept with their sample, in document order.
///
/// ```
/// <Record … mood="good"><Extra a="1"><Deep/></Extra></Record>
///
/// "unknown": [{"attributes": {"mood": "good"}, "element": "Record"},
///             {"attributes": {"a": "1"}, "element": "Extra", "elements": [{"element": "Deep"}]}]
/// ```
extension RowMapper {
  /// An element inside a sample, with everything in it but what is a sample of its own.
  mutating func keepUnknownElement(_ node: Int, of element: borrowing ExportElement) {
    inner.removeAll()
    for index in element.nodes[node].attributeRange { addUnknown(element.attributes[index], of: element) }
    beginUnknown(node, of: element)
    let children = (node + 1..<element.endOfSubtree(of: node)).filter { child in
      element.nodes[child].parent == node && ![.record, .workoutRoute].contains(element.nodes[child].name)
    }
    if !children.isEmpty {
      unknownParts.append(member: "elements")
      unknownParts.append(UInt8(ascii: "["))
      for child in children { keepUnknownElement(child, of: element) }
      unknownParts.append(UInt8(ascii: "]"))
    }
    unknownParts.close("}")
  }

  /// Attributes of an element that is known itself.
  mutating func keepUnknownAttributes(
    _ attributes: [ExportElement.Attribute], of node: Int, in element: borrowing ExportElement
  ) {
    inner.removeAll()
    for attribute in attributes { addUnknown(attribute, of: element) }
    beginUnknown(node, of: element)
    unknownParts.close("}")
  }

  /// Opens an entry with the attributes in `inner`.
  private mutating func beginUnknown(_ node: Int, of element: borrowing ExportElement) {
    unknownParts.open("{")
    if !inner.isEmpty {
      unknownParts.append(member: "attributes")
      inner.write(into: &unknownParts)
    }
    unknownParts.append(member: "element")
    let name = element.nodes[node]
    if name.name == .other {
      cleaned += unknownParts.appendJSON(name.nameRange, of: element.bytes.span)
    } else {
      unknownParts.append(UInt8(ascii: "\""))
      unknownParts.append(raw: name.name.exportName)
      unknownParts.append(UInt8(ascii: "\""))
    }
  }

  private mutating func addUnknown(_ attribute: ExportElement.Attribute, of element: borrowing ExportElement) {
    if attribute.name == .other {
      inner.begin(attribute.nameRange, of: element.bytes.span)
    } else {
      inner.begin(attribute.name.exportName)
    }
    cleaned += inner.text.append(unknown: attribute, of: element.bytes.span)
    inner.end()
  }

  /// Puts what was kept since the last sample into the metadata in `object`.
  mutating func addUnknownParts() {
    if unknownParts.isEmpty { return }
    object.begin("unknown")
    object.text.append(UInt8(ascii: "["))
    object.text.append(contentsOf: unknownParts)
    object.text.append(UInt8(ascii: "]"))
    object.end()
    unknownParts.removeAll(keepingCapacity: true)
  }
}

extension [UInt8] {
  /// The value of an attribute whose meaning is unknown, as text. Dates are written in UTC and device strings without
  /// their memory address: what two exports print differently for the same sample must not differ in the row. Returns
  /// how many characters were cleaned.
  mutating func append(unknown attribute: ExportElement.Attribute, of bytes: Span<UInt8>) -> Int {
    let value = attribute.valueRange
    if let date = DateParser.parse(value, of: bytes) {
      append(json: date.instant)
      return 0
    }
    guard attribute.name == .device, let address = DeviceString.address(in: value, of: bytes) else {
      return appendJSON(value, of: bytes)
    }
    append(UInt8(ascii: "\""))
    var cleaned = appendEscaped(value.lowerBound..<address.lowerBound, of: bytes)
    cleaned += appendEscaped(address.upperBound..<value.upperBound, of: bytes)
    append(UInt8(ascii: "\""))
    return cleaned
  }
}
