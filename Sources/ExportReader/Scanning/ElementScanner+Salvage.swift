import HealthModel

extension ElementScanner {
  /// A defect at `offset`; input up to `i` has been looked at. Strict: throws. Salvage: leaves out the top-level element
  /// (or the tag that belongs to none) and looks for the next from `i` on.
  mutating func fail(_ defect: XMLDefect, at offset: Int64, _ input: Span<UInt8>, _ i: Int) throws(ExportError) {
    guard salvages && !isRootTag else { throw .malformed(at: offset, defect) }
    flush(input, to: i)
    if isInElement {
      let start = Int(elementStarts.removeLast())
      noteMalformed(defect, at: elementOffset, text: clean[start...])
      truncateClean(to: start)
      isInElement = false
    } else {
      noteMalformed(defect, at: offset, text: [])
      truncateClean(to: min(tagClean, clean.count))
    }
    openTags.removeAll(keepingCapacity: true)
    valuelessCount = 0
    expectsStrayEndTag = true
    isCopying = false
    resyncWord = nil
    state = .resync
  }

  mutating func noteMalformed(_ defect: XMLDefect, at offset: Int64, text: ArraySlice<UInt8>) {
    repairs.add(.rejectedMalformed, at: offset)
    malformed.append(
      MalformedElement(
        inputOffset: offset, defect: defect, text: Array(text.prefix(MalformedElement.maximumTextByteCount))))
  }

  /// Names of children of `HealthData`. A `Record` may also be nested, but is a sample there, too.
  private static let topLevelNames: Set<[UInt8]> = Set(
    [
      "ExportDate", "Me", "Record", "Correlation", "Workout", "ActivitySummary", "ClinicalRecord", "Audiogram",
      "VisionPrescription",
    ].map { Array($0.utf8) })

  /// Passes over bytes up to `<Record` and its like, or `</HealthData`.
  mutating func resync(_ input: Span<UInt8>, _ i: inout Int) {
    while i < input.count {
      let byte = input[i]
      if byte == Byte.less {
        resyncWord = []
        tagOffset = offset(i)
      } else if let word = resyncWord {
        if word.count < 32 && (classes(byte) & ByteClass.name != 0 || (byte == Byte.slash && word.isEmpty)) {
          resyncWord?.append(byte)
        } else {
          resyncWord = nil
          if goOn(after: word, at: i) { return }
        }
      }
      i += 1
    }
  }

  /// `i` is the first byte after `<word`.
  private mutating func goOn(after word: [UInt8], at i: Int) -> Bool {
    let isRootEnd = word.elementsEqual("/HealthData".utf8)
    guard isRootEnd || ElementScanner.topLevelNames.contains(word) else { return false }
    tagClean = clean.count
    nameClean = tagClean + (isRootEnd ? 2 : 1)
    nameLength = word.count - (isRootEnd ? 1 : 0)
    map.append(clean: tagClean, original: tagOffset)
    clean.append(Byte.less)
    clean.append(contentsOf: word)
    if !isRootEnd { beginElement() }
    state = isRootEnd ? .endSpace : .betweenAttributes
    resume(at: i)
    return true
  }

  /// At the end of a torn input: forgets the element it tore in.
  mutating func dropUnfinished() {
    if isInElement {
      truncateClean(to: Int(elementStarts.removeLast()))
      isInElement = false
    } else if state == .tagOpen || state == .endName || state == .endSpace {
      truncateClean(to: tagClean)
    }
  }
}
