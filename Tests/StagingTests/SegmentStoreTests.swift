import BoundedQueues
import Foundation
import HealthModel
import TestSupport
import Testing

@testable import Staging

@Suite struct SegmentStoreTests {
  private static let names = ["b", "a", "c", "ä", "aa"]

  /// Buffers of random samples of five types, the n-th sample of all having input offset n.
  private func buffers(
    _ count: Int, of size: Int, _ random: inout SplitMix, _ symbols: SymbolTable, spread: Int = 3000
  ) -> [SampleBuffer] {
    let types = SegmentStoreTests.names.map { symbols.intern($0) }
    return (0..<count).map { number in
      var buffer = SampleBuffer()
      for index in 0..<size {
        let start = buffer.payload.count
        if random.below(3) == 0 { for _ in 0..<random.below(90) { buffer.payload.append(UInt8(random.below(256))) } }
        buffer.append(
          random.record(within: spread, offset: Int64(number * size + index)), type: types[random.below(types.count)],
          payloadStart: start)
      }
      return buffer
    }
  }

  /// All groups of a type in order, each record on its own.
  private func merged(_ store: SegmentStore, _ type: Symbol) throws -> [RecordContent] {
    var merge = try store.merge(type: type)
    var group = SampleGroup()
    var content: [RecordContent] = []
    var lastSecond = Int64.min
    while try merge.nextGroup(into: &group) {
      let seconds = Set(group.records.map(\.start.seconds))
      #expect(seconds.count == 1)
      #expect(try #require(seconds.first) > lastSecond)
      lastSecond = try #require(seconds.first)
      #expect(group.records.reduce(0) { $0 + Int($1.payloadLength) } == group.payload.count)
      content += group.records.map { RecordContent($0, payload: group.payload) }
    }
    #expect(group.records.isEmpty)
    return content
  }

  private func naive(_ buffers: [SampleBuffer], _ type: Symbol) -> [RecordContent] {
    buffers.flatMap { buffer in
      buffer.runs.filter { $0.type == type }.flatMap { run in
        run.records.map { RecordContent($0, payload: buffer.payload) }
      }
    }.sorted(by: RecordContent.precedes)
  }

  /// From everything in memory to every buffer in a file of its own.
  @Test(arguments: [Int.max, 150_000, 0]) func mergedStreamsAreTheNaiveSort(memoryLimit: Int) throws {
    var random = SplitMix(printing: "SegmentStoreTests.mergedStreamsAreTheNaiveSort")
    let place = try TemporaryFolder()
    let symbols = SymbolTable()
    let buffers = buffers(13, of: 700, &random, symbols)
    let store = try SegmentStore(directory: place.file("w"), memoryLimit: memoryLimit, symbols: symbols)
    for buffer in buffers { try store.add(buffer) }
    #expect(memoryLimit == .max ? store.segmentCount == 0 : store.segmentCount > 1)
    #expect(store.types.map { symbols.text(of: $0.type) } == ["a", "aa", "b", "c", "ä"])
    #expect(store.types.reduce(0) { $0 + $1.recordCount } == 13 * 700)
    for (type, count) in store.types {
      let expected = naive(buffers, type)
      #expect(expected.count == count)
      #expect(try merged(store, type) == expected)
      #expect(try merged(store, type) == expected, "a second merge")
    }
  }

  @Test func theOrderOfBuffersDoesNotMatter() throws {
    var random = SplitMix(printing: "SegmentStoreTests.theOrderOfBuffersDoesNotMatter")
    let place = try TemporaryFolder()
    let symbols = SymbolTable()
    // Many samples of one start and end: only the input offset tells them apart.
    let buffers = buffers(6, of: 500, &random, symbols, spread: 2)
    var streams: [[RecordContent]] = []
    for order in [buffers, buffers.reversed(), buffers.shuffled(using: &random)] {
      let store = try SegmentStore(directory: place.file("w"), memoryLimit: 100_000, symbols: symbols)
      for buffer in order { try store.add(buffer) }
      streams.append(try store.types.flatMap { try merged(store, $0.type) })
      try store.removeAll()
    }
    #expect(streams[1] == streams[0])
    #expect(streams[2] == streams[0])
  }

  @Test func workersAddAndMergeAtOnceUnderTheCeiling() throws {
    var random = SplitMix(printing: "SegmentStoreTests.workersAddAndMergeAtOnceUnderTheCeiling")
    let place = try TemporaryFolder()
    let symbols = SymbolTable()
    let buffers = buffers(40, of: 2000, &random, symbols)
    let limit = 1 << 20
    let store = try SegmentStore(directory: place.file("w"), memoryLimit: limit, symbols: symbols)
    let failures = Guarded<[String]>([])
    func inParallel(_ count: Int, _ work: @Sendable (Int) throws -> Void) {
      withoutActuallyEscaping(work) { work in
        DispatchQueue.concurrentPerform(iterations: count) { index in
          do { try work(index) } catch { failures.withLock { $0.append(String(describing: error)) } }
        }
      }
    }
    inParallel(4) { worker in
      for index in stride(from: worker, to: buffers.count, by: 4) { try store.add(buffers[index]) }
    }
    let largest = buffers.map { SortedBuffer($0).byteCount }.max() ?? 0
    #expect(store.peakByteCount <= limit + 4 * largest)
    #expect(store.heldByteCount <= limit)
    #expect(store.segmentCount > 2)
    let types = store.types.map(\.type)
    inParallel(types.count) { index in
      let content = try merged(store, types[index])
      #expect(content == naive(buffers, types[index]))
    }
    #expect(failures.withLock { $0 } == [])
  }

  @Test func aMergeHoldsOneBlockOfEachRun() throws {
    var random = SplitMix(printing: "SegmentStoreTests.aMergeHoldsOneBlockOfEachRun")
    let place = try TemporaryFolder()
    let symbols = SymbolTable()
    let store = try SegmentStore(directory: place.file("w"), memoryLimit: 0, symbols: symbols)
    for buffer in buffers(8, of: 40_000, &random, symbols, spread: 1_000_000) { try store.add(buffer) }
    var merge = try store.merge(type: symbols.intern("a"))
    var group = SampleGroup()
    var most = 0
    while try merge.nextGroup(into: &group) { most = max(most, merge.bufferByteCount) }
    // A growing array may be twice as large as its content; one run's worth for the compressed and the packed form.
    #expect(most <= (8 + 1) * 2 * SegmentWriter.blockByteCount)
  }

  @Test func onlyTheCurrentRecordsMegabytesAreHeld() throws {
    let place = try TemporaryFolder()
    let symbols = SymbolTable()
    let type = symbols.intern("a")
    let store = try SegmentStore(directory: place.file("w"), memoryLimit: 0, symbols: symbols)
    for number in 0..<20 {
      var buffer = SampleBuffer()
      for second in [number, 100 - number] {
        let start = buffer.payload.count
        buffer.payload += Array(repeating: UInt8(second), count: 1 << 20)
        let instant = Instant(seconds: Int64(second))
        buffer.append(SampleRecord(start: instant, end: instant), type: type, payloadStart: start)
      }
      try store.add(buffer)
    }
    var merge = try store.merge(type: type)
    var group = SampleGroup()
    var seconds: [Int64] = []
    while try merge.nextGroup(into: &group) {
      let second = group.records[0].start.seconds
      seconds.append(second)
      #expect(group.payload == Array(repeating: UInt8(second), count: 1 << 20))
      #expect(merge.bufferByteCount < 6 << 20)
    }
    #expect(seconds == Array(0..<20) + Array(81...100))
  }

  @Test func filesOfAKilledRunAreRemovedAndNoOthers() throws {
    let place = try TemporaryFolder()
    try place.write([1], to: "segment-7.partial")
    try place.write([1], to: "notes.txt")
    var random = SplitMix(seed: 1)
    let symbols = SymbolTable()
    let store = try SegmentStore(directory: place.path, memoryLimit: 0, symbols: symbols)
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == ["notes.txt"])
    for buffer in buffers(2, of: 10, &random, symbols) { try store.add(buffer) }
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path).count == 3)
    #expect(try place.permissions(of: "segment-1.partial") == 0o600)
    try store.removeAll()
    #expect(try FileManager.default.contentsOfDirectory(atPath: place.path) == ["notes.txt"])
    #expect(store.types.isEmpty)
  }

  @Test func anEmptyBufferAndAnUnknownTypeAreNothing() throws {
    let place = try TemporaryFolder()
    let symbols = SymbolTable()
    let store = try SegmentStore(directory: place.file("w"), memoryLimit: 0, symbols: symbols)
    #expect(try place.permissions(of: "w") == 0o700)
    try store.add(SampleBuffer())
    #expect(store.types.isEmpty)
    #expect(store.segmentCount == 0)
    var merge = try store.merge(type: symbols.intern("none"))
    var group = SampleGroup()
    #expect(try !merge.nextGroup(into: &group))
    try store.removeAll()
    #expect(!FileManager.default.fileExists(atPath: place.file("w")))
  }

  /// Offsets are per block: the payload of all records together is far beyond 32 bits.
  @Test(.enabled(if: ProcessInfo.processInfo.environment["HK2PG_SLOW_TESTS"] != nil, "set HK2PG_SLOW_TESTS"))
  func morePayloadThanThirtyTwoBits() throws {
    let place = try TemporaryFolder()
    let symbols = SymbolTable()
    let type = symbols.intern("a")
    let store = try SegmentStore(directory: place.file("w"), memoryLimit: 64 << 20, symbols: symbols)
    for number in 0..<300 {
      var buffer = SampleBuffer()
      for index in 0..<4 {
        let start = buffer.payload.count
        buffer.payload += Array(repeating: UInt8(truncatingIfNeeded: number ^ index), count: 4 << 20)
        let second = Instant(seconds: Int64(index * 1000 + number))
        buffer.append(SampleRecord(start: second, end: second), type: type, payloadStart: start)
      }
      try store.add(buffer)
    }
    var merge = try store.merge(type: type)
    var group = SampleGroup()
    var total = 0
    while try merge.nextGroup(into: &group) {
      let second = Int(group.records[0].start.seconds)
      let expected = UInt8(truncatingIfNeeded: second % 1000 ^ second / 1000)
      #expect(group.payload.count == 4 << 20)
      #expect(group.payload.first == expected && group.payload.last == expected)
      total += group.payload.count
    }
    #expect(total == 1200 << 22)
    #expect(store.peakByteCount < 128 << 20)
  }
}
