/// What is wrong with a binary COPY stream. `row` counts from 0, `field` is the column's place in the row.
package enum CopyError: Error, Equatable, Sendable {
  /// The first bytes are not those of binary COPY.
  case badSignature
  /// Flags this version does not know (object ids, or a newer format).
  case unsupportedFlags(UInt32)
  /// The header's extension is longer than any stream has.
  case badHeaderExtension(byteCount: Int)
  case wrongFieldCount(row: Int, expected: Int, found: Int)
  case badFieldLength(row: Int, field: Int, byteCount: Int)
  /// The stream ended before its trailer.
  case truncated(row: Int)
  case bytesAfterTrailer(byteCount: Int)
  /// A field's size does not fit its type.
  case wrongFieldSize(row: Int, field: Int, expected: Int, found: Int)
  /// NULL where a value must be.
  case unexpectedNull(row: Int, field: Int)
  /// Infinity, or beyond what the type holds here; an unknown jsonb version.
  case unrepresentable(row: Int, field: Int)
}
