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

  /// The row of a route, with its points measured: value, `bounds` and `distance_meters`. `digest` is that of all points
  /// of its file (`file_digest`), by which they are found in `hk2pg.route_points`; nil where there are none.
  package static func addRoute(
    _ measure: RouteMeasure, digest: String? = nil, to record: inout SampleRecord, metadata: inout [UInt8]
  ) {
    record.value = Double(measure.pointCount)
    record.flags.formUnion([.hasValue, .isConverted])
    var object = JSONObject()
    measure.addMembers(to: &object)
    add(digest: digest, to: &object)
    add(object, to: &metadata)
  }

  /// Where the text of member `file_digest` stands, with its quotation marks; empty where there is none.
  static func digestRange(_ metadata: Range<Int>, in bytes: Span<UInt8>) -> Range<Int> {
    guard metadata.count > 2 else { return 0..<0 }
    var members = JSONMembers(of: metadata, in: bytes)
    while let member = members.current {
      if bytes.isEqual(member.key, to: "file_digest") { return member.value }
      members.advance(in: bytes)
    }
    return 0..<0
  }

  /// The points that the mapper has put into the metadata of a route with Location elements.
  package static func inlinePoints(in metadata: Span<UInt8>) -> [RoutePoint] {
    guard metadata.count > 2 else { return [] }
    var members = JSONMembers(of: 0..<metadata.count, in: metadata)
    while let member = members.current {
      if metadata.isEqual(member.key, to: InlinePoints.key) { return InlinePoints.points(member.value, of: metadata) }
      members.advance(in: metadata)
    }
    return []
  }

  /// The row of such a route as it is stored: without the points, with their digest.
  package static func replaceInlinePoints(byDigest digest: String?, in metadata: inout [UInt8]) {
    var object = JSONObject()
    add(digest: digest, to: &object)
    add(object, to: &metadata, replacing: InlinePoints.key)
  }

  private static func add(digest: String?, to object: inout JSONObject) {
    guard let digest else { return }
    object.begin("file_digest")
    object.text.append(UInt8(ascii: "\""))
    object.text.append(raw: digest)
    object.text.append(UInt8(ascii: "\""))
    object.end()
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
