import DailySummaries
import HealthModel

/// The zone whose local days are summed (DESIGN §3.2), and where it was taken from.
struct UserZone: Sendable {
  let rules: ZoneRules
  let origin: Origin

  enum Origin: String, Sendable {
    case option = "--timezone"
    case userSettings = "hk2pg.user_settings"
    case export = "the newest HKTimeZone in the export"
    case machine = "this machine; the export names no zone"
  }

  /// `--timezone` beats the stored setting, which beats the newest HKTimeZone of the export, which beats the machine's.
  ///
  /// A name from the export that this machine's zone database lacks falls through; one the user gave is an error.
  static func resolve(option: String?, stored: String?, facts: ExportFacts) throws -> UserZone {
    if let option { return UserZone(rules: try SystemZones.load(name: option), origin: .option) }
    if let stored { return UserZone(rules: try SystemZones.load(name: stored), origin: .userSettings) }
    if let name = facts.newestZone?.name, let rules = try? SystemZones.load(name: name) {
      return UserZone(rules: rules, origin: .export)
    }
    return UserZone(rules: try SystemZones.machineZone(), origin: .machine)
  }
}
