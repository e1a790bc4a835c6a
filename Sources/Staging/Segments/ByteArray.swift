extension Array where Element == UInt8 {
  /// Appends `source[range]` in one copy.
  @inline(__always)
  mutating func append(_ source: Span<UInt8>, _ range: Range<Int>) {
    if range.isEmpty { return }
    unsafe source.extracting(range).withUnsafeBufferPointer { unsafe append(contentsOf: $0) }
  }

  @inline(__always)
  mutating func append(_ source: [UInt8], _ range: Range<Int>) { append(source.span, range) }
}
