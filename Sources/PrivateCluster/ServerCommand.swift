internal import BoundedQueues
internal import Foundation

/// One program of the server run to its end, as another operating system user if need be.
///
/// It is started with posix_spawn, not with Foundation's Process: that notices an exit by the closing of a socket, which
/// a server started in the background inherits and keeps open.
package struct ServerCommand {
  package struct Outcome: Sendable {
    package let status: Int32
    /// Standard output and error together.
    package let output: String
  }

  /// PostgreSQL refuses to run as root; Debian's and Ubuntu's packages bring this user.
  package static let serverUser = "postgres"

  private let arguments: [String]

  /// `arguments` begins with the program's path. With `user` it runs as that user, which only root may ask for.
  package init(_ arguments: [String], as user: String? = nil) {
    self.arguments = (user.map { ServerCommand.prefix(for: $0) } ?? []) + arguments
  }

  /// setpriv becomes the program, where runuser and su stay as its parents.
  package static func prefix(for user: String) -> [String] {
    let entry = unsafe getpwnam(user)
    let userID = unsafe entry.map { unsafe String($0.pointee.pw_uid) } ?? user
    let groupID = unsafe entry.map { unsafe String($0.pointee.pw_gid) } ?? user
    return ["/usr/bin/setpriv", "--reuid=\(userID)", "--regid=\(groupID)", "--init-groups", "--"]
  }

  /// Runs in `/` (a folder that every user may enter), with a plain locale and without the caller's PG* variables.
  package func run() throws(ClusterError) -> Outcome {
    let ends = try SpawnedProcess.pipe()
    defer { close(ends.reading) }
    let child: Int32
    do {
      defer { close(ends.writing) }
      child = try SpawnedProcess.start(arguments, input: nil, output: ends.writing)
    }
    let output = ServerCommand.readToEnd(ends.reading)
    return Outcome(status: SpawnedProcess.wait(child), output: output)
  }

  /// Starts it without waiting for its end.
  package func start(output: Int32?) throws(ClusterError) -> Int32 {
    try SpawnedProcess.start(arguments, input: nil, output: output)
  }

  private static func readToEnd(_ descriptor: Int32) -> String {
    var output: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: 4096)
    while true {
      let count = unsafe read(descriptor, &buffer, buffer.count)
      if count < 0 && errno == EINTR { continue }
      if count <= 0 { return String(decoding: output, as: UTF8.self) }
      output += buffer[..<count]
    }
  }
}

/// Starting a program with exactly the descriptors it is meant to have, in a session of its own: Ctrl-C at the terminal
/// is for hk2pg, not for its server.
package enum SpawnedProcess {
  /// POSIX_SPAWN_SETSID, which the headers show to GNU sources only.
  private static let newSession: Int16 = 0x80

  /// Held while a pipe is made and while a program is started, so that no child gets the end of somebody else's pipe.
  private static let lock = Guarded(())

  /// Two descriptors that children do not inherit.
  package static func pipe() throws(ClusterError) -> (reading: Int32, writing: Int32) {
    var ends: [Int32] = [-1, -1]
    let status = lock.withLock { _ in
      let status = unsafe Foundation.pipe(&ends)
      for end in ends where status == 0 { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
      return status
    }
    if status != 0 { throw .commandMissing(program: "pipe") }
    return (ends[0], ends[1])
  }

  /// Starts a program of the server: in `/`, with errors where output goes, without the caller's PG* variables.
  package static func start(_ arguments: [String], input: Int32?, output: Int32?) throws(ClusterError) -> Int32 {
    try start(
      arguments, input: input, output: output, errors: output, folder: "/", environment: environment)
  }

  /// Starts a program; nil descriptors are /dev/null, without `folder` it works in this one. Returns the process number,
  /// for `wait`.
  package static func start(
    _ arguments: [String], input: Int32?, output: Int32?, errors: Int32?, folder: String?,
    environment variables: [String: String]
  ) throws(ClusterError) -> Int32 {
    guard FileManager.default.isExecutableFile(atPath: arguments[0]) else {
      throw .commandMissing(program: arguments[0])
    }
    var actions = unsafe posix_spawn_file_actions_t()
    unsafe posix_spawn_file_actions_init(&actions)
    defer { unsafe posix_spawn_file_actions_destroy(&actions) }
    var attributes = posix_spawnattr_t()
    unsafe posix_spawnattr_init(&attributes)
    defer { unsafe posix_spawnattr_destroy(&attributes) }
    unsafe resetSignals(&attributes)
    for (descriptor, source) in [(0, input), (1, output), (2, errors)] as [(Int32, Int32?)] {
      if let source {
        unsafe posix_spawn_file_actions_adddup2(&actions, source, descriptor)
      } else {
        unsafe posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
      }
    }
    var child: pid_t = 0
    let words = (folder.map { ["/usr/bin/env", "-C", $0] } ?? []) + arguments
    let status = unsafe withCStrings(words) { arguments in
      unsafe withCStrings(variables.map { "\($0.key)=\($0.value)" }) { environment in
        lock.withLock { _ in unsafe posix_spawn(&child, arguments[0]!, &actions, &attributes, arguments, environment) }
      }
    }
    if status != 0 { throw .commandMissing(program: arguments[0]) }
    return child
  }

  /// Children inherit blocked signals (Dispatch's threads block all of them) and ignored ones (hk2pg ignores SIGINT to
  /// handle it its own way): a server started so could not be stopped.
  @unsafe private static func resetSignals(_ attributes: inout posix_spawnattr_t) {
    var signals = sigset_t()
    unsafe sigemptyset(&signals)
    unsafe posix_spawnattr_setsigmask(&attributes, &signals)
    unsafe sigfillset(&signals)
    unsafe posix_spawnattr_setsigdefault(&attributes, &signals)
    unsafe posix_spawnattr_setflags(
      &attributes, newSession | Int16(POSIX_SPAWN_SETSIGMASK) | Int16(POSIX_SPAWN_SETSIGDEF))
  }

  /// Exit status of a started program; 128 + signal when one ended it.
  package static func wait(_ child: Int32) -> Int32 {
    var status: Int32 = 0
    while unsafe waitpid(child, &status, 0) < 0 && errno == EINTR {}
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
  }

  /// Takes note of the end of a program that may outlive this process, so that it does not stay behind as a zombie.
  package static func forget(_ child: Int32) {
    Thread.detachNewThread { _ = wait(child) }
  }

  /// What `wait` gives, or nil while it runs.
  package static func exitStatus(_ child: Int32) -> Int32? {
    var status: Int32 = 0
    guard unsafe waitpid(child, &status, WNOHANG) == child else { return nil }
    let signal = status & 0x7f
    return signal == 0 ? (status >> 8) & 0xff : 128 + signal
  }

  /// Puts a program in place of this process, with its terminal and its environment. Returns only if that fails.
  package static func replaceSelf(with arguments: [String]) -> ClusterError {
    _ = unsafe withCStrings(arguments) { arguments in unsafe execv(arguments[0]!, arguments) }
    return .commandMissing(program: arguments.first ?? "")
  }

  private static var environment: [String: String] {
    var variables = ProcessInfo.processInfo.environment.filter { !$0.key.hasPrefix("PG") }
    variables["LC_ALL"] = "C.UTF-8"
    return variables
  }

  /// An array of C strings that ends with NULL.
  @unsafe private static func withCStrings<R>(
    _ strings: [String], _ body: (UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>) -> R
  ) -> R {
    var copies = unsafe strings.map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe copies.indices { unsafe free(copies[index]) } }
    return unsafe copies.withUnsafeMutableBufferPointer { unsafe body($0.baseAddress!) }
  }
}
