import HealthModel

/// What the MetadataEntry children of one sample say, beside what goes into its JSON. Of a repeated key the last counts.
struct EntryFindings {
  /// The metadata that names a thing (DESIGN §3.3).
  var foodType = Piece.absent
  var externalUUID = Piece.absent
  var syncIdentifier = Piece.absent
  var timeZone = Piece.absent
  var isUserEntered = false
  /// Values that had to be cleaned.
  var cleanedCount = 0
}

/// Writes MetadataEntry elements into JSON objects.
///
/// Keys are kept as exported; values are strings, and JSON numbers where the catalogue knows the key's value to be a
/// number, a boolean or an enum and it is one. A key that is one of ours becomes `entry:<key>` (DESIGN §2.3).
struct MetadataEntries {
  private enum Role: BitwiseCopyable { case none, foodType, externalUUID, syncIdentifier, timeZone, userEntered }

  private struct Key: BitwiseCopyable {
    var isNumeric = false
    var isDate = false
    var isOurs = false
    var role = Role.none
  }

  private let table: ByteTable
  private let keys: [Key]

  /// Keys that hk2pg itself writes into metadata.
  static let ourKeys: Set<String> = [
    "beats", "sleep_stage", "category_value", "workout_type", "duration_seconds", "total_distance_meters",
    "total_energy_burned_cal", "total_swimming_stroke_count", "total_flights_climbed", "statistics", "events",
    "activities", "routes", "zones", "file", "file_digest", "distance_meters", "bounds", "members", "classification",
    "symptoms", "unknown", "device", "software_version", "sample_rate_hz", "lead", "points", "right_eye", "left_eye",
    "brand", "expires_at",
    "identifier", "source_url", "fhir_version", "resource", "metric_type", "value", "unit", "started_at", "ended_at",
    "sum", "average", "minimum", "maximum", "type", "at", "metadata", "uuid", "source", "attachments",
    "prescription_type", InlinePoints.key,
  ]

  init() {
    var words: [String] = []
    var keys: [Key] = []
    for (word, kind) in Catalogue.metadataKeys {
      words.append(word)
      keys.append(Key(isNumeric: kind.isNumeric, isDate: kind == .date, role: MetadataEntries.role(of: word)))
    }
    for word in MetadataEntries.ourKeys {
      words.append(word)
      keys.append(Key(isOurs: true))
    }
    table = ByteTable(words)
    self.keys = keys
  }

  private static func role(of key: String) -> Role {
    switch key {
    case "HKFoodType": .foodType
    case "HKExternalUUID": .externalUUID
    case "HKMetadataKeySyncIdentifier": .syncIdentifier
    case "HKTimeZone": .timeZone
    case "HKWasUserEntered": .userEntered
    default: .none
    }
  }

  /// Adds the MetadataEntry at `node` to `object`. With `isNested` the object holds nothing else, so no key is renamed.
  func add(
    _ node: Int, of element: borrowing ExportElement, to object: inout JSONObject, isNested: Bool,
    findings: inout EntryFindings
  ) {
    let key = element.piece(.key, of: node)
    guard key.isPresent else { return }
    let value = element.piece(.value, of: node)
    let bytes = element.bytes.span
    let known = table.index(of: key.range, in: bytes).map { keys[$0] } ?? Key()
    let isTaken = !isNested && (known.isOurs || object.hasReservedMember(key.range, of: bytes))
    findings.cleanedCount += object.begin(prefix: isTaken ? "entry:" : "", key.range, of: bytes)
    findings.cleanedCount += appendValue(value.range, known, of: bytes, to: &object.text)
    object.end()
    switch known.role {
    case .none: break
    case .foodType: findings.foodType = value
    case .externalUUID: findings.externalUUID = value
    case .syncIdentifier: findings.syncIdentifier = value
    case .timeZone: findings.timeZone = value
    case .userEntered: findings.isUserEntered = bytes.isEqual(value.range, to: "1")
    }
  }

  private func appendValue(_ range: Range<Int>, _ key: Key, of bytes: Span<UInt8>, to text: inout [UInt8]) -> Int {
    if key.isNumeric, text.appendJSONNumber(range, of: bytes) { return 0 }
    // Dates of Apple's keys are printed at +0000; should one have another offset, that is the export's, not the sample's.
    if key.isDate, let date = DateParser.parse(range, of: bytes) {
      text.append(UInt8(ascii: "\""))
      text.append(date: date.instant, separator: 0x20)
      text.append(raw: " +0000\"")
      return 0
    }
    // A number that JSON cannot hold stays text, and is counted.
    let isAbsurd = key.isNumeric && bytes.looksLikeNumber(range)
    return text.appendJSON(range, of: bytes) + (isAbsurd ? 1 : 0)
  }
}
