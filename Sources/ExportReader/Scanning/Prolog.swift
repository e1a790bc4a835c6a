/// Everything before the root tag, byte by byte: BOM, XML declaration, comments, DOCTYPE.
///
/// iOS 16 wrote a DOCTYPE that no parser gets over (format reference §3.1), in two shapes: a declaration that is never
/// closed with others inside of it, and a surplus `>` before the final `]>`. So a DOCTYPE ends where it ends by the
/// rules, or else where the root tag begins.
///
/// ```
/// <!DOCTYPE HealthData [
/// <!-- HealthKit Export Version: 12 -->
/// <!ATTLIST VisionPrescription
///   brand CDATA #IMPLIED          ← no ">"
/// <!ELEMENT RightEye EMPTY>       ← inside of it
/// >                               ← surplus
/// ]>
/// <HealthData locale="en_US">
/// ```
struct Prolog: Sendable {
  enum Outcome: Equatable, Sendable {
    case goesOn
    /// The byte just consumed is the first after `<HealthData`.
    case rootTag
    case notXML
    case otherRoot(String)
    case otherEncoding(String)
  }

  private enum State: Sendable {
    case byteOrderMark, between, open, rootName, markup
    case doctypeWord, doctype, doctypeOpen, doctypeMarkup, doctypeRootName
  }
  private var state = State.byteOrderMark
  private var skipper = MarkupSkipper()
  /// The word being read: `!DOCTYPE` or the name of a tag.
  private var word: [UInt8] = []
  private(set) var byteCount: Int64 = 0
  private(set) var hasByteOrderMark = false
  private(set) var doctypeOffset: Int64?
  private(set) var isDoctypeBroken = false
  private(set) var formatVersion: Int?

  // In the DOCTYPE.
  private var isInSubset = false
  private var isInDeclaration = false
  private var openQuote: UInt8?

  private static let rootName = Array("HealthData".utf8)
  private static let doctypeWord = Array("!DOCTYPE".utf8)

  mutating func consume(_ byte: UInt8) -> Outcome {
    defer { byteCount += 1 }
    switch state {
    case .byteOrderMark: return byteOrderMark(byte)
    case .between: return between(byte)
    case .open: return opened(byte)
    case .rootName: return rootName(byte)
    case .markup: return markup(byte)
    case .doctypeWord: return doctypeWord(byte)
    case .doctype: doctype(byte)
    case .doctypeOpen: doctypeOpened(byte)
    case .doctypeMarkup: doctypeMarkup(byte)
    case .doctypeRootName: return doctypeRootName(byte)
    }
    return .goesOn
  }

  private mutating func byteOrderMark(_ byte: UInt8) -> Outcome {
    let mark: [UInt8] = [0xEF, 0xBB, 0xBF]
    if byte == mark[Int(byteCount)] {
      hasByteOrderMark = byteCount == 2
      if hasByteOrderMark { state = .between }
      return .goesOn
    }
    if byteCount > 0 { return .notXML }
    state = .between
    return between(byte)
  }

  private mutating func between(_ byte: UInt8) -> Outcome {
    if byte == Byte.less {
      state = .open
      return .goesOn
    }
    return isA(byte, ByteClass.white) ? .goesOn : .notXML
  }

  /// After `<`: a comment, an instruction, the DOCTYPE or the root.
  private mutating func opened(_ byte: UInt8) -> Outcome {
    word = [byte]
    if byte == Byte.exclamation || byte == Byte.question {
      skipper = MarkupSkipper()
      _ = skipper.consume(byte)
      state = .markup
      return .goesOn
    }
    state = .rootName
    return isA(byte, ByteClass.nameStart) ? .goesOn : .notXML
  }

  private mutating func markup(_ byte: UInt8) -> Outcome {
    switch skipper.consume(byte) {
    case .goesOn: break
    case .ended:
      state = .between
      if skipper.kind == .instruction { return declaredEncoding(skipper.content) }
    case .isDeclaration:
      doctypeOffset = byteCount - 2
      state = .doctypeWord
      return doctypeWord(byte)
    }
    return .goesOn
  }

  private mutating func doctypeWord(_ byte: UInt8) -> Outcome {
    word.append(byte)
    guard Prolog.doctypeWord.starts(with: word) else { return .notXML }
    if word == Prolog.doctypeWord { state = .doctype }
    return .goesOn
  }

  private mutating func rootName(_ byte: UInt8) -> Outcome {
    if isA(byte, ByteClass.anyName) {
      if word.count < 256 { word.append(byte) }
      return .goesOn
    }
    return word == Prolog.rootName ? .rootTag : .otherRoot(String(decoding: word, as: UTF8.self))
  }

  /// `<?xml version="1.0" encoding="UTF-8"?>`
  private func declaredEncoding(_ content: [UInt8]) -> Outcome {
    let text = String(decoding: content, as: UTF8.self)
    guard text.hasPrefix("xml"), let start = text.firstRange(of: "encoding")?.upperBound else { return .goesOn }
    let parts = text[start...].split(omittingEmptySubsequences: false) { $0 == "\"" || $0 == "'" }
    guard parts.count >= 2 else { return .goesOn }
    let known = ["utf-8", "utf8", "us-ascii", "ascii"]
    return known.contains(parts[1].lowercased()) ? .goesOn : .otherEncoding(String(parts[1]))
  }

  private func isA(_ byte: UInt8, _ classes: UInt8) -> Bool { ByteClass.table[Int(byte)] & classes != 0 }
}

// MARK: - DOCTYPE

extension Prolog {
  private mutating func doctype(_ byte: UInt8) {
    if let quote = openQuote {
      // No literal of a real DOCTYPE has a line break: a quote still open there was none.
      if byte == quote || byte == Byte.lineFeed { openQuote = nil }
      return
    }
    switch byte {
    case Byte.less: state = .doctypeOpen
    case Byte.quote, Byte.apostrophe: openQuote = byte
    case Byte.openBracket where !isInDeclaration: isInSubset = true
    case Byte.closeBracket where !isInDeclaration: isInSubset = false
    case Byte.greater where isInDeclaration: isInDeclaration = false
    case Byte.greater where isInSubset: isDoctypeBroken = true
    case Byte.greater: state = .between
    default: break
    }
  }

  private mutating func doctypeOpened(_ byte: UInt8) {
    if byte == Byte.exclamation || byte == Byte.question {
      skipper = MarkupSkipper()
      _ = skipper.consume(byte)
      state = .doctypeMarkup
    } else if isA(byte, ByteClass.nameStart) {
      word = [byte]
      state = .doctypeRootName
    } else {
      isDoctypeBroken = true
      state = .doctype
      doctype(byte)
    }
  }

  private mutating func doctypeMarkup(_ byte: UInt8) {
    switch skipper.consume(byte) {
    case .goesOn: break
    case .ended:
      state = .doctype
      if skipper.kind == .comment { noteVersion(skipper.content) }
    case .isDeclaration:
      if isInDeclaration { isDoctypeBroken = true }
      isInDeclaration = true
      state = .doctype
      doctype(byte)
    }
  }

  /// `<HealthData` where the DOCTYPE has not ended: it never will.
  private mutating func doctypeRootName(_ byte: UInt8) -> Outcome {
    if isA(byte, ByteClass.anyName) {
      if word.count < 256 { word.append(byte) }
      return .goesOn
    }
    isDoctypeBroken = true
    if word == Prolog.rootName { return .rootTag }
    state = .doctype
    doctype(byte)
    return .goesOn
  }

  /// `<!-- HealthKit Export Version: 12 -->`
  private mutating func noteVersion(_ comment: [UInt8]) {
    let text = String(decoding: comment, as: UTF8.self)
    guard formatVersion == nil, let colon = text.firstIndex(of: ":") else { return }
    formatVersion = Int(text[text.index(after: colon)...].filter { $0.isASCII && $0.isNumber })
  }
}
