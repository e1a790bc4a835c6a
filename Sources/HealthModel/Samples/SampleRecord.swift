/// One mapped sample between parsing and publishing: 64 fixed bytes, plus its metadata as JSON bytes in the payload of
/// the `SampleBuffer` (later: of the group) that holds it. No reference, so that it can be sorted, spilled and merged
/// as plain bytes.
///
/// The type is not in it: records live in runs of one type.
package struct SampleRecord: BitwiseCopyable, Sendable {
  /// Exported start. For an ActivitySummary: midnight UTC of its date (the zone is known only at the merge).
  package var start: Instant
  /// Exported end, never before `start`. Equal to `start` where the export has none (see `Flags.hasEnd`).
  package var end: Instant
  /// In the canonical unit; only with `Flags.hasValue`.
  package var value: Double
  /// 64-bit hash over the metadata that names a thing (DESIGN §3.3); 0 when there is none.
  package var naming: UInt64
  /// Byte offset of the sample's element in the original input: problem positions, and "the last one wins".
  package var inputOffset: Int64
  /// sourceName as stored in `source_device`.
  package var source: Symbol
  /// Unit as exported. The stored unit is the type's canonical unit when `Flags.isConverted`, else this.
  package var exportedUnit: Symbol
  /// Workout: its activity type. Category: the exported value name. Else empty.
  package var subtype: Symbol
  package var flags: Flags
  package var payloadOffset: UInt32
  package var payloadLength: UInt32

  package struct Flags: OptionSet, BitwiseCopyable, Sendable {
    package let rawValue: UInt32
    package init(rawValue: UInt32) { self.rawValue = rawValue }

    package static let hasValue = Flags(rawValue: 1 << 0)
    /// Without it `ended_at` is stored as NULL: kinds whose row has no end by nature (open prescriptions, FHIR).
    package static let hasEnd = Flags(rawValue: 1 << 1)
    /// Value and unit are canonical (converted, or exported so).
    package static let isConverted = Flags(rawValue: 1 << 2)
    /// A Correlation member or a Record inside a Workout: possibly a copy of a sample at top level.
    package static let isCopy = Flags(rawValue: 1 << 3)
    /// HKWasUserEntered = 1.
    package static let isUserEntered = Flags(rawValue: 1 << 4)
    /// A quantity whose unit is unknown or of another dimension: kept as exported, left out of summaries.
    package static let isUnconvertible = Flags(rawValue: 1 << 5)
  }

  package init(start: Instant, end: Instant) {
    self.start = start
    self.end = end
    value = 0
    naming = 0
    inputOffset = 0
    source = .empty
    exportedUnit = .empty
    subtype = .empty
    flags = []
    payloadOffset = 0
    payloadLength = 0
  }

  package var payloadRange: Range<Int> { Int(payloadOffset)..<Int(payloadOffset) + Int(payloadLength) }
  package var numericValue: Double? { flags.contains(.hasValue) ? value : nil }
}
