import HealthModel
import ImportFlow
import Testing

@testable import HK2PGCommand

/// The same run for every renderer: 2.5 GB read in 10 s, an index build that sends nothing, a note in between.
private let run: [(event: ProgressEvent, at: Double)] =
  [(.note("days are days of Europe/Berlin"), 0), (.began(.read, total: 2_500_000_000), 0)]
  + (1...10).map { second in
    let day = CivilDay(year: 2019, month: 4, day: second)
    return (
      .advanced(
        .read, .init(done: Int64(second) * 250_000_000, records: Int64(second) * 500_000, dateReached: day)),
      Double(second)
    )
  }
  + [(.ended(.read), 10), (.began(.index, total: 5), 10.5)]

private func rendered(_ renderer: any ProgressRenderer, width: Int = 100) -> String {
  var renderer = renderer
  var text = ""
  for step in run { text += renderer.text(for: step.event, at: step.at, width: width) }
  text += renderer.tick(at: 17.2, width: width)
  text += renderer.message("hk2pg: something\n")
  return text + renderer.end()
}

@Suite struct ProgressRendererTests {
  @Test func silentShowsNotesAlone() {
    #expect(rendered(SilentRenderer()) == "hk2pg: days are days of Europe/Berlin\nhk2pg: something\n")
  }

  @Test func plain() throws { try expectGolden(rendered(PlainRenderer()), "progress-plain.txt") }

  @Test func json() throws {
    let text = rendered(JSONRenderer())
    try expectGolden(text, "progress-json.txt")
    for line in text.split(separator: "\n") { #expect(line.hasPrefix("{") && line.hasSuffix("}")) }
  }

  @Test func bar() throws {
    // What a terminal does: a carriage return with “erase to the end” starts the line again.
    try expectGolden(rendered(BarRenderer()).replacing("\r\u{1B}[K", with: "↵"), "progress-bar.txt")
  }

  @Test func barEndsOnACleanLine() {
    var bar = BarRenderer()
    _ = bar.text(for: .began(.read, total: 100), at: 0, width: 80)
    #expect(bar.end() == "\r\u{1B}[K")
    #expect(bar.end() == "")
    #expect(bar.message("x\n") == "x\n")
  }

  @Test(arguments: [1, 10, 20, 30, 40, 55, 70, 80, 120, 300]) func barFitsTheWidth(_ width: Int) throws {
    var model = ProgressModel()
    for step in run.prefix(9) { _ = model.apply(step.event, at: step.at) }
    let line = BarRenderer.line(try #require(model.current), at: 7, width: width)
    #expect(line.count <= max(10, width - 1))
    #expect(line.hasPrefix("reading"))
    #expect(width < 40 || line.contains(" left"))
    #expect(width < 120 || line.contains("2019-04-07") && line.contains("500,000 samples/s"))
  }

  @Test func barIsDrawnAtMostTenTimesASecond() {
    var bar = BarRenderer()
    _ = bar.text(for: .began(.read, total: 1000), at: 0, width: 80)
    let drawn = (1...1000).filter { step in
      !bar.text(for: .advanced(.read, .init(done: Int64(step), records: 0)), at: Double(step) / 1000, width: 80).isEmpty
    }
    #expect((8...10).contains(drawn.count))
  }

  @Test func plainKeepsItsDistance() {
    var plain = PlainRenderer()
    _ = plain.text(for: .began(.read, total: 1000), at: 0, width: 80)
    let lines = (1...300).filter { !plain.tick(at: Double($0) / 10, width: 80).isEmpty }
    #expect(lines.count == 6)
  }
}
