import Foundation

/// `hk2pg-bench [--sizes 0.5GB,1GB] [--growth 0.1GB,2GB] [--rounds 3] [--folder DIR] [--json FILE]`.
package enum BenchCommand {
  /// Never returns; exit code 1 when a goal is missed, 2 for wrong usage.
  package static func main() -> Never {
    do {
      let arguments = try Arguments(CommandLine.arguments.dropFirst())
      exit(try run(arguments) ? 0 : 1)
    } catch {
      Log.line("hk2pg-bench: \(error)")
      exit(2)
    }
  }

  private struct Arguments {
    var sizes = ["1GB"]
    var growth: [String] = []
    var rounds = 3
    var folder = FileManager.default.temporaryDirectory.appendingPathComponent("hk2pg-bench")
    var json: String?

    init(_ words: ArraySlice<String>) throws {
      var words = words
      while let word = words.popFirst() {
        guard let value = words.popFirst() else { throw BenchError("\(word) needs a value") }
        switch word {
        case "--sizes": sizes = value.split(separator: ",").map(String.init)
        case "--growth": growth = value.split(separator: ",").map(String.init)
        case "--rounds": rounds = max(1, Int(value) ?? 3)
        case "--folder": folder = URL(fileURLWithPath: value)
        case "--json": json = value
        default: throw BenchError("unknown option \(word)")
        }
      }
    }
  }

  private static func run(_ arguments: Arguments) throws -> Bool {
    try FileManager.default.createDirectory(at: arguments.folder, withIntermediateDirectories: true)
    let server = try BenchServer(folder: arguments.folder)
    defer { server.stop() }
    var results: [BenchResult] = []
    for (size, isFull) in arguments.sizes.map({ ($0, true) }) + arguments.growth.map({ ($0, false) }) {
      var run = BenchRun(size: size, rounds: arguments.rounds, folder: arguments.folder, server: server)
      let result = try run.run(isFull: isFull)
      print(result.table)
      results.append(result)
    }
    if let path = arguments.json {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
      try encoder.encode(results).write(to: URL(fileURLWithPath: path))
    }
    print("Repeat with: \(CommandLine.arguments.joined(separator: " "))")
    return results.allSatisfy { $0.goals.allSatisfy(\.isMet) }
  }
}

/// Figures of one size.
struct BenchResult: Codable, Sendable {
  var size: String
  var samples: Int
  var measurements: [Measurement]
  var goals: [Goal]

  /// For people.
  var table: String {
    func padded(_ text: String, _ width: Int) -> String {
      text + String(repeating: " ", count: max(0, width - text.count))
    }
    func number(_ value: Double) -> String { String(format: value >= 1000 ? "%.0f" : "%.2f", value) }
    var lines = ["", "\(size): \(samples) rows"]
    for measurement in measurements {
      let memory = measurement.peakMemory > 0 ? "  \(measurement.peakMemory / 1_048_576) MB" : ""
      let all = measurement.seconds.map(number).joined(separator: ", ")
      lines.append("  \(padded(measurement.name, 36)) \(number(measurement.median)) s  (\(all))\(memory)")
    }
    for goal in goals {
      let bound = "\(goal.isAtLeast ? "at least" : "at most") \(number(goal.limit))"
      lines.append(
        "  \(goal.isMet ? "met   " : "MISSED") \(padded(goal.figure, 36)) \(number(goal.measured)) \(goal.unit) (\(bound))"
      )
    }
    return lines.joined(separator: "\n")
  }
}

enum Log {
  static func line(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}
