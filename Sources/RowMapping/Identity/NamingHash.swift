import HealthModel

/// The hash over what names a thing: HKFoodType, HKExternalUUID, HKMetadataKeySyncIdentifier, a workout's activity type
/// (DESIGN §3.3). 0 when there is none of them.
///
/// Each part is hashed as a tag, its length and its bytes, in a fixed order, so no two lists of parts look alike.
enum NamingHash {
  static func hash(
    _ findings: EntryFindings, activity: Piece = .absent, of element: borrowing ExportElement
  ) -> UInt64 {
    let parts = (findings.foodType, findings.externalUUID, findings.syncIdentifier)
    if parts.0.isEmpty, parts.1.isEmpty, parts.2.isEmpty, activity.isEmpty { return 0 }
    var text: [UInt8] = []
    let bytes = element.bytes.span
    append(1, parts.0, of: bytes, to: &text)
    append(2, parts.1, of: bytes, to: &text)
    append(3, parts.2, of: bytes, to: &text)
    append(4, activity, of: bytes, to: &text)
    let hash = PostgresHash.hash(text.span, seed: 5)
    return hash == 0 ? 1 : hash
  }

  private static func append(_ tag: UInt8, _ piece: Piece, of bytes: Span<UInt8>, to text: inout [UInt8]) {
    if piece.isEmpty { return }
    text.append(tag)
    for shift in [0, 8, 16, 24] { text.append(UInt8(truncatingIfNeeded: piece.count >> shift)) }
    text.append(piece.range, of: bytes)
  }
}
