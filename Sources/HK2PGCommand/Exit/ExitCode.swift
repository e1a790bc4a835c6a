/// How a run ended, for scripts (DESIGN §6). The meaning is printed in help.
enum ExitCode: Int32, CaseIterable, Sendable {
  case done = 0
  case failed = 1
  case usage = 2
  case doneWithRejects = 3
  case refused = 4
  case busy = 5
  case interrupted = 130
  case terminated = 143

  var meaning: String {
    switch self {
    case .done: "done; repairs of known damage included"
    case .failed: "failed, the tables are as before: a damaged file, a full disk …; verify: sides differ"
    case .usage: "wrong usage or configuration, or a path that does not exist"
    case .doneWithRejects: "done, but with rejected samples or with what --salvage left out"
    case .refused: "refused by the database: connection, rights, read-only, foreign table shape"
    case .busy: "the same pipeline is running already; nothing was done"
    case .interrupted: "interrupted by SIGINT (Ctrl-C); safe to run again"
    case .terminated: "ended by SIGTERM; safe to run again"
    }
  }

  /// 128 + signal, as shells do.
  static func signal(_ number: Int32) -> ExitCode { number == 15 ? .terminated : .interrupted }
}
