import DailySummaries
import Foundation
import HealthModel
import Testing

@Suite struct SystemZonesTests {
  /// A made-up root folder; removed at the end.
  static func withRoot(_ body: (String) throws -> Void) throws {
    let root = FileManager.default.temporaryDirectory.appendingPathComponent("hk2pg-zones-\(UUID().uuidString)").path
    for folder in ["/etc", "/usr/share/zoneinfo/Europe"] {
      try FileManager.default.createDirectory(atPath: root + folder, withIntermediateDirectories: true)
    }
    defer { try? FileManager.default.removeItem(atPath: root) }
    try FileManager.default.copyItem(
      atPath: "/usr/share/zoneinfo/Europe/Berlin", toPath: root + "/usr/share/zoneinfo/Europe/Berlin")
    try body(root)
  }

  @Test func loadsByName() throws {
    let rules = try SystemZones.load(name: "Asia/Kathmandu")
    #expect(rules.name == "Asia/Kathmandu")
    #expect(rules.offsetSeconds(at: Instant(seconds: 1_700_000_000)) == 20_700)
    #expect(try SystemZones.load(name: "Etc/GMT+5").offsetSeconds(at: Instant(seconds: 0)) == -18_000)
  }

  @Test(arguments: [
    "", "/etc/passwd", "../etc/passwd", "Europe/../../x", "Europe//Berlin", "Europe/Berlin ", "Ä", "a.b",
  ])
  func refusesNamesThatAreNone(name: String) {
    #expect(throws: SystemZoneError.invalidName(name)) { try SystemZones.load(name: name) }
  }

  @Test func tellsWhatIsMissing() throws {
    let zones = SystemZones(environment: ["TZDIR": "/nonexistent/zoneinfo"])
    #expect(throws: SystemZoneError.noDatabase(searched: ["/nonexistent/zoneinfo"], package: "tzdata")) {
      try zones.load(name: "Europe/Berlin")
    }
    // UTC needs no rules.
    #expect(try zones.load(name: "UTC").offsetSeconds(at: Instant(seconds: 0)) == 0)
    try Self.withRoot { root in
      let folder = root + "/usr/share/zoneinfo"
      let zones = SystemZones(environment: [:], root: root)
      #expect(try zones.load(name: "Europe/Berlin").offsetSeconds(at: Instant(seconds: 0)) == 3600)
      #expect(throws: SystemZoneError.unknownZone("Europe/Paris", folder: folder)) {
        try zones.load(name: "Europe/Paris")
      }
      #expect(throws: SystemZoneError.unknownZone("Europe", folder: folder)) { try zones.load(name: "Europe") }
      try Data("text".utf8).write(to: URL(fileURLWithPath: folder + "/Europe/Rome"))
      #expect(throws: SystemZoneError.unknownZone("Europe/Rome", folder: folder)) {
        try zones.load(name: "Europe/Rome")
      }
      try Data("TZif2".utf8).write(to: URL(fileURLWithPath: folder + "/Europe/Rome"))
      #expect(throws: SystemZoneError.damaged(path: folder + "/Europe/Rome", .truncated(byteOffset: 5))) {
        try zones.load(name: "Europe/Rome")
      }
    }
  }

  @Test(arguments: [
    ("Europe/Berlin", "Europe/Berlin"), (":Europe/Berlin", "Europe/Berlin"),
    ("/usr/share/zoneinfo/Europe/Berlin", "Europe/Berlin"), ("", "UTC"),
  ])
  func machineZoneFromTZ(value: String, name: String) throws {
    try Self.withRoot { root in
      let found = try SystemZones(environment: ["TZ": value], root: root).machineZoneName()
      #expect(found == name)
    }
  }

  @Test(arguments: ["CET-1CEST", "CET-1CEST,M3.5.0,M10.5.0/3", "Europe/Nowhere", "/tmp/x"])
  func rulesInTZHaveNoName(value: String) throws {
    try Self.withRoot { root in
      #expect(throws: SystemZoneError.machineZoneHasNoName(setting: "TZ", value: value)) {
        try SystemZones(environment: ["TZ": value], root: root).machineZoneName()
      }
    }
  }

  @Test func machineZoneFromFiles() throws {
    try Self.withRoot { root in
      let zones = SystemZones(environment: [:], root: root)
      #expect(try zones.machineZoneName() == "UTC")
      let localtime = root + "/etc/localtime"
      try FileManager.default.createSymbolicLink(
        atPath: localtime, withDestinationPath: "../usr/share/zoneinfo/America/Argentina/Salta")
      #expect(try zones.machineZoneName() == "America/Argentina/Salta")
      try Data("# written by hand\n\n Europe/Berlin \n".utf8).write(to: URL(fileURLWithPath: root + "/etc/timezone"))
      #expect(try zones.machineZoneName() == "Europe/Berlin")
      try FileManager.default.removeItem(atPath: root + "/etc/timezone")
      try FileManager.default.removeItem(atPath: localtime)
      try Data("TZif".utf8).write(to: URL(fileURLWithPath: localtime))
      #expect(throws: SystemZoneError.machineZoneHasNoName(setting: "/etc/localtime", value: "")) {
        try zones.machineZoneName()
      }
    }
  }
}
