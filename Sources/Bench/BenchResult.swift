import Foundation

/// Figures of one size.
struct BenchResult: Codable, Sendable {
  var size: String
  var samples: Int
  var measurements: [Measurement]
  var goals: [Goal]

  func secondsPerSample(_ name: String) -> Double? {
    measurements.first { $0.name == name }.map { $0.median / Double(max(1, samples)) }
  }

  /// For people.
  var table: String {
    var lines = ["", "\(size): \(samples) rows"]
    for measurement in measurements {
      let memory = measurement.peakMemory > 0 ? "  \(measurement.peakMemory / 1_048_576) MB" : ""
      let all = measurement.seconds.map(FigureText.number).joined(separator: ", ")
      lines.append(
        "  \(FigureText.padded(measurement.name, 36)) \(FigureText.number(measurement.median)) s  (\(all))\(memory)")
    }
    lines += goals.map(\.line)
    return lines.joined(separator: "\n")
  }
}

/// All that one run of the bench found.
struct BenchReport: Codable, Sendable {
  var command: String
  var machine: Machine
  var results: [BenchResult]
  var growth: [Goal]
  /// nil: the tools were left out.
  var tools: ToolResult?

  init(command: String, machine: Machine, results: [BenchResult], tools: ToolResult? = nil) {
    self.command = command
    self.machine = machine
    self.results = results
    self.tools = tools
    growth = BenchReport.growth(results)
  }

  var isMet: Bool { (results.flatMap(\.goals) + growth + (tools?.goals ?? [])).allSatisfy(\.isMet) }

  /// "Time linear in input" (DESIGN §8): seconds per sample at the largest size against the smallest of half a million
  /// samples or more. Below that, the fixed costs of a run would flatter the large sizes.
  private static func growth(_ results: [BenchResult]) -> [Goal] {
    let sized = results.filter { $0.samples >= 500_000 }.sorted { $0.samples < $1.samples }
    guard let small = sized.first, let large = sized.last, large.samples > small.samples else { return [] }
    return [FigureName.stageXML, FigureName.importEmpty].compactMap { name in
      guard let a = small.secondsPerSample(name), let b = large.secondsPerSample(name) else { return nil }
      return Goal(
        figure: "\(name), time per sample at \(large.size) / at \(small.size)", measured: b / a, limit: 1.25, unit: "×")
    }
  }

  /// For people.
  var text: String {
    var lines = [machine.description] + results.map(\.table)
    if !growth.isEmpty { lines += ["", "Growth"] + growth.map(\.line) }
    if let tools { lines.append(tools.table) }
    return (lines + ["", "Repeat with: \(command)"]).joined(separator: "\n")
  }
}

/// Where the figures were measured.
struct Machine: Codable, Sendable, CustomStringConvertible {
  var processor: String
  var cores: Int
  var memoryGB: Int
  var postgres: String

  init(postgres: String) {
    self.postgres = postgres
    let facts = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let line = facts.split(separator: "\n").first { $0.hasPrefix("model name") }
    processor = line.flatMap { $0.split(separator: ":").last }.map { $0.trimmingCharacters(in: .whitespaces) } ?? "?"
    cores = ProcessInfo.processInfo.activeProcessorCount
    memoryGB = Int((Double(ProcessInfo.processInfo.physicalMemory) / 1e9).rounded())
  }

  var description: String { "\(cores) cores of \(processor), \(memoryGB) GB, PostgreSQL \(postgres)" }
}
