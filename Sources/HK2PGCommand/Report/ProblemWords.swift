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
  static func text(_ kind: ProblemKind, count: Int) -> String? {
    (repaired(kind) ?? kept(kind) ?? rejected(kind)).map { Words.inflected($0, count) }
  }

  private static func repaired(_ kind: ProblemKind) -> String? {
    switch kind {
    case .doctypeCut: "document type {definition|definitions}, cut out"
    case .byteOrderMark: "byte order {mark|marks}, skipped"
    case .illegalCharacter: "{character|characters} that XML forbids, now U+FFFD"
    case .illegalReference: "{reference to a character|references to characters} that XML forbids, now U+FFFD"
    case .invalidUTF8: "byte {sequence that is|sequences that are} not UTF-8, now U+FFFD"
    case .rawAmpersand: "plain “&”, taken as it is"
    case .rawLessThan: "plain “<” in an attribute, taken as it is"
    case .undeclaredEntity: "undeclared {entity|entities}, kept as text"
    case .attributeWithoutValue: "{attribute|attributes} without a value, now empty"
    case .doubledAttribute: "{attribute|attributes} given twice, the first one counts"
    case .unquotedValue: "attribute {value|values} without quotation marks, taken up to the next blank"
    case .ignoredText: "stray text between elements, passed over"
    case .doubledStatisticsStart: "{statistic|statistics} with two start dates, the second one is the end"
    default: nil
    }
  }

  private static func kept(_ kind: ProblemKind) -> String? {
    switch kind {
    case .missingValue: "{sample|samples} without a value, stored as NULL"
    case .missingEnd: "{sample|samples} without an end, stored as ending at {its|their} start"
    case .endBeforeStart:
      "{sample that ends before it starts|samples that end before they start}, stored as ending at {its|their} start"
    case .missingSource: "{sample|samples} without a source"
    case .unknownElement: "{element|elements} nobody knows yet"
    case .unknownAttribute: "{attribute|attributes} nobody knows yet"
    case .unknownType: "{sample of a type|samples of types} nobody knows yet, stored as exported"
    case .unknownUnit:
      "{sample in an unknown unit|samples in unknown units}, stored as exported and left out of daily summaries"
    case .unknownCategoryValue: "category {value|values} nobody knows yet, stored as NULL with {its|their} name"
    case .cleanedJSON: "metadata {value|values} that jsonb cannot hold, stored as cleaned text"
    case .dateInFuture: "{sample that lies|samples that lie} in the future"
    case .dateAt1970: "{sample|samples} of 1970, probably without a real date"
    case .missingSideFile: "{file that is|files that are} named but not in the export"
    case .pointWithoutTime: "route {point|points} without a readable time or place, left out"
    case .unreadableSideFile: "{file|files} that cannot be read"
    default: nil
    }
  }

  private static func rejected(_ kind: ProblemKind) -> String? {
    switch kind {
    case .rejectedNoType: "{sample|samples} without a type"
    case .rejectedTypeTooLong: "{sample|samples} whose type is longer than 512 bytes"
    case .rejectedNoStart: "{sample|samples} without a start"
    case .rejectedUnreadableStart: "{sample|samples} whose start is no date"
    case .rejectedNotANumber: "{sample|samples} whose value is no finite number"
    case .rejectedKeyTooLong: "{sample|samples} whose type, user and source exceed 2,400 bytes"
    case .rejectedTooManyInOneSecond: "{sample|samples} beyond the million that fit into one second"
    case .rejectedMalformed: "{element that is|elements that are} no well-formed XML"
    case .rejectedUnreadableFile: "{electrocardiogram|electrocardiograms} whose file cannot be read"
    case .salvagedTear: "torn {place; what it|places; what they} held is missing"
    default: nil
    }
  }
}
