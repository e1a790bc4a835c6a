import Foundation

/// What the process finds around it, as plain values, so that settings can be tested without a machine.
struct Surroundings: Sendable {
  var variables: [String: String]
  var coreCount: Int
  var homeFolder: String
  var isOutputTerminal = false
  var isErrorTerminal = false

  /// An empty variable counts as not set.
  func variable(_ name: String) -> String? {
    guard let value = variables[name], !value.isEmpty else { return nil }
    return value
  }

  /// `$XDG_CONFIG_HOME/hk2pg`; the XDG rules say that a relative path there does not count.
  var configurationFolder: String { xdgFolder("XDG_CONFIG_HOME", else: ".config") }

  /// `$XDG_STATE_HOME/hk2pg`: locks and what pipelines remember.
  var stateFolder: String { xdgFolder("XDG_STATE_HOME", else: ".local/state") }

  private func xdgFolder(_ name: String, else fallback: String) -> String {
    if let path = variable(name), path.hasPrefix("/") { return path + "/hk2pg" }
    return homeFolder + "/" + fallback + "/hk2pg"
  }

  /// Colour where it can be seen and is not refused (https://no-color.org).
  var wantsColour: Bool { isOutputTerminal && variable("NO_COLOR") == nil && variable("TERM") != "dumb" }

  static func ofThisProcess() -> Surroundings {
    let variables = ProcessInfo.processInfo.environment
    let home = variables["HOME"].flatMap { $0.isEmpty ? nil : $0 } ?? NSHomeDirectory()
    return Surroundings(
      variables: variables, coreCount: ProcessInfo.processInfo.activeProcessorCount, homeFolder: home,
      isOutputTerminal: isatty(STDOUT_FILENO) == 1, isErrorTerminal: isatty(STDERR_FILENO) == 1)
  }
}
