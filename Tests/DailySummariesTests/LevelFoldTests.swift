import DailySummaries
import Foundation
import HealthModel
import Testing

@Suite struct LevelFoldTests {
  static let sound = "HKQuantityTypeIdentifierEnvironmentalAudioExposure"

  /// Half an hour of 60 and of 80 dB are 77.03 dB, not 70: 10·log₁₀((10⁶ + 10⁸) / 2).
  @Test func equalHalves() {
    var fold = FoldCase(Self.sound)
    fold.add("Watch", "2024-03-01 10:00", "10:30", 60)
    fold.add("Watch", "2024-03-01 10:30", "11:00", 80)
    let row = fold.summaries()[0]
    #expect(near(row.average, 77.0329, 1e-6))
    #expect(row.minimum == 60 && row.maximum == 80 && row.sum == 140 && row.sampleCount == 2)
    #expect(row.unit == "dBASPL")
  }

  /// Three hours of 60 and one of 80 dB: 10·log₁₀((3·10⁶ + 10⁸) / 4) = 74.11. Loud or quiet first is the same.
  @Test func weightedByDuration() {
    for isLoudFirst in [true, false] {
      var fold = FoldCase(Self.sound)
      fold.add("Watch", "2024-03-01 10:00", "13:00", isLoudFirst ? 80 : 60)
      fold.add("Watch", "2024-03-01 13:00", "14:00", isLoudFirst ? 60 : 80)
      let expected = 10 * log10((isLoudFirst ? 1e6 + 3e8 : 3e6 + 1e8) / 4)
      #expect(near(fold.summaries()[0].average, expected))
    }
    #expect(near(10 * log10((3e6 + 1e8) / 4), 74.1078, 1e-6))
  }

  /// Samples of no length weigh nothing beside others, and equally among themselves.
  @Test func samplesOfNoLength() {
    var fold = FoldCase(Self.sound)
    fold.add("Watch", "2024-03-01 10:00", nil, 60)
    fold.add("Watch", "2024-03-01 10:30", nil, 80)
    fold.add("Watch", "2024-03-02 10:00", "11:00", 60)
    fold.add("Watch", "2024-03-02 10:30", nil, 80)
    let rows = fold.summaries()
    #expect(near(rows[0].average, 77.0329, 1e-6))
    #expect(near(rows[1].average, 60))
  }

  @Test func absurdLevelsStayFinite() {
    var fold = FoldCase(Self.sound)
    fold.add("Watch", "2024-03-01 10:00", "11:00", 60)
    fold.add("Watch", "2024-03-01 11:00", "12:00", 1e6)
    fold.add("Watch", "2024-03-01 12:00", "13:00", -1e6)
    let average = fold.summaries()[0].average
    #expect(near(average, 1e6 + 10 * log10(1.0 / 3)))
  }
}
