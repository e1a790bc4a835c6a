import Foundation
import HealthModel
import TestSupport
import Testing

@testable import ExportReader

/// Damaged inputs by the hundred: whatever is wrong, the same answer for any split of the input, no crash, and what the
/// scanner lets through in salvage is taken by the parser as well.
@Suite struct ScannerFuzzTests {
  /// `HK2PG_TEST_FUZZ=100000` for a longer run.
  static let rounds = ProcessInfo.processInfo.environment["HK2PG_TEST_FUZZ"].flatMap { Int($0) } ?? 300

  static let pieces: [[UInt8]] =
    [
      "<", ">", "/", "\"", "'", "=", "&", ";", "&#", "<!--", "-->", "<![CDATA[", "]]>", "<?", "?>", "</", "/>", " ",
      "\n",
      "</HealthData>", "<HealthData>", "<Record ", "</Record>", "<Workout>", "</Workout>", "a", "startDate=\"x\"", "<!",
    ].map { Array($0.utf8) } + [
      [0], [0x0B], [0x80], [0xC3], [0xE2, 0x82], [0xED, 0xA0, 0x80], [0xEF, 0xBF, 0xBF], [0xFF],
    ]

  /// Cuts, doubles, inserts and overwrites.
  static func damage(_ input: [UInt8], _ random: inout SplitMix) -> [UInt8] {
    var bytes = input
    for _ in 0..<Int.random(in: 1...4, using: &random) {
      let position = Int.random(in: 0...bytes.count, using: &random)
      let length = min(bytes.count - position, Int.random(in: 1...30, using: &random))
      switch Int.random(in: 0..<5, using: &random) {
      case 0: bytes.removeSubrange(position..<(position + length))
      case 1: bytes.insert(contentsOf: bytes[position..<(position + length)], at: position)
      case 2: bytes.insert(contentsOf: pieces.randomElement(using: &random)!, at: position)
      case 3: bytes.replaceSubrange(position..<(position + length), with: pieces.randomElement(using: &random)!)
      default: if position < bytes.count { bytes[position] = UInt8.random(in: 0...255, using: &random) }
      }
    }
    return bytes
  }

  struct Answer: Equatable {
    var result: ScanResult?
    var error: ExportError?

    init(_ input: [UInt8], pieces: [Int], salvage: Bool) {
      do throws(ExportError) {
        result = try ScanResult(input, pieces: pieces, salvage: salvage, segmentByteCount: 150)
      } catch {
        self.error = error
      }
    }
  }

  @Test func damageGivesTheSameAnswerForAnySplit() throws {
    let start = UInt64.random(in: 0...UInt64.max)
    for round in 0..<UInt64(Self.rounds) {
      let seed = start &+ round
      var random = SplitMix(seed: seed)
      let input = Self.damage(Fixture.small, &random)
      let text = String(decoding: input, as: UTF8.self)
      for salvage in [false, true] {
        let whole = Answer(input, pieces: [1 << 20], salvage: salvage)
        let sizes = (0..<20).map { _ in Int.random(in: 1...40, using: &random) }
        #expect(Answer(input, pieces: sizes, salvage: salvage) == whole, "seed \(seed): \(text)")
        #expect(Answer(input, pieces: [1], salvage: salvage) == whole, "seed \(seed): \(text)")
      }
      try parse(input, "seed \(seed): \(text)")
    }
  }

  /// Offsets ascend and point at a tag; a strict success has the elements of a salvaging one.
  private func parse(_ input: [UInt8], _ context: String) throws {
    let strict = try? ParseResult(input, segmentByteCount: 150)
    guard let salvaged = try? ParseResult(input, salvage: true, segmentByteCount: 150) else {
      #expect(strict == nil, "\(context)")
      return
    }
    #expect(salvaged.offsets == salvaged.offsets.sorted(), "\(context)")
    for offset in salvaged.offsets { #expect(input[Int(offset)] == UInt8(ascii: "<"), "\(context)") }
    if let strict {
      #expect(strict.elements == salvaged.elements, "\(context)")
      #expect(salvaged.malformed.isEmpty, "\(context)")
    }
  }
}
