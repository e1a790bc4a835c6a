import HealthModel
import ImportFlow
import Testing

@testable import HK2PGCommand

@Suite struct ProgressModelTests {
  private func advance(_ done: Int64, _ records: Int64 = 0) -> ProgressEvent {
    .advanced(.read, .init(done: done, records: records))
  }

  @Test func ratesFollowTheLastSeconds() throws {
    var model = ProgressModel()
    _ = model.apply(.began(.read, total: 10_000), at: 0)
    #expect(model.current?.recordsPerSecond == nil)
    // 100 bytes and 10 samples a second for 20 s, then ten times as many.
    for second in 1...20 { _ = model.apply(advance(Int64(second) * 100, Int64(second) * 10), at: Double(second)) }
    #expect(try #require(model.current?.recordsPerSecond) == 10)
    #expect(try #require(model.current?.secondsLeft(at: 20)) == 80)
    for second in 21...32 {
      _ = model.apply(advance(2000 + Int64(second - 20) * 500, 200 + Int64(second - 20) * 100), at: Double(second))
    }
    #expect(try #require(model.current?.recordsPerSecond) == 100)
    #expect(try #require(model.current?.secondsLeft(at: 32)) == 4)
    #expect(model.current?.fraction == 0.8)
  }

  @Test func eventsMayComeInAnyOrder() throws {
    var model = ProgressModel()
    _ = model.apply(advance(50), at: 1)
    _ = model.apply(.began(.read, total: 100), at: 1.1)
    _ = model.apply(advance(40), at: 1.2)
    #expect(model.current?.done == 50 && model.current?.total == 100)
    #expect(model.apply(.ended(.read), at: 2)?.done == 50)
    #expect(model.current == nil)
    #expect(model.apply(.ended(.read), at: 3) == nil)
  }

  @Test func thePhaseThatBeganLastIsShown() {
    var model = ProgressModel()
    _ = model.apply(.began(.copy, total: nil), at: 0)
    _ = model.apply(.began(.index, total: 4), at: 1)
    #expect(model.current?.phase == .index)
    _ = model.apply(.ended(.index), at: 2)
    #expect(model.current?.phase == .copy)
  }

  @Test func aTotalThatIsTooSmallNeverExceedsAll() {
    var model = ProgressModel()
    _ = model.apply(.began(.read, total: 10), at: 0)
    _ = model.apply(advance(25), at: 2)
    #expect(model.current?.fraction == 1)
    #expect(model.current?.secondsLeft(at: 2) == 0)
  }
}
