/// Everything hk2pg notices about an input that is not as it should be, counted per kind (DESIGN §7.3, §7.4).
package enum ProblemKind: String, CaseIterable, Codable, Sendable {
  // Repaired: the data is whole, the bytes were not.
  case doctypeCut, byteOrderMark, illegalCharacter, illegalReference, invalidUTF8
  case rawAmpersand, rawLessThan, undeclaredEntity, attributeWithoutValue, unquotedValue, doubledAttribute
  case doubledStatisticsStart
  // Kept: loaded, with something missing or unusual.
  case missingValue, missingEnd, endBeforeStart, missingSource, unknownElement, unknownAttribute
  case unknownType, unknownUnit, unknownCategoryValue, cleanedJSON, dateInFuture, dateAt1970
  case missingSideFile, pointWithoutTime, unreadableSideFile
  // Not loaded: no sample, and nothing of one.
  case ignoredText
  // Rejected: the sample cannot be a row.
  case rejectedNoType, rejectedTypeTooLong, rejectedNoStart, rejectedUnreadableStart, rejectedNotANumber
  case rejectedKeyTooLong, rejectedTooManyInOneSecond, rejectedMalformed
  /// An electrocardiogram's file, which is the sample.
  case rejectedUnreadableFile
  // Left out by --salvage.
  case salvagedTear

  package enum Severity: String, Codable, Sendable { case repaired, kept, notLoaded, rejected, salvaged }

  package var severity: Severity {
    switch self {
    case .doctypeCut, .byteOrderMark, .illegalCharacter, .illegalReference, .invalidUTF8, .rawAmpersand,
      .rawLessThan, .undeclaredEntity, .attributeWithoutValue, .unquotedValue, .doubledAttribute,
      .doubledStatisticsStart:
      .repaired
    case .missingValue, .missingEnd, .endBeforeStart, .missingSource, .unknownElement, .unknownAttribute,
      .unknownType, .unknownUnit, .unknownCategoryValue, .cleanedJSON, .dateInFuture, .dateAt1970,
      .missingSideFile, .pointWithoutTime, .unreadableSideFile:
      .kept
    case .ignoredText: .notLoaded
    case .rejectedNoType, .rejectedTypeTooLong, .rejectedNoStart, .rejectedUnreadableStart, .rejectedNotANumber,
      .rejectedKeyTooLong, .rejectedTooManyInOneSecond, .rejectedMalformed, .rejectedUnreadableFile:
      .rejected
    case .salvagedTear: .salvaged
    }
  }
}

/// How often each problem occurred, and where first. Merging does not depend on order.
package struct ProblemTally: Sendable, Equatable {
  package struct Entry: Sendable, Equatable {
    package var count: Int
    /// Byte offset in the original input of the first occurrence.
    package var firstOffset: Int64
  }

  package private(set) var entries: [ProblemKind: Entry] = [:]

  package init() {}

  package mutating func add(_ kind: ProblemKind, at offset: Int64, count: Int = 1) {
    guard count > 0 else { return }
    var entry = entries[kind] ?? Entry(count: 0, firstOffset: offset)
    entry.count += count
    entry.firstOffset = min(entry.firstOffset, offset)
    entries[kind] = entry
  }

  package mutating func merge(_ other: ProblemTally) {
    for (kind, entry) in other.entries { add(kind, at: entry.firstOffset, count: entry.count) }
  }

  package func count(of severity: ProblemKind.Severity) -> Int {
    entries.reduce(0) { $0 + ($1.key.severity == severity ? $1.value.count : 0) }
  }
}
