import HealthModel

/// Members made of attribute values. An absent or empty value gives no member. Each returns how many values could not be
/// written as what they should be, and were kept as cleaned text.
extension [UInt8] {
  mutating func append(member key: String, text piece: Piece, of bytes: Span<UInt8>) -> Int {
    guard !piece.isEmpty else { return 0 }
    append(member: key)
    return appendJSON(piece.range, of: bytes)
  }

  mutating func append(
    member key: String, number piece: Piece, of bytes: Span<UInt8>, conversion: UnitConversion = .identity
  ) -> Int {
    guard !piece.isEmpty else { return 0 }
    append(member: key)
    return append(number: piece, of: bytes, conversion: conversion)
  }

  /// An instant in UTC: `"2024-05-01T10:00:00Z"`.
  mutating func append(member key: String, instant piece: Piece, of bytes: Span<UInt8>) -> Int {
    guard !piece.isEmpty else { return 0 }
    append(member: key)
    if let date = DateParser.parse(piece.range, of: bytes) {
      append(json: date.instant)
      return 0
    }
    appendJSON(piece.range, of: bytes)
    return 1
  }

  /// The number in `piece`, converted; text that is no number as a string, nothing as `null`.
  mutating func append(number piece: Piece, of bytes: Span<UInt8>, conversion: UnitConversion = .identity) -> Int {
    if piece.isEmpty {
      append(raw: "null")
      return 0
    }
    if let value = DecimalParser.parse(piece.range, of: bytes).map({ conversion($0) }), value.isFinite {
      append(json: value)
      return 0
    }
    appendJSON(piece.range, of: bytes)
    return 1
  }
}
