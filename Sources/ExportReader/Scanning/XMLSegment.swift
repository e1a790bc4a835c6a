package import HealthModel

/// About one megabyte of whole top-level elements (children of `HealthData`), repaired: what one worker parses at once.
/// Its borders depend on the content alone, not on how the input was read.
package struct XMLSegment: Sendable {
  /// 0, 1, 2 … in the order of the input.
  package let index: Int
  /// Well-formed as content of an element, unless the input is malformed in ways only a parser sees.
  package let bytes: [UInt8]
  /// Offset in `bytes` of the `<` of each top-level element.
  package let elementStarts: [UInt32]
  package let offsetMap: OffsetMap
  /// Repairs made in these bytes, with original offsets.
  package let repairs: ProblemTally
  /// Elements left out by salvage, with the reject kind already counted in `repairs`.
  package let malformed: [MalformedElement]
  /// On the first segment only.
  package let root: ExportRoot?
}

/// What stands before the first element.
package struct ExportRoot: Sendable, Equatable {
  /// Attribute of `HealthData`, for instance `en_US`.
  package var locale: String?
  /// "HealthKit Export Version: 12" in the DOCTYPE. Says little: several versions have two shapes.
  package var formatVersion: Int?
}

/// A top-level element that salvage had to leave out.
package struct MalformedElement: Sendable, Equatable {
  package var inputOffset: Int64
  package var defect: XMLDefect
  /// Its first bytes (at most `maximumTextByteCount`), after repairs, for the reject file.
  package var text: [UInt8]

  package static let maximumTextByteCount = 4096
}
