import BoundedQueues
import Foundation

/// Asks a run to stop when the process that started it is gone, SIGKILL included: nobody holds the writing end of the
/// pipe at its standard input any more. (PR_SET_PDEATHSIG would come too late for a parent that died before it was set,
/// and too early when the thread that started the child ended.)
enum ParentWatch {
  /// Set for a process whose standard input is such a pipe.
  static let variable = "HK2PG_ENDS_WITH_PARENT"

  static func begin(_ surroundings: Surroundings, _ interruption: Interruption) {
    if surroundings.variable(variable) == nil { return }
    Thread.detachNewThread {
      var end = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      while unsafe poll(&end, 1, -1) < 0 && errno == EINTR {}
      interruption.request(signal: SIGTERM)
    }
  }
}
