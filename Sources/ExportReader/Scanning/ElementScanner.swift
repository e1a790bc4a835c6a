import HealthModel

/// One pass over the raw bytes of an export: cuts what stands around the elements, repairs what XML does not allow, finds
/// the borders of top-level elements, and hands out segments of about a megabyte with the map back to the input.
///
/// It is one state machine over bytes, so the input may arrive in pieces of any size. Clean bytes are not touched one by
/// one: a *run* of the input grows until something has to be cut or replaced, then it is copied as a whole.
///
/// ```
/// input  … <Record sourceName="Tom & Jerry" value="1"/>\n <!-- x --> <Record …
///          └──────── run ────────┘└ repair ┘└──── run ───┘└─ cut ──┘└ run …
/// clean  … <Record sourceName="Tom &amp; Jerry" value="1"/>\n  <Record …
/// ```
///
/// Runs that are still open at the end of a piece are flushed then; whatever is decided later about bytes that are clean
/// already (`&` that starts no entity, a torn UTF-8 sequence, the start of a comment) rewrites the tail of `clean`.
///
/// Repairs, and what strict and salvage mean: DESIGN §7.2, §7.3. Strict throws at the first defect. Salvage leaves out
/// the top-level element it stands in and goes on at the next.
package struct ElementScanner: Sendable {
  /// A larger element is a defect: a tag that was never closed would swallow the rest of the file.
  package static let maximumElementByteCount = 64 << 20
  package static let maximumDepth = 128

  enum State: Sendable {
    case prolog
    /// Between tags: white space runs on, text is cut out.
    case content, text, markup
    case tagOpen, startName, betweenAttributes, attributeName, afterAttributeName, afterEquals
    case doubleQuoted, singleQuoted, unquoted, unquotedSlash, emptyTagSlash
    case endName, endSpace
    /// `&…` in a value, and a UTF-8 sequence, whose end is not known yet.
    case reference, sequence
    /// Salvage: looking for the next top-level element.
    case resync
    case epilog, epilogOpen, epilogMarkup
    /// Salvage: something follows the root.
    case skipsRest
  }

  struct OpenTag: Sendable {
    var nameClean: Int
    var nameLength: Int
  }

  let path: String
  let salvages: Bool
  let segmentByteCount: Int
  let maximumElementByteCount: Int
  /// A copy: a global would be checked for being initialised at each byte.
  let classTable = ByteClass.table

  var state = State.prolog
  var prolog = Prolog()
  var skipper = MarkupSkipper()

  // The segment being filled.
  var clean: [UInt8] = []
  var map = OffsetMap()
  var elementStarts: [UInt32] = []
  var repairs = ProblemTally()
  var malformed: [MalformedElement] = []
  var segmentIndex = 0
  var ready: [XMLSegment] = []
  var root: ExportRoot?

  // The piece being consumed: offset of its first byte, and where the open run began in it.
  var base: Int64 = 0
  var runStart = 0
  var isCopying = false

  // The tag being read; positions in `clean`, offsets in the input.
  var isRootTag = false
  var tagClean = 0
  var tagOffset: Int64 = 0
  var nameClean = 0
  var nameLength = 0
  var openTags: [OpenTag] = []
  var attributeClean = 0
  var attributeOffset: Int64 = 0
  var isKnownAttribute = false
  var valuelessCount = 0
  var valuelessOffset: Int64 = 0
  var areValuelessKnown = true

  var isInElement = false
  var elementOffset: Int64 = 0
  var elementCount = 0

  var reference = Reference()
  var sequence = Sequence()
  var textOffset: Int64 = 0
  var textHasGreater = false
  var hasText = false
  var resyncWord: [UInt8]?
  var expectsStrayEndTag = false

  /// `path` is for errors only. The byte counts are a matter of tests; segment borders depend on the first.
  package init(
    path: String = "", salvage: Bool = false, segmentByteCount: Int = 1 << 20,
    maximumElementByteCount: Int = ElementScanner.maximumElementByteCount
  ) {
    self.path = path
    self.salvages = salvage
    self.segmentByteCount = segmentByteCount
    self.maximumElementByteCount = maximumElementByteCount
    clean.reserveCapacity(segmentByteCount + segmentByteCount / 16)
  }

  /// Bytes consumed so far.
  package var byteCount: Int64 { base }

  /// The next finished segment, in order; nil when more input is needed (after `finish`: when all were taken).
  package mutating func nextSegment() -> XMLSegment? { ready.isEmpty ? nil : ready.removeFirst() }

  /// Ends the input; the last segment is ready then. Throws what `consume` throws, and:
  /// - `truncated` when `</HealthData>` is missing (salvage: only when no element is whole),
  /// - `damage` (why the stream ended early, for instance a wrong checksum) unless salvage counts it as a tear,
  /// - `nothingInIt` for content without any element. An empty HealthData is fine.
  package mutating func finish(damage: ExportError? = nil) throws(ExportError) {
    if let damage, !salvages || elementCount == 0 { throw damage }
    switch state {
    case .epilog, .skipsRest:
      if damage != nil { repairs.add(.salvagedTear, at: base) }
    default:
      guard salvages && elementCount > 0 else { throw .truncated(at: base) }
      dropUnfinished()
      repairs.add(.salvagedTear, at: base)
    }
    if elementCount == 0 && hasText { throw .nothingInIt }
    emit()
  }

  // MARK: - Runs

  /// Position in `clean` of the input byte `index`, which belongs to the open run.
  @inline(__always) func cleanPosition(_ index: Int) -> Int { clean.count + index - runStart }

  func offset(_ index: Int) -> Int64 { base + Int64(index) }

  /// Copies the open run up to `end`.
  mutating func flush(_ input: Span<UInt8>, to end: Int) {
    guard isCopying else { return }
    if end > runStart {
      let run = input.extracting(runStart..<end)
      // One memory copy; a Span is no Sequence.
      unsafe run.withUnsafeBufferPointer { unsafe clean.append(contentsOf: $0) }
    }
    runStart = end
  }

  /// From input byte `index` on, bytes are clean again.
  mutating func resume(at index: Int) {
    isCopying = true
    runStart = index
    map.append(clean: clean.count, original: offset(index))
  }

  /// Takes back clean bytes from `position` on; everything before `end` in the input must be flushed.
  mutating func truncateClean(to position: Int) {
    clean.removeSubrange(position...)
    map.truncate(to: position)
  }

  /// Replaces the clean bytes from `position` up to the input byte `end` and goes on copying there.
  mutating func rewrite(_ input: Span<UInt8>, from position: Int, to end: Int, with bytes: [UInt8]) {
    flush(input, to: end)
    truncateClean(to: position)
    clean.append(contentsOf: bytes)
    resume(at: end)
  }

  /// Puts bytes that are not in the input before the input byte `index`.
  mutating func insert(_ input: Span<UInt8>, before index: Int, _ text: String) {
    flush(input, to: index)
    clean.append(contentsOf: text.utf8)
    resume(at: index)
  }

  // MARK: - Segments

  /// Makes a segment of everything up to here, if there is anything to say.
  mutating func emit() {
    guard segmentIndex == 0 || !elementStarts.isEmpty || !repairs.entries.isEmpty || !malformed.isEmpty else { return }
    ready.append(
      XMLSegment(
        index: segmentIndex, bytes: clean, elementStarts: elementStarts, offsetMap: map, repairs: repairs,
        malformed: malformed, root: root))
    segmentIndex += 1
    let capacity = elementStarts.count
    clean = []
    clean.reserveCapacity(segmentByteCount + segmentByteCount / 16)
    elementStarts = []
    elementStarts.reserveCapacity(capacity + capacity / 8)
    map = OffsetMap()
    repairs = ProblemTally()
    malformed = []
    root = nil
  }
}
