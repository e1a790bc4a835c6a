internal import Foundation

/// Held while the cluster is made, started or stopped, so that two runs of hk2pg do not both do it. The kernel releases
/// it when its holder dies; the server does not inherit it.
struct ClusterLock: ~Copyable {
  private let descriptor: Int32

  /// Waits until the lock is free.
  init(_ path: String, isInterrupted: () -> Bool) throws(ClusterError) {
    descriptor = unsafe open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
    if descriptor < 0 { throw FileFailure(errno).error(path: path, user: NSUserName()) }
    while flock(descriptor, LOCK_EX | LOCK_NB) != 0 {
      let reason = errno
      if reason != EWOULDBLOCK && reason != EINTR {
        close(descriptor)
        throw FileFailure(reason).error(path: path, user: NSUserName())
      }
      if isInterrupted() {
        close(descriptor)
        throw .interrupted
      }
      usleep(50_000)
    }
  }

  deinit { close(descriptor) }
}

/// An errno of a file operation as the error that the user can act on.
struct FileFailure {
  private let code: Int32
  init(_ code: Int32) { self.code = code }

  func error(path: String, user: String) -> ClusterError {
    switch code {
    case ENOSPC, EDQUOT: .diskFull(path: path)
    case EACCES, EPERM, EROFS: .notPermitted(path: path, user: user)
    default: .failed(program: "hk2pg", output: "\(path): \(unsafe String(cString: strerror(code)))", log: nil)
    }
  }
}
