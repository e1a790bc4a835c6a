import Foundation
import HealthModel
import TestSupport
import Testing

@testable import RowMapping

@Suite struct JSONTests {
  private func text(_ body: (inout [UInt8]) -> Void) -> String {
    var bytes: [UInt8] = []
    body(&bytes)
    return String(decoding: bytes, as: UTF8.self)
  }

  @Test(
    arguments: [
      (0, "0"), (-0.0, "-0"), (5, "5"), (-5, "-5"), (0.1, "0.1"), (8.72, "8.72"), (1e15, "1000000000000000"),
      (9_007_199_254_740_991, "9007199254740991"), (1e16, "1e+16"), (1e-7, "1e-07"), (2.5e-308, "2.5e-308"),
      (72.54702780048052, "72.54702780048052"),
    ] as [(Double, String)])
  func numbersAreShortest(value: Double, expected: String) {
    #expect(text { $0.append(json: value) } == expected)
  }

  @Test(arguments: [1, 2] as [UInt64])
  func numbersReadBack(seed: UInt64) throws {
    print("seed \(seed)")
    var random = SplitMix(seed: seed)
    for _ in 0..<5000 {
      let value = Double(bitPattern: random.next())
      guard value.isFinite else { continue }
      let printed = text { $0.append(json: value) }
      #expect(Double(printed)?.bitPattern == value.bitPattern)
    }
  }

  @Test(
    arguments: [
      ("0", "0"), ("1", "1"), ("-1", "-1"), ("+7", "7"), ("007", "7"), ("-007", "-7"), ("-0", "0"), ("1.50", "1.5"),
      (".5", "0.5"), ("1e3", "1000"), ("123456789012345678901234567890", "123456789012345678901234567890"),
      ("-0.0", "0"),
      ("1e400", nil), (String(repeating: "9", count: 39), nil), ("", nil), ("-", nil), ("x", nil), ("1 ", nil),
      ("true", nil),
    ] as [(String, String?)])
  func exportedNumbers(exported: String, expected: String?) {
    let bytes = Array(exported.utf8)
    var output: [UInt8] = []
    let isNumber = output.appendJSONNumber(0..<bytes.count, of: bytes.span)
    #expect(isNumber == (expected != nil) && String(decoding: output, as: UTF8.self) == expected ?? "")
  }

  /// Whatever bytes of text come in, Foundation reads the JSON string back as the same text.
  @Test(arguments: [1, 2] as [UInt64])
  func stringsReadBack(seed: UInt64) throws {
    print("seed \(seed)")
    var random = SplitMix(seed: seed)
    for _ in 0..<500 {
      let scalars = (0..<Int.random(in: 0...20, using: &random)).compactMap { _ in
        Unicode.Scalar(
          [0x1F, 0x7F, 0xFF, 0x2FF, 0xFFFF, 0x10_FFFF].randomElement(using: &random).map {
            UInt32.random(in: 0...$0, using: &random)
          } ?? 0)
      }
      var original = ""
      original.unicodeScalars.append(contentsOf: scalars)
      let bytes = Array(original.utf8)
      var output: [UInt8] = []
      let cleaned = output.appendJSON(0..<bytes.count, of: bytes.span)
      let back = try JSONDecoder().decode([String].self, from: Data([0x5B] + output + [0x5D]))
      let expected = scalars.map { $0.value == 0 ? "\u{FFFD}" : Character($0) }
      #expect(Array(back[0].unicodeScalars) == expected.flatMap(\.unicodeScalars))
      #expect(cleaned == scalars.count { $0.value == 0 })
    }
  }

  @Test(
    arguments: [
      (0, "\"1970-01-01T00:00:00Z\""), (1_714_557_600, "\"2024-05-01T10:00:00Z\""), (-1, "\"1969-12-31T23:59:59Z\""),
      (-62_135_596_800, "\"0001-01-01T00:00:00Z\""), (253_402_300_800, "\"10000-01-01T00:00:00Z\""),
    ] as [(Int64, String)])
  func instants(seconds: Int64, expected: String) {
    #expect(text { $0.append(json: Instant(seconds: seconds)) } == expected)
  }

  // MARK: Objects

  private func object(_ members: [(String, String)]) -> String {
    var object = JSONObject()
    for (key, value) in members {
      let bytes = Array(key.utf8)
      object.begin(0..<bytes.count, of: bytes.span)
      object.text.append(contentsOf: value.utf8)
      object.end()
    }
    return text { object.write(into: &$0) }
  }

  @Test func membersAreSortedAndLastOfAKeyCounts() {
    #expect(object([]) == "")
    #expect(
      object([("b", "1"), ("a", "2"), ("ab", "3"), ("B", "4"), ("", "5")]) == #"{"":5,"B":4,"a":2,"ab":3,"b":1}"#)
    #expect(object([("a", "1"), ("b", "2"), ("a", "3")]) == #"{"a":3,"b":2}"#)
    let many = (0..<40).map { ("k\($0 % 7)", "\($0)") }
    #expect(object(many) == #"{"k0":35,"k1":36,"k2":37,"k3":38,"k4":39,"k5":33,"k6":34}"#)
  }

  @Test(
    arguments: [
      ("", "", ""), (#"{"a":1}"#, "", #"{"a":1}"#), ("", #"{"a":1}"#, #"{"a":1}"#),
      (#"{"a":1}"#, #"{"a":1}"#, #"{"a":1}"#),
      (#"{"a":1,"c":3}"#, #"{"b":2,"d":4}"#, #"{"a":1,"b":2,"c":3,"d":4}"#),
      (#"{"a":"x"}"#, #"{"a":"y"}"#, #"{"a":"y"}"#),
      (#"{"a":[2,{"b":",}"}],"z":1}"#, #"{"a":[1]}"#, #"{"a":[2,{"b":",}"}],"z":1}"#),
      (#"{"a\"":"\\"}"#, #"{"a\"":"\\","b":"\","}"#, #"{"a\"":"\\","b":"\","}"#),
      (#"{"a":1}"#, #"{"ab":1}"#, #"{"a":1,"ab":1}"#),
      (#"{"a":9}"#, #"{"a":10}"#, #"{"a":9}"#),
    ])
  func unions(a: String, b: String, expected: String) {
    for (left, right) in [(a, b), (b, a)] {
      let bytes = Array((left + right).utf8)
      let middle = left.utf8.count
      #expect(text { JSONUnion.append(0..<middle, middle..<bytes.count, of: bytes.span, to: &$0) } == expected)
    }
  }
}
