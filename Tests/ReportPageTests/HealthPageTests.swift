import Foundation
import HealthModel
import Testing

@testable import Queries
@testable import ReportPage

@Suite struct HealthPageTests {
  private static let hostile = "</script><script>alert(1)</script><!--<b>\u{2028}\"\\&"

  private func facts() throws -> PageFacts {
    let moment = PageMoment(Instant(seconds: 1_717_408_800), .utc)
    var facts = PageFacts(
      user: Self.hostile, zone: "UTC", today: moment.day, writtenAt: moment, newestExport: nil, version: "1.2.3")
    facts.sources = [
      PageSource(StoredSource(name: Self.hostile, deviceClass: .watch, days: nil, sampleCount: 7))
    ]
    return facts
  }

  @Test func textOfTheDatabaseEndsNoElement() throws {
    let page = String(decoding: try HealthPage.html(facts(), nonce: "n0nce"), as: UTF8.self)
    // The JSON and the program: two elements begin, two end.
    #expect(page.components(separatedBy: "</script").count == 3)
    #expect(page.components(separatedBy: "<script").count == 3)
    #expect(!page.contains("<!--") && !page.contains("<b>"))
    // Read back, it is what it was.
    let start = try #require(page.range(of: #"type="application/json" nonce="n0nce">"#)).upperBound
    let end = try #require(page.range(of: "</script>", range: start..<page.endIndex)).lowerBound
    let json = try JSONSerialization.jsonObject(with: Data(page[start..<end].utf8)) as? [String: Any]
    #expect(json?["user"] as? String == Self.hostile)
    #expect((json?["sources"] as? [[String: Any]])?.first?["name"] as? String == Self.hostile)
  }

  @Test func thePageIsWholeAndAsksForNothing() throws {
    let page = String(decoding: try HealthPage.html(facts(), nonce: "n0nce"), as: UTF8.self)
    #expect(page.hasPrefix("<!DOCTYPE html>") && page.hasSuffix("</html>\n"))
    #expect(!page.contains("{{") && !page.contains("}}"))
    #expect(page.contains("default-src 'none'"))
    #expect(page.components(separatedBy: "n0nce").count == 6)
    // Namespaces are names, not addresses that anything fetches.
    let addresses = page.components(separatedBy: "://").count - 1
    #expect(addresses == page.components(separatedBy: "http://www.w3.org/2000/svg").count - 1)
    #expect(!page.contains("src=") && !page.contains("@import") && !page.contains("url("))
  }

  @Test func noncesDiffer() {
    let nonces = (0..<20).map { _ in HealthPage.freshNonce() }
    #expect(Set(nonces).count == 20)
    #expect(nonces.allSatisfy { $0.count > 15 && $0.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber) } })
  }

  @Test func momentsAreThoseOfTheZonesClock() throws {
    // 2024-06-03 10:00 UTC, and one minute before 1970.
    #expect(PageMoment(Instant(seconds: 1_717_408_800), .utc) == PageMoment(day: 19_877, minute: 600))
    #expect(PageMoment(Instant(seconds: -60), .utc) == PageMoment(day: -1, minute: 1439))
    let kathmandu = ZoneRules(name: "Asia/Kathmandu", offsetSeconds: 20_700)
    #expect(PageMoment(Instant(seconds: 1_717_408_800), kathmandu) == PageMoment(day: 19_877, minute: 945))
  }
}

extension PageMoment {
  fileprivate init(day: Int, minute: Int) {
    self.init(Instant(seconds: Int64(day) * 86_400 + Int64(minute) * 60), .utc)
  }
}
