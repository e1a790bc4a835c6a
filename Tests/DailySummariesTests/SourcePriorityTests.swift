import DailySummaries
import Testing

@Suite struct SourcePriorityTests {
  static let steps = "HKQuantityTypeIdentifierStepCount"

  @Test(arguments: [
    ("", [:]),
    ("  ", [:]),
    ("A", ["": ["A"]]),
    ("Anna’s Watch, iPhone ,Scale", ["": ["Anna’s Watch", "iPhone", "Scale"]]),
    (
      "\(steps)=A,B;HKQuantityTypeIdentifierBodyMass=C",
      [steps: ["A", "B"], "HKQuantityTypeIdentifierBodyMass": ["C"]]
    ),
    ("A,B; \(steps) = C", ["": ["A", "B"], steps: ["C"]]),
    (#"Scale\, upstairs,A\=B,C\;D,E\\F"#, ["": ["Scale, upstairs", "A=B", "C;D", #"E\F"#]]),
    ("\(steps)=A=B", [steps: ["A=B"]]),
  ])
  func lists(text: String, expected: [String: [String]]) throws {
    let parsed = try SourcePriority.parse(text)
    #expect(parsed == expected)
    #expect(try SourcePriority.parse(SourcePriority.text(of: parsed)) == expected)
  }

  @Test(arguments: [
    ("A,,B", SourcePriorityError.emptyName(type: "")),
    (",", .emptyName(type: "")),
    ("A;", .emptyName(type: "")),
    ("\(steps)=", .emptyName(type: steps)),
    ("A;B", .doubledType("")),
    ("\(steps)=A;\(steps)=B", .doubledType(steps)),
    ("A,B,A", .doubledSource("A", type: "")),
    ("StepCount=A", .unknownType("StepCount")),
    ("=A", .unknownType("")),
  ])
  func errors(text: String, error: SourcePriorityError) {
    #expect(throws: error) { try SourcePriority.parse(text) }
  }
}
