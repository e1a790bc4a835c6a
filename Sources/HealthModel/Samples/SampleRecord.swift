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
  /// Workout: its activity type. Category: the exported value name. Electrocardiogram: a hash of its voltages. Else
  /// empty.
  package var subtype: Symbol
  package var flags: Flags
  package var payloadOffset: UInt32
  package var payloadLength: UInt32

  package struct Flags: OptionSet, BitwiseCopyable, Sendable {
    package let rawValue: UInt32
    @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }

    /// Instead of the one that every OptionSet has: other modules call that through a table of witnesses, per record.
    @inlinable package func contains(_ flags: Flags) -> Bool { rawValue & flags.rawValue == flags.rawValue }

    @inlinable package static var hasValue: Flags { Flags(rawValue: 1 << 0) }
    /// Without it `ended_at` is stored as NULL: kinds whose row has no end by nature (open prescriptions, FHIR).
    @inlinable package static var hasEnd: Flags { Flags(rawValue: 1 << 1) }
    /// Value and unit are canonical (converted, or exported so).
    @inlinable package static var isConverted: Flags { Flags(rawValue: 1 << 2) }
    /// A Correlation member or a Record inside a Workout: possibly a copy of a sample at top level.
    @inlinable package static var isCopy: Flags { Flags(rawValue: 1 << 3) }
    /// HKWasUserEntered = 1.
    @inlinable package static var isUserEntered: Flags { Flags(rawValue: 1 << 4) }
    /// A quantity whose unit is unknown or of another dimension: kept as exported, left out of summaries.
    @inlinable package static var isUnconvertible: Flags { Flags(rawValue: 1 << 5) }
    /// A file beside the XML belongs to it: routes and clinical records name theirs in the metadata, the
    /// `inputOffset` of an electrocardiogram is the file's index among the export's side files.
    @inlinable package static var hasSideFile: Flags { Flags(rawValue: 1 << 6) }
    /// A route whose metadata carries its points (iOS 12), until they are written.
    @inlinable package static var hasInlinePoints: Flags { Flags(rawValue: 1 << 7) }
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
