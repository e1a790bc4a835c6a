/// What parsing learns about an export as a whole, beside its samples. Each worker fills its own; `merge` does not
/// depend on the order of workers or elements.
package struct ExportFacts: Sendable {
  /// `ExportDate`; nil when the element is missing.
  package var exportDate: Instant?
  /// Its printed UTC offset in seconds (the phone's at export time).
  package var exportOffsetSeconds: Int?
  package var newestCreation: Instant?
  package var locale: String?
  /// Digest of an export that can be read only once (standard input).
  package var streamDigest: String?
  /// The HKTimeZone of the sample with the latest start (of equal ones the greater name).
  package var newestZone: (name: String, start: Instant)?
  /// Attributes of `Me`, by name.
  package var me: [String: String] = [:]
  package var sources: [Symbol: SourceFacts] = [:]
  /// Samples per type and exported unit.
  package var units: [TypeUnit: Int] = [:]
  /// Category value names seen, with the raw integer they were stored as (nil: unknown).
  package var categoryNames: [Symbol: Int?] = [:]
  package var samplesRead = 0
  package var samplesRejected = 0
  /// Unknown names of elements, attributes and types, with their count.
  package var unknownNames: [String: Int] = [:]
  package var problems = ProblemTally()

  package struct TypeUnit: Hashable, Sendable {
    package var type: Symbol
    package var unit: Symbol
    package init(type: Symbol, unit: Symbol) {
      self.type = type
      self.unit = unit
    }
  }

  package init() {}

  package mutating func noteZone(_ name: String, start: Instant) {
    if let known = newestZone, (known.start, known.name) >= (start, name) { return }
    newestZone = (name, start)
  }

  package mutating func merge(_ other: ExportFacts) {
    exportDate = latest(exportDate, other.exportDate)
    exportOffsetSeconds = exportOffsetSeconds ?? other.exportOffsetSeconds
    newestCreation = latest(newestCreation, other.newestCreation)
    locale = locale ?? other.locale
    streamDigest = streamDigest ?? other.streamDigest
    if let zone = other.newestZone { noteZone(zone.name, start: zone.start) }
    me.merge(other.me) { max($0, $1) }
    sources.merge(other.sources) { $0.merged(with: $1) }
    units.merge(other.units, uniquingKeysWith: +)
    categoryNames.merge(other.categoryNames) { $0 ?? $1 }
    samplesRead += other.samplesRead
    samplesRejected += other.samplesRejected
    unknownNames.merge(other.unknownNames, uniquingKeysWith: +)
    problems.merge(other.problems)
  }

  private func latest(_ a: Instant?, _ b: Instant?) -> Instant? {
    guard let a, let b else { return a ?? b }
    return max(a, b)
  }
}

/// What the device strings of one source's samples say (format reference §7.4), without the memory address.
package struct SourceFacts: Sendable, Equatable {
  package enum DeviceClass: String, Codable, Sendable { case watch, phone, other }

  /// From hardware, model or product in any device string (`Watch7,2`, `iPhone14,5`), else from the source name.
  package var hasWatchDevice = false
  package var hasPhoneDevice = false
  package var deviceNames: Set<String> = []
  package var models: Set<String> = []
  package var hardware: Set<String> = []
  package var versions: Set<String> = []
  package var firstSample: Instant?
  package var lastSample: Instant?
  package var sampleCount = 0

  package init() {}

  package func merged(with other: SourceFacts) -> SourceFacts {
    var result = self
    result.hasWatchDevice = hasWatchDevice || other.hasWatchDevice
    result.hasPhoneDevice = hasPhoneDevice || other.hasPhoneDevice
    result.deviceNames.formUnion(other.deviceNames)
    result.models.formUnion(other.models)
    result.hardware.formUnion(other.hardware)
    result.versions.formUnion(other.versions)
    if let first = other.firstSample { result.firstSample = min(firstSample ?? first, first) }
    if let last = other.lastSample { result.lastSample = max(lastSample ?? last, last) }
    result.sampleCount += other.sampleCount
    return result
  }
}
