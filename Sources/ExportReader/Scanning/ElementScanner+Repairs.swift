import HealthModel

extension ElementScanner {
  /// `&` in a value whose meaning is not known yet.
  struct Reference: Sendable {
    /// Position of the `&` in `clean`, and in the input.
    var clean = 0
    var offset: Int64 = 0
    var length = 0
    var returnState = State.doubleQuoted

    static let maximumLength = 40

    /// Length of one of the five predefined entities at `i`, if all of it is there; else 0.
    static func commonLength(_ input: Span<UInt8>, at i: Int) -> Int {
      if i + 3 < input.count && input[i + 3] == Byte.semicolon && input[i + 2] == UInt8(ascii: "t") {
        return input[i + 1] == UInt8(ascii: "l") || input[i + 1] == UInt8(ascii: "g") ? 4 : 0
      }
      if i + 4 < input.count && input[i + 4] == Byte.semicolon {
        return input[i + 1] == UInt8(ascii: "a") && input[i + 2] == UInt8(ascii: "m")
          && input[i + 3] == UInt8(ascii: "p") ? 5 : 0
      }
      return 0
    }

    enum Meaning { case sound, illegalCharacter, undeclaredEntity, none }

    /// `body` stands between `&` and `;`.
    static func meaning(of body: ArraySlice<UInt8>) -> Meaning {
      if body.first == Byte.numberSign {
        let digits = body.dropFirst()
        let isHex = digits.first == UInt8(ascii: "x")
        let text = String(decoding: isHex ? digits.dropFirst() : digits, as: UTF8.self)
        guard !text.isEmpty, text.utf8.allSatisfy({ isDigit($0, hexadecimal: isHex) }) else { return .none }
        guard let code = UInt32(text, radix: isHex ? 16 : 10) else { return .illegalCharacter }
        return isXMLCharacter(code) ? .sound : .illegalCharacter
      }
      guard let first = body.first, ByteClass.table[Int(first)] & ByteClass.nameStart != 0 else { return .none }
      let predefined = ["lt", "gt", "amp", "quot", "apos"]
      return predefined.contains(String(decoding: body, as: UTF8.self)) ? .sound : .undeclaredEntity
    }

    private static func isDigit(_ byte: UInt8, hexadecimal: Bool) -> Bool {
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): true
      case UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): hexadecimal
      default: false
      }
    }

    /// Production `Char` of XML 1.0.
    private static func isXMLCharacter(_ code: UInt32) -> Bool {
      switch code {
      case 0x9, 0xA, 0xD, 0x20...0xD7FF, 0xE000...0xFFFD, 0x10000...0x10FFFF: true
      default: false
      }
    }
  }

  mutating func beginReference(_ i: inout Int) {
    reference = Reference(clean: cleanPosition(i), offset: offset(i), length: 0, returnState: state)
    state = .reference
    i += 1
  }

  mutating func scanReference(_ input: Span<UInt8>, _ i: inout Int) {
    while i < input.count {
      let byte = input[i]
      if byte == Byte.semicolon {
        i += 1
        flush(input, to: i)
        return endReference(input, i)
      }
      let isInside = byte == Byte.numberSign || classes(byte) & ByteClass.name != 0
      if !isInside || reference.length >= Reference.maximumLength {
        return escapeAmpersand(input, i, .rawAmpersand)
      }
      reference.length += 1
      i += 1
    }
  }

  private mutating func endReference(_ input: Span<UInt8>, _ end: Int) {
    switch Reference.meaning(of: clean[(reference.clean + 1)..<(clean.count - 1)]) {
    case .sound: state = reference.returnState
    case .illegalCharacter:
      repairs.add(.illegalReference, at: reference.offset)
      rewrite(input, from: reference.clean, to: end, with: Byte.replacement)
      state = reference.returnState
    case .undeclaredEntity: escapeAmpersand(input, end, .undeclaredEntity)
    case .none: escapeAmpersand(input, end, .rawAmpersand)
    }
  }

  private mutating func escapeAmpersand(_ input: Span<UInt8>, _ end: Int, _ kind: ProblemKind) {
    repairs.add(kind, at: reference.offset)
    flush(input, to: end)
    rewrite(input, from: reference.clean, to: end, with: Array("&amp;".utf8) + clean[(reference.clean + 1)...])
    state = reference.returnState
  }

  // MARK: - Characters

  /// A UTF-8 sequence that began at `clean`; `remaining` bytes are to come, the next one within `next`.
  struct Sequence: Sendable {
    var clean = 0
    var offset: Int64 = 0
    var remaining = 0
    var next: ClosedRange<UInt8> = 0x80...0xBF
    /// Can still become U+FFFE or U+FFFF: EF, BF, BE or BF.
    var isNoncharacter = false
    var returnState = State.content
  }

  /// At a control character or a lead byte, in a name or a value.
  mutating func repairCharacter(_ input: Span<UInt8>, _ i: inout Int) {
    let byte = input[i]
    guard let (remaining, next) = UTF8Check.continuation(after: byte) else {
      repairs.add(byte < 0x80 ? .illegalCharacter : .invalidUTF8, at: offset(i))
      return replace(input, &i, with: Byte.replacement)
    }
    sequence = Sequence(
      clean: cleanPosition(i), offset: offset(i), remaining: remaining, next: next, isNoncharacter: byte == 0xEF,
      returnState: state)
    state = .sequence
    i += 1
  }

  /// The longest start of a sequence that could have been well-formed is one replacement (Unicode, "maximal subpart").
  mutating func scanSequence(_ input: Span<UInt8>, _ i: inout Int) {
    while i < input.count {
      let byte = input[i]
      guard sequence.next.contains(byte) else {
        repairs.add(.invalidUTF8, at: sequence.offset)
        rewrite(input, from: sequence.clean, to: i, with: Byte.replacement)
        state = sequence.returnState
        return
      }
      sequence.isNoncharacter =
        sequence.isNoncharacter && (sequence.remaining == 2 ? byte == 0xBF : byte == 0xBE || byte == 0xBF)
      sequence.remaining -= 1
      sequence.next = 0x80...0xBF
      i += 1
      if sequence.remaining == 0 {
        if sequence.isNoncharacter {
          repairs.add(.illegalCharacter, at: sequence.offset)
          rewrite(input, from: sequence.clean, to: i, with: Byte.replacement)
        }
        state = sequence.returnState
        return
      }
    }
  }
}

/// Well-formed UTF-8 (Unicode, table 3-7).
enum UTF8Check {
  /// How many bytes follow a lead byte, and which may come first; nil when `byte` begins no sequence.
  static func continuation(after byte: UInt8) -> (Int, ClosedRange<UInt8>)? {
    switch byte {
    case 0xC2...0xDF: (1, 0x80...0xBF)
    case 0xE0: (2, 0xA0...0xBF)
    case 0xED: (2, 0x80...0x9F)
    case 0xE1...0xEF: (2, 0x80...0xBF)
    case 0xF0: (3, 0x90...0xBF)
    case 0xF1...0xF3: (3, 0x80...0xBF)
    case 0xF4: (3, 0x80...0x8F)
    default: nil
    }
  }

  /// Length of the sequence at `i` if it is whole and beyond doubt, else 0: then the slow way decides.
  @inline(__always)
  static func wholeSequenceLength(_ input: Span<UInt8>, at i: Int) -> Int {
    let lead = input[i]
    if lead >= 0xC2 && lead <= 0xDF {
      return i + 1 < input.count && isContinuation(input[i + 1]) ? 2 : 0
    }
    if lead > 0xE0 && lead < 0xEF && lead != 0xED {
      return i + 2 < input.count && isContinuation(input[i + 1]) && isContinuation(input[i + 2]) ? 3 : 0
    }
    return 0
  }

  @inline(__always) private static func isContinuation(_ byte: UInt8) -> Bool { byte & 0xC0 == 0x80 }
}
