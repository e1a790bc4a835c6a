/// What a watch tells, on stderr. Under systemd (JOURNAL_STREAM is set) lines begin with their level, as sd-daemon(3)
/// has it, so that `journalctl -p err` finds failures.
struct WatchLog: Sendable {
  enum Level: Int, Sendable {
    case error = 3
    case warning, notice, info
  }

  var isQuiet = false
  var isJournal = false
  var write: @Sendable (String) -> Void = Console.writeMessage

  func line(_ text: String, _ level: Level = .info) {
    if isQuiet && level.rawValue > Level.warning.rawValue { return }
    write(prefixed("hk2pg: \(text)", level))
  }

  func failure(_ failure: Failure, isDebug: Bool) {
    let text = failure.text(isDebug: isDebug)
    write(text.split(separator: "\n").map { prefixed(String($0), .error) }.joined())
  }

  private func prefixed(_ line: String, _ level: Level) -> String {
    (isJournal ? "<\(level.rawValue)>" : "") + line + "\n"
  }
}
