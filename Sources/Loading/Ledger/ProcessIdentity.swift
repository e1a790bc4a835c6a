import Foundation

/// Which process this is, such that another one on the same machine can tell whether it still lives.
struct ProcessIdentity: Sendable, Equatable {
  /// Name, boot and process namespace of the machine: only then do equal process ids mean equal processes.
  var host: String
  var processID: Int
  /// Clock ticks from boot to the process's start: process ids are used again.
  var start: String

  static let current = ProcessIdentity(
    host: hostIdentity, processID: Int(getpid()), start: status(of: Int(getpid()))?.start ?? "")

  /// Certainly dead: on this machine, and gone, a zombie, or replaced by a later process of that id. A process of
  /// another machine is never certainly dead.
  var isDead: Bool {
    guard host == ProcessIdentity.hostIdentity, let id = pid_t(exactly: processID) else { return false }
    if kill(id, 0) != 0 { return errno == ESRCH }
    guard let status = ProcessIdentity.status(of: processID) else { return false }
    return status.isZombie || (!start.isEmpty && status.start != start)
  }

  private static let hostIdentity: String = {
    let boot = (try? String(contentsOfFile: "/proc/sys/kernel/random/boot_id", encoding: .utf8)) ?? ""
    let namespace = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/ns/pid")) ?? ""
    let parts = [ProcessInfo.processInfo.hostName, boot.trimmingCharacters(in: .whitespacesAndNewlines), namespace]
    return parts.joined(separator: " ")
  }()

  /// From `/proc/PID/stat`: `4711 (name, perhaps with ) in it) S 1 …`, the state after the last parenthesis, the start
  /// 19 fields later.
  private static func status(of processID: Int) -> (isZombie: Bool, start: String)? {
    guard
      let text = try? String(contentsOfFile: "/proc/\(processID)/stat", encoding: .utf8),
      let end = text.lastIndex(of: ")")
    else { return nil }
    let fields = text[text.index(after: end)...].split(separator: " ")
    guard fields.count > 19 else { return nil }
    return (["Z", "X"].contains(fields[0]), String(fields[19]))
  }
}
