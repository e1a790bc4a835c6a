import BoundedQueues
import ExportReader
import HealthModel
import RowMapping
import Staging
import Synchronization

/// First half of the flow: bytes of the export to sorted segments.
///
/// ```
/// reader thread: bytes ─► ElementScanner ─► XMLSegment ─┐ bounded queue
/// worker ×N:     ElementParser ─► RowMapper ─► SampleBuffer ─► SegmentStore (sort, spill)
/// ```
struct ReadStage: Sendable {
  let export: OpenExport
  let symbols: SymbolTable
  let store: SegmentStore
  let rejects: RejectWriter
  let userByteCount: Int
  let jobs: Int
  let isSalvage: Bool
  let interruption: Interruption
  let progress: @Sendable (ProgressEvent) -> Void

  /// A worker hands its samples over when it holds this many bytes of them.
  private static let bufferByteCount = 6 << 20
  private static let readByteCount = 1 << 20
  /// More rejects than this in one segment of a megabyte cannot be: a sample has dozens of bytes.
  private static let rejectionLimit = 1 << 17
  /// For names, by the reckoning of `RowMapper.nameByteCount`: some 35,000 of them, a hundred times what a phone has. The
  /// real cost is a few times that, since every worker has its own books.
  static let nameByteLimit = 8_000_000

  func run() throws -> ExportFacts {
    progress(.began(.read, total: export.byteCount > 0 ? export.byteCount : nil))
    let segments = BoundedQueue<XMLSegment>(capacity: 2 * jobs)
    let collected = Guarded(ExportFacts())
    let samplesSoFar = Atomic<Int>(0)
    let reader: @Sendable () throws -> Void = {
      let facts = try readSegments(into: segments, samplesSoFar: samplesSoFar)
      collected.withLock { $0.merge(facts) }
    }
    let worker: @Sendable () throws -> Void = {
      let facts = try mapSegments(from: segments, samplesSoFar: samplesSoFar)
      collected.withLock { $0.merge(facts) }
    }
    try runStages([reader] + Array(repeating: worker, count: jobs), onFailure: { segments.cancel() })
    let facts = collected.withLock { $0 }
    // The parsers were behind the reader: these are the final figures.
    let all = ProgressEvent.Advance(done: export.byteCount, records: Int64(facts.samplesRead))
    progress(.advanced(.read, all))
    progress(.ended(.read))
    return facts
  }

  /// The reader thread: inflate and scan.
  private func readSegments(
    into segments: BoundedQueue<XMLSegment>, samplesSoFar: borrowing Atomic<Int>
  ) throws -> ExportFacts {
    var facts = ExportFacts()
    var scanner = ElementScanner(path: export.path, salvage: isSalvage)
    let stream = try export.makeStream()
    var bytes = [UInt8](repeating: 0, count: ReadStage.readByteCount)
    while true {
      try interruption.check()
      let count = try stream.read(into: &bytes)
      if count == 0 { break }
      try scanner.consume(bytes.span.extracting(0..<count))
      guard send(&scanner, to: segments, facts: &facts) else { return facts }
      let advance = ProgressEvent.Advance(
        done: stream.bytesConsumed, records: Int64(samplesSoFar.load(ordering: .relaxed)))
      progress(.advanced(.read, advance))
    }
    try scanner.finish(damage: stream.damage)
    if let digest = stream.digest { facts.streamDigest = digest }
    if send(&scanner, to: segments, facts: &facts) { segments.finish() }
    return facts
  }

  private func send(
    _ scanner: inout ElementScanner, to segments: BoundedQueue<XMLSegment>, facts: inout ExportFacts
  ) -> Bool {
    while let segment = scanner.nextSegment() {
      facts.problems.merge(segment.repairs)
      facts.add(malformed: segment.malformed)
      if let root = segment.root { facts.locale = facts.locale ?? root.locale }
      if !segments.send(segment) { return false }
    }
    return true
  }

  /// One worker: parse, map, and hand over full buffers.
  private func mapSegments(
    from segments: BoundedQueue<XMLSegment>, samplesSoFar: borrowing Atomic<Int>
  ) throws -> ExportFacts {
    var parser = ElementParser(salvage: isSalvage)
    var mapper = RowMapper(symbols: symbols, userByteCount: userByteCount)
    mapper.rejectionLimit = ReadStage.rejectionLimit
    var buffer = SampleBuffer()
    var facts = ExportFacts()
    while let segment = segments.receive() {
      try interruption.check()
      let before = buffer.recordCount
      try parser.parse(segment) { mapper.map($0, into: &buffer) }
      samplesSoFar.wrappingAdd(buffer.recordCount - before, ordering: .relaxed)
      try finish(segment, &parser, &mapper, &facts)
      if mapper.nameByteCount > ReadStage.nameByteLimit {
        throw FlowError.tooManyNames(byteLimit: ReadStage.nameByteLimit)
      }
      if buffer.byteCount >= ReadStage.bufferByteCount {
        try store.add(buffer)
        buffer = SampleBuffer()
      }
    }
    if buffer.recordCount > 0 { try store.add(buffer) }
    facts.merge(mapper.facts)
    return facts
  }

  /// Counts and writes what could not be used of a segment.
  private func finish(
    _ segment: XMLSegment, _ parser: inout ElementParser, _ mapper: inout RowMapper, _ facts: inout ExportFacts
  ) throws {
    let (problems, malformed) = parser.takeProblems()
    facts.problems.merge(problems)
    facts.add(malformed: malformed)
    let texts = SegmentTexts(segment)
    let rejected =
      mapper.rejections.map { Reject(kind: $0.kind, inputOffset: $0.inputOffset, text: texts.text(at: $0.inputOffset)) }
      + (segment.malformed + malformed).map {
        Reject(kind: .rejectedMalformed, inputOffset: $0.inputOffset, text: $0.text)
      }
    mapper.rejections.removeAll(keepingCapacity: true)
    try rejects.finish(segment: segment.index, rejects: rejected.sorted { $0.inputOffset < $1.inputOffset })
  }
}

extension ExportFacts {
  /// Each element that salvage left out counts as a sample that was read and rejected; the kinds are counted already.
  fileprivate mutating func add(malformed: [MalformedElement]) {
    samplesRead += malformed.count
    samplesRejected += malformed.count
  }
}

/// The text of top-level elements by their offset in the original input.
private struct SegmentTexts {
  private let segment: XMLSegment

  init(_ segment: XMLSegment) { self.segment = segment }

  /// After repairs, at most 4 KB.
  func text(at inputOffset: Int64) -> [UInt8] {
    let starts = segment.elementStarts
    // Original offsets grow with clean ones.
    var low = 0
    var high = starts.count
    while low < high {
      let middle = (low + high) / 2
      if segment.offsetMap.original(of: Int(starts[middle])) < inputOffset { low = middle + 1 } else { high = middle }
    }
    guard low < starts.count else { return [] }
    let start = Int(starts[low])
    let end = low + 1 < starts.count ? Int(starts[low + 1]) : segment.bytes.count
    return Array(segment.bytes[start..<min(end, start + MalformedElement.maximumTextByteCount)])
  }
}
