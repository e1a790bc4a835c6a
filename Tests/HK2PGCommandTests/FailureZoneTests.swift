import DailySummaries
import HealthModel
import Testing

@testable import HK2PGCommand

@Suite struct FailureZoneTests {
  private static let example = "Name one such as Europe/Berlin with --timezone ZONE."

  @Test(arguments: [
    (SystemZoneError.invalidName("../x"), "“../x” is no name of a time zone", example),
    (
      .noDatabase(searched: ["/a", "/b"]), "this machine has no time zone database (looked in /a, /b)",
      "Install it: apt-get install tzdata"
    ),
    (
      .unknownZone("europe/berlin", folder: "/z"), "there is no time zone “europe/berlin”",
      "Did you mean Europe/Berlin?"
    ),
    (.unknownZone("new york", folder: "/z"), "there is no time zone “new york”", "Did you mean America/New_York?"),
    (.unknownZone("Europe/Berln", folder: "/z"), "there is no time zone “Europe/Berln”", "Did you mean Europe/Berlin?"),
    (.unknownZone("Mars/Crater-Seventeen", folder: "/z"), "there is no time zone “Mars/Crater-Seventeen”", example),
    (.unreadable(path: "/z/X"), "the time zone file /z/X cannot be read", "Check its rights."),
    (
      .damaged(path: "/z/X", .notTZif), "the time zone file /z/X is damaged",
      "Install tzdata anew, or name another zone."
    ),
    (.machineZoneHasNoName(setting: "TZ", value: "CET-1"), "this machine's time zone (TZ) has no name", example),
  ])
  func sentence(_ error: SystemZoneError, _ what: String, _ next: String) {
    let failure = Failure(error)
    #expect(failure.code == .usage)
    #expect(failure.what == what)
    #expect(failure.next == next)
  }
}
