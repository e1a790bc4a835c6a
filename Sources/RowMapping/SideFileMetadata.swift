package import HealthModel

/// Puts what stands in side files into rows that were mapped without them. Routes and clinical records name theirs as
/// `file`: a path in the export's folder, with a leading slash as exported.
package enum SideFileMetadata {
  /// The text of member `file` of a row's metadata; nil when the row names none.
  package static func path(in metadata: Span<UInt8>) -> String? {
    guard metadata.count > 2 else { return nil }
    var members = JSONMembers(of: 0..<metadata.count, in: metadata)
    while let member = members.current {
      if metadata.isEqual(member.key, to: "file") { return JSONMembers.text(ofString: member.value, in: metadata) }
      members.advance(in: metadata)
    }
    return nil
  }

  /// The row of a route, with its points measured: value, `bounds` and `distance_meters`.
  package static func addRoute(_ measure: RouteMeasure, to record: inout SampleRecord, metadata: inout [UInt8]) {
    record.value = Double(measure.pointCount)
    record.flags.formUnion([.hasValue, .isConverted])
    var object = JSONObject()
    measure.addMembers(to: &object)
    add(object, to: &metadata)
  }

  /// The row of a clinical record, with the file's JSON as `resource` in place of `file`. `json` must be what `jsonb` accepts.
  package static func addResource(json: [UInt8], to metadata: inout [UInt8]) {
    var object = JSONObject()
    object.begin("resource")
    object.text.append(contentsOf: json)
    object.end()
    add(object, to: &metadata, replacing: "file")
  }

  /// The row of a clinical record whose file is no JSON: its text as a string. Returns how many characters were cleaned.
  package static func addResource(text: [UInt8], to metadata: inout [UInt8]) -> Int {
    var object = JSONObject()
    object.begin("resource")
    let cleaned = object.text.appendJSON(0..<text.count, of: text.span)
    object.end()
    add(object, to: &metadata, replacing: "file")
    return cleaned
  }

  /// Adds the members of `object`, which the row does not have yet, without the member `replaced`.
  private static func add(_ added: JSONObject, to metadata: inout [UInt8], replacing replaced: String? = nil) {
    var object = added
    if !metadata.isEmpty {
      var members = JSONMembers(of: 0..<metadata.count, in: metadata.span)
      while let member = members.current {
        if replaced.map({ metadata.span.isEqual(member.key, to: $0) }) != true {
          object.add(member, of: metadata.span)
        }
        members.advance(in: metadata.span)
      }
    }
    metadata.removeAll(keepingCapacity: true)
    object.write(into: &metadata)
  }
}
