/// Start and end tags, and with them where elements begin and end.
extension ElementScanner {
  // MARK: - Start tags

  /// The byte after `<`.
  mutating func openTag(_ input: Span<UInt8>, _ i: inout Int) throws(ExportError) {
    let byte = input[i]
    if byte == Byte.exclamation || byte == Byte.question {
      flush(input, to: i)
      truncateClean(to: tagClean)
      isCopying = false
      skipper = MarkupSkipper()
      state = .markup
      return
    }
    if byte == Byte.slash {
      i += 1
      nameClean = cleanPosition(i)
      state = .endName
      return
    }
    guard classes(byte) & ByteClass.nameStart != 0 else {
      return try fail(.unexpectedByte(byte), at: offset(i), input, i)
    }
    nameClean = cleanPosition(i)
    if openTags.isEmpty { beginElement() }
    state = .startName
  }

  mutating func beginElement() {
    elementStarts.append(UInt32(truncatingIfNeeded: tagClean))
    elementOffset = tagOffset
    isInElement = true
  }

  mutating func scanStartName(_ input: Span<UInt8>, _ i: inout Int) {
    while i < input.count && classes(input[i]) & ByteClass.name != 0 { i += 1 }
    guard i < input.count else { return }
    if classes(input[i]) & ByteClass.anyName != 0 { return repairCharacter(input, &i) }
    nameLength = cleanPosition(i) - nameClean
    state = .betweenAttributes
  }

  /// The hot loop: white space, `name="value"`, again and again. What is rarer leaves it by a change of state.
  mutating func scanAttributes(_ input: Span<UInt8>, _ i: inout Int) throws(ExportError) {
    while i < input.count {
      let byte = input[i]
      let kind = classes(byte)
      if kind & ByteClass.white != 0 {
        i += 1
      } else if kind & ByteClass.nameStart != 0 {
        attributeClean = cleanPosition(i)
        attributeOffset = offset(i)
        state = .attributeName
        i += 1
        while i < input.count && classes(input[i]) & ByteClass.name != 0 { i += 1 }
        guard i + 1 < input.count && input[i] == Byte.equals && input[i + 1] == Byte.quote && valuelessCount == 0
        else { return }
        state = .doubleQuoted
        i += 2
        scanValue(input, &i, quote: Byte.quote, stop: ByteClass.stopsDoubleQuoted)
        if state != .betweenAttributes { return }
      } else if byte == Byte.greater {
        i += 1
        return try endStartTag(input, i, isEmpty: false)
      } else if byte == Byte.slash {
        i += 1
        state = .emptyTagSlash
        return
      } else if kind & ByteClass.anyName != 0 {
        attributeClean = cleanPosition(i)
        attributeOffset = offset(i)
        state = .attributeName
        return repairCharacter(input, &i)
      } else {
        return try fail(.unexpectedByte(byte), at: offset(i), input, i)
      }
    }
  }

  mutating func closeEmptyTag(_ input: Span<UInt8>, _ i: inout Int) throws(ExportError) {
    guard input[i] == Byte.greater else { return try fail(.unexpectedByte(input[i]), at: offset(i), input, i) }
    i += 1
    try endStartTag(input, i, isEmpty: true)
  }

  /// `end` is the index after `>`.
  mutating func endStartTag(_ input: Span<UInt8>, _ end: Int, isEmpty: Bool) throws(ExportError) {
    valuelessCount = 0
    if isRootTag { return endRootTag(input, end, isEmpty: isEmpty) }
    state = .content
    if !isEmpty {
      openTags.append(OpenTag(nameClean: nameClean, nameLength: nameLength))
      if openTags.count > ElementScanner.maximumDepth { try fail(.nestedTooDeep, at: tagOffset, input, end) }
    } else if openTags.isEmpty {
      try endElement(input, end)
    }
  }

  mutating func endRootTag(_ input: Span<UInt8>, _ end: Int, isEmpty: Bool) {
    flush(input, to: end)
    root = ExportRoot(locale: RootTag.attribute("locale", in: clean), formatVersion: prolog.formatVersion)
    truncateClean(to: 0)
    map = OffsetMap()
    isRootTag = false
    state = isEmpty ? .epilog : .content
    isCopying = false
    if !isEmpty { resume(at: end) }
  }

  /// A top-level element is whole; the segment ends with it when it is large enough.
  mutating func endElement(_ input: Span<UInt8>, _ end: Int) throws(ExportError) {
    let position = cleanPosition(end)
    if position - Int(elementStarts[elementStarts.count - 1]) > maximumElementByteCount {
      return try fail(.elementTooLarge, at: elementOffset, input, end)
    }
    isInElement = false
    elementCount += 1
    if position >= segmentByteCount {
      flush(input, to: end)
      emit()
      resume(at: end)
    }
  }

  // MARK: - End tags

  mutating func scanEndTag(_ input: Span<UInt8>, _ i: inout Int) throws(ExportError) {
    if state == .endName {
      while i < input.count && classes(input[i]) & ByteClass.name != 0 { i += 1 }
      guard i < input.count else { return }
      if classes(input[i]) & ByteClass.anyName != 0 { return repairCharacter(input, &i) }
      nameLength = cleanPosition(i) - nameClean
      state = .endSpace
    }
    while i < input.count && classes(input[i]) & ByteClass.white != 0 { i += 1 }
    guard i < input.count else { return }
    guard input[i] == Byte.greater else { return try fail(.unexpectedByte(input[i]), at: offset(i), input, i) }
    i += 1
    flush(input, to: i)
    try endTag(input, i)
  }

  mutating func endTag(_ input: Span<UInt8>, _ end: Int) throws(ExportError) {
    state = .content
    if let open = openTags.last {
      guard isSameName(open) else { return try fail(.mismatchedEndTag, at: tagOffset, input, end) }
      openTags.removeLast()
      if openTags.isEmpty { try endElement(input, end) }
    } else if clean[nameClean..<(nameClean + nameLength)].elementsEqual("HealthData".utf8) {
      truncateClean(to: tagClean)
      isCopying = false
      state = .epilog
    } else if expectsStrayEndTag {
      // Of an element that salvage left out, behind a child that it kept.
      expectsStrayEndTag = false
      truncateClean(to: tagClean)
      resume(at: end)
    } else {
      try fail(.mismatchedEndTag, at: tagOffset, input, end)
    }
  }

  private func isSameName(_ open: OpenTag) -> Bool {
    guard open.nameLength == nameLength else { return false }
    let bytes = clean.span
    for k in 0..<nameLength where bytes[open.nameClean + k] != bytes[nameClean + k] { return false }
    return true
  }
}
