import Foundation
package import HealthModel

/// Why a zone of the system cannot be used.
package enum SystemZoneError: Error, Equatable, Sendable {
  /// Not a name of the zone database: absolute, with `..`, or with other characters than letters, digits, `_ + - /`.
  case invalidName(String)
  /// No zone database in any of these folders; the package is called tzdata.
  case noDatabase(searched: [String], package: String = "tzdata")
  /// The database in this folder has no such zone.
  case unknownZone(String, folder: String)
  case unreadable(path: String)
  case damaged(path: String, ZoneError)
  /// The machine's zone has no name: `setting` is `TZ` or a file, `value` what it says.
  case machineZoneHasNoName(setting: String, value: String)
}

/// Zones of the machine's zone database (`/usr/share/zoneinfo`, or `TZDIR`).
package struct SystemZones: Sendable {
  private let environment: [String: String]
  private let root: String

  /// - Parameter root: put before the absolute paths of the system, for tests.
  package init(environment: [String: String] = ProcessInfo.processInfo.environment, root: String = "") {
    self.environment = environment
    self.root = root
  }

  package static func load(name: String) throws(SystemZoneError) -> ZoneRules { try SystemZones().load(name: name) }

  /// The zone the machine is set to.
  package static func machineZone() throws(SystemZoneError) -> ZoneRules {
    let zones = SystemZones()
    return try zones.load(name: zones.machineZoneName())
  }

  private var folders: [String] {
    if let folder = environment["TZDIR"], !folder.isEmpty { return [folder] }
    return ["/usr/share/zoneinfo", "/usr/lib/zoneinfo", "/etc/zoneinfo"].map { root + $0 }
  }

  /// - Parameter name: IANA name, for instance `Europe/Berlin`; case matters.
  package func load(name: String) throws(SystemZoneError) -> ZoneRules {
    guard SystemZones.isName(name) else { throw .invalidName(name) }
    let folder = folders.first { SystemZones.isFolder($0) }
    guard let folder else {
      // Needs no database.
      if ["UTC", "Etc/UTC"].contains(name) { return ZoneRules(name: name, offsetSeconds: 0) }
      throw .noDatabase(searched: folders)
    }
    let path = "\(folder)/\(name)"
    guard FileManager.default.fileExists(atPath: path), !SystemZones.isFolder(path) else {
      throw .unknownZone(name, folder: folder)
    }
    guard let data = FileManager.default.contents(atPath: path) else { throw .unreadable(path: path) }
    do {
      return try ZoneRules(name: name, tzif: [UInt8](data))
    } catch .notTZif {
      throw .unknownZone(name, folder: folder)  // zone.tab and other text beside the zones.
    } catch {
      throw .damaged(path: path, error)
    }
  }

  /// Name of the machine's zone: `TZ`, else `/etc/timezone`, else where `/etc/localtime` points; without any, UTC as the
  /// C library has it.
  package func machineZoneName() throws(SystemZoneError) -> String {
    if let value = environment["TZ"] {
      let text = value.hasPrefix(":") ? String(value.dropFirst()) : value
      if text.isEmpty { return "UTC" }
      let name = SystemZones.nameInPath(text) ?? text
      // A rule like CET-1CEST is no name, but passes for one in characters.
      guard SystemZones.isName(name), (try? load(name: name)) != nil else {
        throw .machineZoneHasNoName(setting: "TZ", value: value)
      }
      return name
    }
    if let text = try? String(contentsOfFile: root + "/etc/timezone", encoding: .utf8) {
      let line = text.split(whereSeparator: \.isNewline).map { $0.trimmingCharacters(in: .whitespaces) }
        .first { !$0.isEmpty && !$0.hasPrefix("#") }
      if let line, SystemZones.isName(line) { return line }
    }
    let localtime = root + "/etc/localtime"
    if let target = try? FileManager.default.destinationOfSymbolicLink(atPath: localtime) {
      guard let name = SystemZones.nameInPath(target) else {
        throw .machineZoneHasNoName(setting: "/etc/localtime", value: target)
      }
      return name
    }
    if FileManager.default.fileExists(atPath: localtime) {
      throw .machineZoneHasNoName(setting: "/etc/localtime", value: "")
    }
    return "UTC"
  }

  private static func isFolder(_ path: String) -> Bool {
    // A link to a folder is one.
    let resolved = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
    let type = try? FileManager.default.attributesOfItem(atPath: resolved)[.type] as? FileAttributeType
    return type == .typeDirectory
  }

  /// `../usr/share/zoneinfo/Europe/Berlin` → `Europe/Berlin`.
  private static func nameInPath(_ path: String) -> String? {
    guard let range = path.range(of: "zoneinfo/", options: .backwards) else { return nil }
    let name = String(path[range.upperBound...])
    return isName(name) ? name : nil
  }

  private static func isName(_ name: String) -> Bool {
    guard name.utf8.count <= 255 else { return false }
    return name.split(separator: "/", omittingEmptySubsequences: false).allSatisfy { part in
      !part.isEmpty
        && part.utf8.allSatisfy { byte in
          UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20 || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte
            || "_+-".utf8.contains(byte)
        }
    }
  }
}
