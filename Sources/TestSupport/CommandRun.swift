import Foundation

/// One run of a real program, with everything it wrote and the most memory it held.
package struct CommandRun: Sendable {
  /// Exit code, or 128 + signal number when a signal ended it.
  package var status: Int32
  package var output: String
  package var errors: String
  /// Maximum resident set of the process, in bytes.
  package var peakMemory: Int

  /// Runs `executable` and waits for it.
  ///
  /// - Parameters:
  ///   - environment: replaces the whole environment when given.
  ///   - input: file to read standard input from; nothing when nil.
  ///   - killAfter: seconds until `signal` is sent, for crash tests; nil never.
  package init(
    _ executable: String, _ arguments: [String], environment: [String: String]? = nil, input: String? = nil,
    killAfter: Double? = nil, signal: Int32 = SIGKILL
  ) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("run-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let outputPath = folder.appendingPathComponent("stdout").path
    let errorsPath = folder.appendingPathComponent("stderr").path

    let child = try CommandRun.spawn(
      [executable] + arguments, environment: environment ?? ProcessInfo.processInfo.environment,
      streams: [(input ?? "/dev/null", O_RDONLY), (outputPath, O_WRONLY | O_CREAT), (errorsPath, O_WRONLY | O_CREAT)])
    let timer = killAfter.map { delay in
      let timer = DispatchSource.makeTimerSource(queue: .global())
      timer.schedule(deadline: .now() + delay)
      timer.setEventHandler { kill(child, signal) }
      timer.resume()
      return timer
    }
    var waitStatus: Int32 = 0
    var usage = rusage()
    while unsafe wait4(child, &waitStatus, 0, &usage) < 0 && errno == EINTR {}
    timer?.cancel()

    let endedBySignal = waitStatus & 0x7f
    status = endedBySignal == 0 ? waitStatus >> 8 & 0xff : 128 + endedBySignal
    output = String(decoding: try Data(contentsOf: URL(fileURLWithPath: outputPath)), as: UTF8.self)
    errors = String(decoding: try Data(contentsOf: URL(fileURLWithPath: errorsPath)), as: UTF8.self)
    peakMemory = usage.ru_maxrss * 1024
  }

  private static func spawn(
    _ command: [String], environment: [String: String], streams: [(path: String, flags: Int32)]
  ) throws -> pid_t {
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    for (descriptor, stream) in streams.enumerated() {
      _ = unsafe posix_spawn_file_actions_addopen(&actions, Int32(descriptor), stream.path, stream.flags, 0o600)
    }
    var child: pid_t = 0
    // C wants null-terminated arrays of C strings; they live until posix_spawn returns.
    var arguments = unsafe command.map { unsafe strdup($0) } + [nil]
    var variables = unsafe environment.map { unsafe strdup("\($0.key)=\($0.value)") } + [nil]
    defer {
      for index in unsafe arguments.indices { unsafe free(arguments[index]) }
      for index in unsafe variables.indices { unsafe free(variables[index]) }
    }
    let code = unsafe posix_spawn(&child, command[0], &actions, nil, &arguments, &variables)
    guard code == 0 else { throw POSIXError(POSIXErrorCode(rawValue: code) ?? .EIO) }
    return child
  }
}
