/// How fast one call was answered.
struct ToolAnswer: Codable, Sendable {
  var call: String
  /// The first call of a program that has just started: it connects, and learns the tables.
  var first = Measurement(name: "first call")
  var later = Measurement(name: "later call")
  /// Of the last answer.
  var byteCount = 0

  init(call: String) { self.call = call }
}

/// Figures of all tools.
struct ToolResult: Codable, Sendable {
  /// Seconds that an answer may take.
  static let limit = 0.2

  var size: String
  var samples: Int
  var connect = Measurement(name: "connect and SELECT 1")
  var roundTrip = Measurement(name: "SELECT 1")
  var scan = Measurement(name: "ten years of one metric's summaries, bare SELECT")
  var answers: [ToolAnswer]

  init(size: String, samples: Int, answers: [ToolAnswer]) {
    self.size = size
    self.samples = samples
    self.answers = answers
  }

  /// Each call's median against the limit, the first call as well as later ones.
  var goals: [Goal] {
    answers.flatMap { answer in
      [answer.first, answer.later].map {
        Goal(figure: "\(answer.call), \($0.name)", measured: $0.median, limit: ToolResult.limit, unit: "s")
      }
    }
  }

  /// For people, in milliseconds.
  var table: String {
    func milliseconds(_ measurement: Measurement) -> String {
      FigureText.aligned(measurement.median * 1000, 8)
    }
    var lines = [
      "", "Tools of hk2pg mcp on the private cluster, \(samples) rows, ten years; medians in milliseconds", "",
      "            first   later      kB",
    ]
    lines += answers.map { answer in
      let isMet = max(answer.first.median, answer.later.median) <= ToolResult.limit
      return "  \(isMet ? "met   " : "MISSED") \(milliseconds(answer.first))\(milliseconds(answer.later))"
        + "\(FigureText.aligned(Double(answer.byteCount) / 1000, 8))  \(answer.call)"
    }
    lines += [connect, roundTrip, scan].map { "  floor  \(milliseconds($0))                  \($0.name)" }
    return lines.joined(separator: "\n")
  }
}
