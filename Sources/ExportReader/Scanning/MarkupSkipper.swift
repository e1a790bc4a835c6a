/// Passes over `<!--…-->`, `<![CDATA[…]]>` and `<?…?>`, byte by byte, in pieces of any size. It starts after `<`, at the
/// `!` or `?`.
struct MarkupSkipper: Sendable {
  enum Kind: Sendable { case undecided, comment, characterData, instruction }
  enum Step { case goesOn, ended, isDeclaration }

  private(set) var kind = Kind.undecided
  /// Bytes of the opening, later those of the closing that have been seen.
  private var opening: [UInt8] = []
  private var matched = 0
  /// The first bytes of the content, for the encoding in an XML declaration and the version in a comment.
  private(set) var content: [UInt8] = []

  private static let commentOpening = Array("!--".utf8)
  private static let dataOpening = Array("![CDATA[".utf8)

  mutating func consume(_ byte: UInt8) -> Step {
    switch kind {
    case .undecided: return open(byte)
    case .comment: return close(byte, repeated: Byte.hyphen)
    case .characterData: return close(byte, repeated: Byte.closeBracket)
    case .instruction:
      defer { matched = byte == Byte.question ? 1 : 0 }
      if byte == Byte.greater && matched == 1 { return .ended }
      keep(byte)
      return .goesOn
    }
  }

  private mutating func open(_ byte: UInt8) -> Step {
    opening.append(byte)
    if opening == [Byte.question] {
      kind = .instruction
    } else if opening == MarkupSkipper.commentOpening {
      kind = .comment
    } else if opening == MarkupSkipper.dataOpening {
      kind = .characterData
    } else if !MarkupSkipper.commentOpening.starts(with: opening) && !MarkupSkipper.dataOpening.starts(with: opening) {
      return .isDeclaration
    }
    return .goesOn
  }

  /// `-->` and `]]>`: two or more of the same byte, then `>`.
  private mutating func close(_ byte: UInt8, repeated: UInt8) -> Step {
    if byte == repeated {
      matched += 1
    } else if byte == Byte.greater && matched >= 2 {
      return .ended
    } else {
      matched = 0
    }
    keep(byte)
    return .goesOn
  }

  private mutating func keep(_ byte: UInt8) {
    if content.count < 256 { content.append(byte) }
  }
}
