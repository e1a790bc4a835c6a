/// 30 seconds of voltages in `electrocardiograms/ecg_YYYY-MM-DD.csv`; export.xml has no element for them.
struct Electrocardiogram {
  let recorded: Int
  let fileName: String
  private let seed: SplitMix64

  static let sampleCount = 15_360
  private static let classifications = ["Sinus Rhythm", "Sinus Rhythm", "Inconclusive", "Heart Rate Over 120"]

  static func recordings(_ layout: ExportLayout, _ day: Day) -> [Electrocardiogram] {
    // Each is 130 kB, so small exports have few.
    let rate = layout.detail == .full ? 1.0 / 21 : 1.0 / 60
    guard layout.occurrences(rate, on: day, stream: Stream.electrocardiograms) > 0 else { return [] }
    var random = layout.random(Stream.electrocardiograms, day.index)
    let recorded = day.midnight + 30_000 + random.below(40_000)
    return [Electrocardiogram(recorded: recorded, fileName: "ecg_\(day.civil).csv", seed: random)]
  }

  func write(to sink: any ByteSink, _ layout: ExportLayout) throws(SyntheticExportError) {
    var file = SideFile(sink: sink)
    var random = seed
    let mark: UInt8 = layout.zone.region == .continental ? 0x2C : 0x2E
    file.buffer.setOffset(layout.offset)
    file.buffer.append(text: "Name,Robin Example\nDate of Birth,\"Jun 12, 1984\"\nRecorded Date,")
    file.buffer.append(date: recorded)
    file.buffer.append(text: "\nClassification,\(Electrocardiogram.classifications[random.below(4)])\nSymptoms,\n")
    file.buffer.append(text: "Software Version,1.90\nDevice,\"Watch7,2\"\n")
    file.buffer.append(text: "Sample Rate,512 hertz\n\n\nLead,Lead I\nUnit,µV\n\n")
    let beat = random.between(380, 520)
    for index in 0..<Electrocardiogram.sampleCount {
      try file.makeRoom()
      let noise = random.between(-4, 4)
      file.buffer.append(fixed: (Electrocardiogram.voltage(index % beat, beat) + noise) * 125, decimals: 3, mark: mark)
      file.buffer.append(0x0A)
    }
    try file.flush()
  }

  /// Microvolts × 8 of a beat of `length` samples: a small wave, a spike with its dips, a broad wave.
  private static func voltage(_ phase: Int, _ length: Int) -> Int {
    switch phase * 100 / length {
    case 10..<20: 8 * 90 * sine((phase * 100 / length - 10) * 18) / 1000
    case 27: -8 * 120
    case 28: 8 * 980
    case 29: 8 * 400
    case 30: -8 * 260
    case 45..<65: 8 * 210 * sine((phase * 100 / length - 45) * 9) / 1000
    default: 0
    }
  }
}
