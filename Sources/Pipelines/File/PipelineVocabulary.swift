/// Which steps and keys there are. It comes from the commands and options of hk2pg, so that a step can do exactly what
/// its command can, under the same names.
package struct PipelineVocabulary: Sendable {
  package enum Kind: Sendable, Equatable {
    /// true or false.
    case flag
    /// A whole number, or text that holds one.
    case number
    case text
    /// Text; `~/` is the home folder.
    case path
    /// A list of source names, or an object of such lists by metric type.
    case ranks

    package var words: String {
      switch self {
      case .flag: "true or false"
      case .number: "a whole number"
      case .text: "text in quotes"
      case .path: "a path in quotes"
      case .ranks: "a list of source names, or an object with one per metric type (“all” for the others)"
      }
    }
  }

  package struct Step: Sendable {
    /// Key to kind: `raw_window`.
    package var options: [String: Kind]
    /// What the command works on is named by this key of the step; nil where there is nothing to name. A step that reads
    /// the pipeline's export may name something else by it.
    package var argument: String?
    package var readsExport: Bool

    package init(options: [String: Kind], argument: String? = nil, readsExport: Bool = false) {
      self.options = options
      self.argument = argument
      self.readsExport = readsExport
    }
  }

  package var steps: [String: Step]
  /// Options of steps that hold for one step only: they may stand in a step, not above all of them.
  package var stepOnly: Set<String>
  /// Is there a password in this text?
  package var holdsSecret: @Sendable (String) -> Bool

  package init(steps: [String: Step], stepOnly: Set<String>, holdsSecret: @escaping @Sendable (String) -> Bool) {
    self.steps = steps
    self.stepOnly = stepOnly
    self.holdsSecret = holdsSecret
  }

  /// Keys of the pipeline itself.
  static let ownKeys: [String: Kind] = [
    "export": .path, "folder": .path, "exports": .path, "report": .path, "settle_seconds": .number,
    "give_up_seconds": .number, "poll_seconds": .number, "retry_seconds": .number,
  ]

  /// Keys that any of these steps understands from above.
  func sharedKeys(of names: some Sequence<String>) -> [String: Kind] {
    var result: [String: Kind] = [:]
    for name in names {
      for (key, kind) in steps[name]?.options ?? [:] where !stepOnly.contains(key) { result[key] = kind }
    }
    return result
  }
}
