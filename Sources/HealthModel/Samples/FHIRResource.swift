/// A clinical record's file: one FHIR resource (DSTU2, R4) as JSON that `jsonb` accepts.
package struct FHIRResource: Sendable, Equatable {
  /// For instance `Observation`; nil when the file does not say.
  package var resourceType: String?
  /// The file's text as it is, without a byte order mark and white space around it.
  package var json: [UInt8]

  package init(resourceType: String?, json: [UInt8]) {
    self.resourceType = resourceType
    self.json = json
  }
}
