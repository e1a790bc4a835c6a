import HealthModel

extension ElementScanner {
  /// Takes the next bytes of the input, in pieces of any size. Throws
  /// - `notAnExport`, `unsupportedEncoding` before the root tag,
  /// - `malformed` (strict, or in the root tag itself), `severalRoots`, `textAfterRoot` (strict).
  package mutating func consume(_ input: Span<UInt8>) throws(ExportError) {
    runStart = 0
    var i = 0
    while i < input.count {
      switch state {
      case .prolog: try scanProlog(input, &i)
      case .content: scanContent(input, &i)
      case .text: try scanText(input, &i)
      case .markup: try scanMarkup(input, &i)
      case .tagOpen: try openTag(input, &i)
      case .startName: scanStartName(input, &i)
      case .betweenAttributes: try scanAttributes(input, &i)
      case .attributeName, .afterAttributeName: try scanAttributeName(input, &i)
      case .afterEquals: try scanEquals(input, &i)
      case .doubleQuoted: scanValue(input, &i, quote: Byte.quote, stop: ByteClass.stopsDoubleQuoted)
      case .singleQuoted: scanValue(input, &i, quote: Byte.apostrophe, stop: ByteClass.stopsSingleQuoted)
      case .unquoted, .unquotedSlash: try scanUnquoted(input, &i)
      case .emptyTagSlash: try closeEmptyTag(input, &i)
      case .endName, .endSpace: try scanEndTag(input, &i)
      case .reference: scanReference(input, &i)
      case .sequence: scanSequence(input, &i)
      case .resync: resync(input, &i)
      case .epilog, .epilogOpen, .epilogMarkup: try scanEpilog(input[i], &i)
      case .skipsRest: i = input.count
      }
    }
    flush(input, to: i)
    base += Int64(i)
    // Also a root tag that never ends, or white space without end between elements.
    let start = isInElement ? Int(elementStarts[elementStarts.count - 1]) : 0
    if clean.count - start > maximumElementByteCount {
      runStart = 0
      try fail(.elementTooLarge, at: isInElement ? elementOffset : tagOffset, input.extracting(0..<0), 0)
    }
  }

  @inline(__always) func classes(_ byte: UInt8) -> UInt8 { classTable[Int(byte)] }

  // MARK: - Between tags

  private mutating func scanProlog(_ input: Span<UInt8>, _ i: inout Int) throws(ExportError) {
    while i < input.count {
      switch prolog.consume(input[i]) {
      case .goesOn: i += 1
      case .rootTag: return beginRoot(at: i)
      case .notXML: throw .notAnExport(path: path, .otherFile)
      case .otherRoot("ClinicalDocument"): throw .notAnExport(path: path, .clinicalDocumentOnly)
      case .otherRoot(let name): throw .notAnExport(path: path, .otherXML(root: name))
      case .otherEncoding(let name): throw .unsupportedEncoding(path: path, encoding: name)
      }
    }
  }

  private mutating func beginRoot(at i: Int) {
    if prolog.hasByteOrderMark { repairs.add(.byteOrderMark, at: 0) }
    // A sound DOCTYPE is cut as well, but that repairs nothing.
    if let offset = prolog.doctypeOffset, prolog.isDoctypeBroken { repairs.add(.doctypeCut, at: offset) }
    tagOffset = offset(i) - 11
    clean.append(contentsOf: "<HealthData".utf8)
    isRootTag = true
    state = .betweenAttributes
    resume(at: i)
  }

  private mutating func scanContent(_ input: Span<UInt8>, _ i: inout Int) {
    while i < input.count {
      let byte = input[i]
      if byte == Byte.less {
        tagClean = cleanPosition(i)
        tagOffset = offset(i)
        state = .tagOpen
        i += 1
        return
      }
      if classes(byte) & ByteClass.white == 0 {
        flush(input, to: i)
        isCopying = false
        textOffset = offset(i)
        textHasGreater = false
        state = .text
        return
      }
      i += 1
    }
  }

  /// Apple writes no text at all. Text with a `>` in it is what is left of a tag whose beginning got lost.
  private mutating func scanText(_ input: Span<UInt8>, _ i: inout Int) throws(ExportError) {
    while i < input.count && input[i] != Byte.less {
      if input[i] == Byte.greater { textHasGreater = true }
      i += 1
    }
    guard i < input.count else { return }
    hasText = true
    if !textHasGreater {
      repairs.add(.ignoredText, at: textOffset)
    } else if isInElement || !salvages {
      return try fail(.tornText, at: textOffset, input, i)
    } else {
      noteMalformed(.tornText, at: textOffset, text: [])
    }
    state = .content
    resume(at: i)
  }

  private mutating func scanMarkup(_ input: Span<UInt8>, _ i: inout Int) throws(ExportError) {
    while i < input.count {
      let step = skipper.consume(input[i])
      if step == .isDeclaration { return try fail(.declarationInBody, at: tagOffset, input, i) }
      i += 1
      if step == .ended {
        if skipper.kind == .characterData { repairs.add(.ignoredText, at: tagOffset) }
        state = .content
        return resume(at: i)
      }
    }
  }

  // MARK: - After the root

  private mutating func scanEpilog(_ byte: UInt8, _ i: inout Int) throws(ExportError) {
    switch state {
    case .epilog:
      if byte == Byte.less {
        tagOffset = offset(i)
        state = .epilogOpen
      } else if classes(byte) & ByteClass.white == 0 {
        return try endAfterRoot(.textAfterRoot(at: offset(i)), at: offset(i))
      }
    case .epilogOpen where byte == Byte.exclamation || byte == Byte.question:
      skipper = MarkupSkipper()
      _ = skipper.consume(byte)
      state = .epilogMarkup
    case .epilogOpen:
      return try endAfterRoot(.severalRoots(at: tagOffset), at: tagOffset)
    default:
      switch skipper.consume(byte) {
      case .goesOn: break
      case .ended: state = .epilog
      case .isDeclaration: return try endAfterRoot(.severalRoots(at: tagOffset), at: tagOffset)
      }
    }
    i += 1
  }

  private mutating func endAfterRoot(_ error: ExportError, at offset: Int64) throws(ExportError) {
    guard salvages else { throw error }
    repairs.add(.salvagedTear, at: offset)
    state = .skipsRest
  }
}
