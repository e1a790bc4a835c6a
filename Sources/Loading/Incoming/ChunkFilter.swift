import HealthModel
import PostgresClient
import Staging

/// Passes on some rows of a chunk, as they are.
protocol RowFilter {
  /// Rows passed on so far.
  var rowCount: Int { get }
  /// Rows of the piece that are wanted are appended to `output`.
  mutating func filter(_ piece: Span<UInt8>, into output: inout CopyEncoder) throws
  /// Throws when the chunk is not whole.
  func finish() throws
}

/// Of a metrics chunk, rows whose type and UTC day are selected.
struct ChunkFilter: RowFilter {
  private static let fieldCount = ChunkTable.metrics.columns.count
  private static let metricType = 2
  private static let startedAt = 6

  private let days: [[UInt8]: DaySelection]
  private var decoder = CopyDecoder(fieldCount: ChunkFilter.fieldCount)
  /// The type of the last row, which is that of most next ones, and its days.
  private var type: [UInt8] = []
  private var selection: DaySelection?
  private var day: CivilDay?
  private var isDaySelected = false
  private(set) var rowCount = 0

  init(days: [[UInt8]: DaySelection]) { self.days = days }

  mutating func filter(_ piece: Span<UInt8>, into output: inout CopyEncoder) throws {
    decoder.append(piece)
    while try decoder.nextRow() {
      if try isSelected() {
        output.appendEncoded(decoder.bytes.span.extracting(decoder.encodedRow))
        rowCount += 1
      }
    }
  }

  func finish() throws { try decoder.finish() }

  private mutating func isSelected() throws -> Bool {
    let range = try decoder.required(decoder.range(of: ChunkFilter.metricType), ChunkFilter.metricType)
    if !isCurrentType(range) {
      type = Array(decoder.bytes[range])
      selection = days[type]
      day = nil
    }
    guard let selection else { return false }
    let start = try decoder.required(decoder.timestamptz(ChunkFilter.startedAt), ChunkFilter.startedAt)
    if start.utcDay != day {
      day = start.utcDay
      isDaySelected = selection.contains(start.utcDay)
    }
    return isDaySelected
  }

  private func isCurrentType(_ range: Range<Int>) -> Bool {
    guard range.count == type.count else { return false }
    let (bytes, current) = (decoder.bytes.span, type.span)
    for index in 0..<range.count where bytes[range.lowerBound + index] != current[index] { return false }
    return true
  }
}

extension Manifest.Chunk {
  /// Whether a metrics chunk may hold a selected row, judging by its first and last row. Chunks are ordered by type and
  /// start, bytewise.
  func mayHold(_ days: [[UInt8]: DaySelection]) -> Bool {
    guard let firstType, let lastType else { return true }
    if firstType != lastType {
      let (first, last) = (Array(firstType.utf8), Array(lastType.utf8))
      return days.keys.contains { !$0.lexicographicallyPrecedes(first) && !last.lexicographicallyPrecedes($0) }
    }
    guard case .listed(let selected) = days[Array(firstType.utf8)] else { return days[Array(firstType.utf8)] != nil }
    guard
      let first = firstStart.flatMap({ Instant(iso8601: $0) })?.utcDay,
      let last = lastStart.flatMap({ Instant(iso8601: $0) })?.utcDay
    else { return true }
    return selected.contains { $0 >= first && $0 <= last }
  }
}
