import Foundation

/// The command line of `hk2pg-bench`.
package enum BenchCommand {
  private static let help = """
    hk2pg-bench: how fast hk2pg is here, each figure beside a floor measured in the same run

    hk2pg-bench [--sizes 0.5GB,1GB] [--growth 0.1GB,2GB] [--tools 2.6GB] [--rounds 3] [--folder DIR] [--json FILE]

      --sizes LIST    exports that every figure is measured with; default 1GB; none: leave that out
      --growth LIST   exports that are only staged and imported, for growth and memory
      --tools SIZE    an export of ten years for the tools of hk2pg mcp; default 2.6GB; none: leave them out
      --rounds N      repetitions, interleaved; medians are shown; default 3
      --folder DIR    exports and work files, about three times the largest size; kept; default a temporary one
      --json FILE     the figures for scripts

    Build it with `swift build -c release`: it runs hk2pg and synth-export from beside itself, and a PostgreSQL of
    its own. Exit code 0: every goal is met; 1: one is missed; 2: wrong usage, or it could not run.
    """

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
    var tools: String? = "2.6GB"
    var rounds = 3
    var folder = FileManager.default.temporaryDirectory.appendingPathComponent("hk2pg-bench")
    var json: String?

    init(_ words: ArraySlice<String>) throws {
      var words = words
      while let word = words.popFirst() {
        if word == "--help" || word == "-h" {
          print(BenchCommand.help)
          exit(0)
        }
        guard let value = words.popFirst() else { throw BenchError("\(word) needs a value") }
        switch word {
        case "--sizes": sizes = value == "none" ? [] : value.split(separator: ",").map(String.init)
        case "--growth": growth = value.split(separator: ",").map(String.init)
        case "--tools": tools = value == "none" ? nil : value
        case "--rounds":
          guard let number = Int(value), number > 0 else { throw BenchError("--rounds needs a number from 1 on") }
          rounds = number
        case "--folder": folder = URL(fileURLWithPath: value)
        case "--json": json = value
        default: throw BenchError("unknown option \(word), see --help")
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
      results.append(try run.run(isFull: isFull))
    }
    let tools = try arguments.tools.map {
      try ToolBench(size: $0, rounds: arguments.rounds, folder: arguments.folder).run()
    }
    let report = BenchReport(
      command: CommandLine.arguments.joined(separator: " "), machine: Machine(postgres: try server.version()),
      results: results, tools: tools)
    print(report.text)
    if let path = arguments.json {
      let encoder = JSONEncoder()
      encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
      try encoder.encode(report).write(to: URL(fileURLWithPath: path))
    }
    return report.isMet
  }
}

enum Log {
  static func line(_ text: String) { FileHandle.standardError.write(Data((text + "\n").utf8)) }
}
