import Foundation
import HealthModel

/// Equivalent continuous levels (sound): the mean is the level of the constant sound with the same energy (IEC 61672-1),
/// Leq = 10·log₁₀(Σ tᵢ·10^(Lᵢ/10) / Σ tᵢ), weighted by duration; equal weights if no sample of the day has one.
/// A sample is whole on the day it starts.
struct LevelFold {
  private struct Day {
    var totals = SampleTotals()
    /// Energies relative to the loudest sample so far: no power of ten overflows, whatever the export says.
    var loudest = -Double.infinity
    var energy = RunningSum()
    var timedEnergy = RunningSum()
    var seconds = RunningSum()

    mutating func add(level: Double, seconds duration: Double) {
      totals.add(level)
      if level > loudest {
        if loudest.isFinite {
          let quieter = pow(10, (loudest - level) / 10)
          energy.scale(by: quieter)
          timedEnergy.scale(by: quieter)
        }
        loudest = level
      }
      let power = pow(10, (level - loudest) / 10)
      energy.add(power)
      timedEnergy.add(power * duration)
      seconds.add(duration)
    }

    var equivalentLevel: Double? {
      let mean = seconds.total > 0 ? timedEnergy.total / seconds.total : energy.total / Double(totals.count)
      // No energy at all: the timed samples are over 3,000 dB quieter than one without duration.
      return mean > 0 ? loudest + 10 * log10(mean) : totals.average
    }
  }

  private var cursor: ZoneCursor
  private var number = CivilDay(daysSince1970: 0)
  private var day = Day()
  private var allSourcesEnd = Int64.min
  private(set) var rows: [DayRow] = []

  init(zone: ZoneRules) { cursor = ZoneCursor(zone) }

  mutating func add(_ sample: FoldSample, sources: borrowing SourceSlots) {
    if sample.slot == sources.allSourcesSlot {
      allSourcesEnd = max(allSourcesEnd, sample.end)
    } else if sample.start < allSourcesEnd {
      return  // An hourly row of all sources stands for it.
    }
    let number = cursor.localDay(of: Instant(microseconds: sample.start))
    if number != self.number {
      finish()
      self.number = number
    }
    day.add(level: sample.value, seconds: (Double(sample.end) - Double(sample.start)) / 1_000_000)
  }

  mutating func finish() {
    guard day.totals.count > 0 else { return }
    var row = DayRow(day: number, totals: day.totals, sum: day.totals.sum)
    row.average = day.equivalentLevel
    rows.append(row)
    day = Day()
  }
}
