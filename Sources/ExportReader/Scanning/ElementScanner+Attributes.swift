import HealthModel

/// Attributes that are not written as `name="value"`, and what a value may hide.
extension ElementScanner {
  /// A value in quotes, to its end or to something that has to be looked at closely.
  @inline(__always)
  mutating func scanValue(_ input: Span<UInt8>, _ i: inout Int, quote: UInt8, stop: UInt8) {
    while true {
      while i < input.count && classes(input[i]) & stop == 0 { i += 1 }
      guard i < input.count else { return }
      let byte = input[i]
      if byte == quote {
        i += 1
        state = .betweenAttributes
        return
      }
      if byte >= 0x80 {
        let length = UTF8Check.wholeSequenceLength(input, at: i)
        if length == 0 { return repairCharacter(input, &i) }
        i += length
      } else if byte == Byte.ampersand {
        let length = Reference.commonLength(input, at: i)
        if length == 0 { return beginReference(&i) }
        i += length
      } else if byte == Byte.less {
        repairs.add(.rawLessThan, at: offset(i))
        replace(input, &i, with: Array("&lt;".utf8))
      } else {
        return repairCharacter(input, &i)
      }
    }
  }

  /// Replaces the single byte at `i`.
  mutating func replace(_ input: Span<UInt8>, _ i: inout Int, with bytes: [UInt8]) {
    flush(input, to: i)
    clean.append(contentsOf: bytes)
    i += 1
    resume(at: i)
  }

  // MARK: - Names

  /// In an attribute name, or in the white space after it.
  mutating func scanAttributeName(_ input: Span<UInt8>, _ i: inout Int) throws(ExportError) {
    if state == .attributeName {
      while i < input.count && classes(input[i]) & ByteClass.name != 0 { i += 1 }
      guard i < input.count else { return }
      if classes(input[i]) & ByteClass.anyName != 0 { return repairCharacter(input, &i) }
      nameAttribute(input, i)
      state = .afterAttributeName
    }
    while i < input.count && classes(input[i]) & ByteClass.white != 0 { i += 1 }
    guard i < input.count else { return }
    let byte = input[i]
    if byte == Byte.equals {
      if valuelessCount > 0 && !areValuelessKnown && !isKnownAttribute {
        return try fail(.spaceInAttributeName, at: valuelessOffset, input, i)
      }
      valuelessCount = 0
      state = .afterEquals
      i += 1
    } else if byte == Byte.greater || byte == Byte.slash || classes(byte) & ByteClass.anyName != 0 {
      noteValueless()
      insert(input, before: i, "=\"\" ")
      state = .betweenAttributes
    } else {
      try fail(.unexpectedByte(byte), at: offset(i), input, i)
    }
  }

  /// Several names in a row are one name with spaces in it (iOS 8: `Was Taken In Lab="0"`), unless the export is known
  /// to use the names of those without value, or that of the one with a value.
  private mutating func noteValueless() {
    repairs.add(.attributeWithoutValue, at: attributeOffset)
    if valuelessCount == 0 {
      valuelessOffset = attributeOffset
      areValuelessKnown = true
    }
    valuelessCount += 1
    areValuelessKnown = areValuelessKnown && isKnownAttribute
  }

  private mutating func nameAttribute(_ input: Span<UInt8>, _ i: Int) {
    flush(input, to: i)
    isKnownAttribute = ElementScanner.knownAttributes.contains(Array(clean[attributeClean...]))
  }

  private static let knownAttributes = Set(
    AttributeName.allCases.filter { $0 != .other }.map { Array($0.exportName.utf8) })

  // MARK: - Values

  /// After `=`.
  mutating func scanEquals(_ input: Span<UInt8>, _ i: inout Int) throws(ExportError) {
    while i < input.count && classes(input[i]) & ByteClass.white != 0 { i += 1 }
    guard i < input.count else { return }
    switch input[i] {
    case Byte.quote:
      state = .doubleQuoted
      i += 1
    case Byte.apostrophe:
      state = .singleQuoted
      i += 1
    case Byte.greater:
      repairs.add(.attributeWithoutValue, at: attributeOffset)
      insert(input, before: i, "\"\"")
      state = .betweenAttributes
    case Byte.less, Byte.equals, Byte.ampersand:
      try fail(.unexpectedByte(input[i]), at: offset(i), input, i)
    default:
      repairs.add(.unquotedValue, at: attributeOffset)
      insert(input, before: i, "\"")
      state = .unquoted
    }
  }

  /// `value=5 `, `value=5/>`, `unit=count/min>`.
  mutating func scanUnquoted(_ input: Span<UInt8>, _ i: inout Int) throws(ExportError) {
    if state == .unquotedSlash {
      if input[i] == Byte.greater {
        flush(input, to: i)
        rewrite(input, from: clean.count - 1, to: i, with: Array("\"/".utf8))
        state = .emptyTagSlash
        return
      }
      state = .unquoted
    }
    while i < input.count {
      let byte = input[i]
      let kind = classes(byte)
      if kind & ByteClass.white != 0 || byte == Byte.greater {
        insert(input, before: i, "\"")
        state = .betweenAttributes
        return
      }
      switch byte {
      case Byte.slash:
        i += 1
        state = .unquotedSlash
        return
      case Byte.quote, Byte.apostrophe, Byte.less, Byte.ampersand:
        return try fail(.unexpectedByte(byte), at: offset(i), input, i)
      default:
        if kind & (ByteClass.control | ByteClass.nonASCII) != 0 { return repairCharacter(input, &i) }
        i += 1
      }
    }
  }
}
