/// Numbers in the records of a zip. Reading beyond the end gives nil: the record is cut off.
extension [UInt8] {
  func number16(at offset: Int) -> Int? { number(at: offset, byteCount: 2) }
  func number32(at offset: Int) -> Int64? { number(at: offset, byteCount: 4).map(Int64.init) }

  /// Numbers beyond the size of any file are nil, so that sums of a few of them cannot overflow.
  func number64(at offset: Int) -> Int64? {
    guard let value = number(at: offset, byteCount: 8), value < 1 << 60 else { return nil }
    return Int64(value)
  }

  private func number(at offset: Int, byteCount: Int) -> Int? {
    guard offset >= 0, offset + byteCount <= count else { return nil }
    var value: UInt64 = 0
    for k in 0..<byteCount { value |= UInt64(self[offset + k]) << UInt64(8 * k) }
    return Int(exactly: value)
  }
}
