import HealthModel

/// What hk2pg noticed about an input, in plain words that follow a number: `12 × control characters, now U+FFFD`.
enum ProblemWords {
  static func heading(_ severity: ProblemKind.Severity) -> String {
    switch severity {
    case .repaired: "Repaired on the way in"
    case .kept: "Kept, though unusual"
    case .notLoaded: "Not loaded"
    case .rejected: "Rejected"
    case .salvaged: "Left out by --salvage"
    }
  }

  /// Nil only for a kind nobody has described yet; a test asks for all of them.
  static func text(_ kind: ProblemKind) -> String? {
    repaired(kind) ?? kept(kind) ?? rejected(kind)
  }

  private static func repaired(_ kind: ProblemKind) -> String? {
    switch kind {
    case .doctypeCut: "document type definition, cut out"
    case .byteOrderMark: "byte order mark, skipped"
    case .illegalCharacter: "characters that XML forbids, now U+FFFD"
    case .illegalReference: "references to characters that XML forbids, now U+FFFD"
    case .invalidUTF8: "bytes that are not UTF-8, now U+FFFD"
    case .rawAmpersand: "plain “&”, taken as it is"
    case .rawLessThan: "plain “<” in an attribute, taken as it is"
    case .undeclaredEntity: "undeclared entities, kept as text"
    case .attributeWithoutValue: "attributes without a value, now empty"
    case .doubledAttribute: "attributes given twice, the first one counts"
    case .unquotedValue: "attribute values without quotation marks, taken up to the next blank"
    case .ignoredText: "stray text between elements, passed over"
    case .doubledStatisticsStart: "statistics with two start dates, the second one is the end"
    default: nil
    }
  }

  private static func kept(_ kind: ProblemKind) -> String? {
    switch kind {
    case .missingValue: "samples without a value, stored as NULL"
    case .missingEnd: "samples without an end, stored as ending at their start"
    case .endBeforeStart: "samples that end before they start, stored as ending at their start"
    case .missingSource: "samples without a source"
    case .unknownElement: "elements nobody knows yet"
    case .unknownAttribute: "attributes nobody knows yet"
    case .unknownType: "samples of types nobody knows yet, stored as exported"
    case .unknownUnit: "samples in unknown units, stored as exported and left out of daily summaries"
    case .unknownCategoryValue: "category values nobody knows yet, stored as NULL with their name"
    case .cleanedJSON: "metadata values that jsonb cannot hold, stored as cleaned text"
    case .dateInFuture: "samples that lie in the future"
    case .dateAt1970: "samples of 1970, probably without a real date"
    case .missingSideFile: "files that are named but not in the export"
    case .pointWithoutTime: "route points without a time, left out"
    case .unreadableSideFile: "files that cannot be read"
    case .notLoadedYet: "samples of kinds this version does not load"
    case .ignoredFile: "files this version does not read"
    default: nil
    }
  }

  private static func rejected(_ kind: ProblemKind) -> String? {
    switch kind {
    case .rejectedNoType: "samples without a type"
    case .rejectedTypeTooLong: "samples whose type is longer than 512 bytes"
    case .rejectedNoStart: "samples without a start"
    case .rejectedUnreadableStart: "samples whose start is no date"
    case .rejectedNotANumber: "samples whose value is no finite number"
    case .rejectedKeyTooLong: "samples whose type, user and source exceed 2,400 bytes"
    case .rejectedTooManyInOneSecond: "samples beyond the million that fit into one second"
    case .rejectedMalformed: "elements that are no well-formed XML"
    case .rejectedUnreadableFile: "electrocardiograms whose file cannot be read"
    case .salvagedTear: "torn places; what they held is missing"
    default: nil
    }
  }
}
