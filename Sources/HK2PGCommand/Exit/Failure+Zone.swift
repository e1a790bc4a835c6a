import DailySummaries
import Foundation
import HealthModel

extension Failure {
  init(zone error: SystemZoneError) {
    let example = "Name one such as Europe/Berlin with --timezone ZONE."
    switch error {
    case .invalidName(let name):
      self.init(.usage, "“\(name.shown())” is no name of a time zone", next: example)
    case .noDatabase(let searched, let package):
      self.init(
        .usage, "this machine has no time zone database (looked in \(searched.joined(separator: ", ")))",
        next: "Install it: apt-get install \(package)")
    case .unknownZone(let name, _):
      let near = Failure.nearestZone(name)
      self.init(
        .usage, "there is no time zone “\(name.shown())”", next: near.map { "Did you mean \($0)?" } ?? example)
    case .unreadable(let path):
      self.init(.usage, "the time zone file \(path) cannot be read", next: "Check its rights.")
    case .damaged(let path, let reason):
      self.init(
        .usage, "the time zone file \(path) is damaged", next: "Install tzdata anew, or name another zone.",
        detail: "\(reason)")
    case .machineZoneHasNoName(let setting, _):
      self.init(.usage, "this machine's time zone (\(setting)) has no name", next: example)
    }
  }

  /// `berlin` and `europe/berlin` are Europe/Berlin.
  private static func nearestZone(_ name: String) -> String? {
    let typed = name.lowercased().replacing(" ", with: "_")
    let zones = TimeZone.knownTimeZoneIdentifiers
    return zones.first { $0.lowercased() == typed } ?? zones.first { $0.lowercased().hasSuffix("/" + typed) }
      ?? NearestWord.of(name, among: zones)
  }
}
