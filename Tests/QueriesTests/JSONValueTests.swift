import Foundation
import TestSupport
import Testing

@testable import Queries

@Suite struct JSONValueTests {
  @Test func membersStandInOrderAndTextIsEscaped() {
    let value: JSONValue = [
      "b": [.null, true, false], "a": ["é": 7, "": -1], "c": .string("\"\\/\n\r\t\u{1}\u{1F} –🏃"), "d": [], "e": [:],
    ]
    #expect(
      value.text
        == #"{"a":{"":-1,"é":7},"b":[null,true,false],"c":"\"\\/\n\r\t\u0001\u001f –🏃","d":[],"e":{}}"#)
  }

  @Test(arguments: [
    (0.0, "0"), (-0.5, "-0.5"), (41.2, "41.2"), (5.886, "5.886"), (1e21, "1e+21"), (1e-7, "1e-07"), (420, "420"),
    (0.1 + 0.2, "0.30000000000000004"), (.infinity, "null"), (.nan, "null"),
  ])
  func numbersAreTheShortestThatReadBack(_ number: Double, _ text: String) {
    #expect(JSONValue.number(number).text == text)
  }

  /// Random values: what is written reads back, with Foundation's reader, too.
  @Test func everyValueReadsBack() throws {
    var random = SplitMix(printing: "everyValueReadsBack")
    for _ in 0..<300 {
      let value = random.value(depth: 4)
      #expect(JSONValue(parsing: Array(value.text.utf8)) == value)
      _ = try JSONSerialization.jsonObject(with: Data(value.text.utf8), options: .fragmentsAllowed)
    }
  }
}

extension SplitMix {
  fileprivate mutating func text() -> String {
    let scalars = (0..<Int.random(in: 0...6, using: &self)).compactMap { _ in
      Unicode.Scalar(UInt32.random(in: 1...0x1F64F, using: &self))
    }
    return String(String.UnicodeScalarView(scalars))
  }

  fileprivate mutating func value(depth: Int) -> JSONValue {
    switch Int.random(in: depth > 0 ? 0...6 : 0...4, using: &self) {
    case 0: .null
    case 1: .bool(Bool.random(using: &self))
    case 2: .int(Int.random(in: -1_000_000...1_000_000, using: &self))
    // Never whole: that would read back as an integer.
    case 3: .number(Double(Int.random(in: -1_000...1_000, using: &self)) + 0.25)
    case 4: .string(text())
    case 5: .array((0..<Int.random(in: 0...4, using: &self)).map { _ in value(depth: depth - 1) })
    default:
      .object(
        (0..<Int.random(in: 0...4, using: &self)).reduce(into: [:]) { members, _ in
          members[text()] = value(depth: depth - 1)
        })
    }
  }
}
