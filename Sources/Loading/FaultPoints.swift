import Foundation

/// Named places where a test makes a load die, to see that running it again mends everything.
///
/// `HK2PG_FAULT=after-chunk-3` ends the process with SIGKILL when that point is reached. Nothing is compared when the
/// variable is not set.
package struct FaultPoints: Sendable {
  private let reached: (@Sendable (String) throws -> Void)?

  /// `reached` is called with the name of every point, and may throw.
  package init(_ reached: (@Sendable (String) throws -> Void)?) { self.reached = reached }

  package static let fromEnvironment: FaultPoints = {
    guard let name = ProcessInfo.processInfo.environment["HK2PG_FAULT"], !name.isEmpty else { return FaultPoints(nil) }
    return FaultPoints { if $0 == name { kill(getpid(), SIGKILL) } }
  }()

  func pass(_ name: @autoclosure () -> String) throws {
    if let reached { try reached(name()) }
  }
}
