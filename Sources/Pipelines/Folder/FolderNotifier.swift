internal import Foundation
internal import Glibc

/// Wakes when something happens in a folder (inotify). Which file it was does not matter: whoever is woken looks at all
/// of them, so that a lost or doubled event costs nothing.
///
/// Events of other machines on a network file system are never seen here: look now and then in any case.
package final class FolderNotifier {
  package enum Signal: Sendable, Equatable {
    case timeout
    case changed
    /// The folder was removed or renamed: open another notifier when it is there again.
    case folderGone
  }

  package struct Failure: Error, Equatable, Sendable { package var errno: Int32 }

  private let descriptor: Int32

  package init(_ folder: String) throws(Failure) {
    descriptor = inotify_init1(Int32(IN_NONBLOCK) | Int32(IN_CLOEXEC))
    if descriptor < 0 { throw Failure(errno: errno) }
    let mask =
      IN_CLOSE_WRITE | IN_MOVED_TO | IN_MOVED_FROM | IN_CREATE | IN_DELETE | IN_DELETE_SELF | IN_MOVE_SELF | IN_ATTRIB
    if unsafe inotify_add_watch(descriptor, folder, UInt32(mask)) < 0 {
      let code = errno
      close(descriptor)
      throw Failure(errno: code)
    }
  }

  deinit { close(descriptor) }

  /// Waits for an event, at most so long; `isInterrupted` is asked ten times a second and ends the wait as a timeout.
  package func wait(seconds: Double, isInterrupted: () -> Bool) -> Signal {
    let end = DispatchTime.now().uptimeNanoseconds + UInt64(max(0, seconds) * 1e9)
    while !isInterrupted() {
      let now = DispatchTime.now().uptimeNanoseconds
      let left = now >= end ? 0 : (end - now) / 1_000_000
      var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
      let count = unsafe poll(&request, 1, Int32(min(left, 100)))
      if count > 0 { return read() }
      if now >= end { return .timeout }
    }
    return .timeout
  }

  /// All events that are there. An overflowed queue (IN_Q_OVERFLOW) is one more reason to look.
  private func read() -> Signal {
    var signal = Signal.timeout
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = unsafe Glibc.read(descriptor, &buffer, buffer.count)
      if count <= 0 { return signal }
      var position = 0
      // An event: watch (4 bytes), mask (4), cookie (4), length of the name (4), the name.
      while position + 16 <= count {
        let mask = FolderNotifier.number(buffer, position + 4)
        let gone = UInt32(IN_DELETE_SELF | IN_MOVE_SELF | IN_IGNORED | IN_UNMOUNT)
        if mask & gone != 0 { signal = .folderGone } else if signal != .folderGone { signal = .changed }
        position += 16 + Int(FolderNotifier.number(buffer, position + 12))
      }
    }
  }

  private static func number(_ bytes: [UInt8], _ position: Int) -> UInt32 {
    (0..<4).reduce(0) { $0 | UInt32(bytes[position + $1]) << (8 * UInt32($1)) }
  }
}
