/// SplitMix64 (Steele, Lea, Flood 2014): small, fast, the same on every machine.
///
/// Each day of each type has a generator of its own, so that what one type draws never moves another's numbers.
struct SplitMix64 {
  private var state: UInt64

  init(seed: UInt64) { state = seed }

  /// `stream` names the type or section, `index` the day (or file) in it.
  init(seed: UInt64, stream: UInt64, index: Int) {
    var mixer = SplitMix64(seed: seed ^ stream &* 0xD1B5_4A32_D192_ED03)
    state = mixer.next() ^ UInt64(bitPattern: Int64(index)) &* 0x8CB9_2BA7_2F3D_8DD7
  }

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var z = state
    z = (z ^ z >> 30) &* 0xBF58_476D_1CE4_E5B9
    z = (z ^ z >> 27) &* 0x94D0_49BB_1331_11EB
    return z ^ z >> 31
  }

  /// 0 ..< bound, from the high bits; `bound` at least 1.
  mutating func below(_ bound: Int) -> Int {
    Int(next().multipliedFullWidth(by: UInt64(bound)).high)
  }

  /// Uniform, both ends included.
  mutating func between(_ low: Int, _ high: Int) -> Int { low + below(high - low + 1) }

  /// Sum of three uniforms: most values near the middle, none outside the ends.
  mutating func around(_ low: Int, _ high: Int) -> Int {
    let span = high - low + 1
    return low + (below(span) + below(span) + below(span)) / 3
  }

  mutating func chance(_ part: Int, of whole: Int) -> Bool { below(whole) < part }

  /// Lower-case UUID text of version 4.
  mutating func uuid() -> String {
    let (high, low) = (next(), next())
    let digits = Array("0123456789ABCDEF")
    var text = ""
    for position in 0..<32 {
      if [8, 12, 16, 20].contains(position) { text.append("-") }
      let nibble = (position < 16 ? high : low) >> UInt64(60 - position % 16 * 4) & 15
      text.append(position == 12 ? "4" : digits[Int(position == 16 ? nibble & 3 | 8 : nibble)])
    }
    return text
  }
}

/// Numbers of the streams of `SplitMix64`; types of record take theirs from `base(of:)`.
enum Stream {
  static let plan: UInt64 = 1
  static let sleep: UInt64 = 2
  static let meals: UInt64 = 3
  static let pressure: UInt64 = 4
  static let workouts: UInt64 = 5
  static let routes: UInt64 = 6
  static let electrocardiograms: UInt64 = 7
  static let clinical: UInt64 = 8
  static let pointers: UInt64 = 9
  static let extra: UInt64 = 10
  static let hearing: UInt64 = 11
  static let summaries: UInt64 = 12

  /// FNV-1a of the type's name.
  static func base(of type: String) -> UInt64 {
    type.utf8.reduce(0xCBF2_9CE4_8422_2325) { ($0 ^ UInt64($1)) &* 0x100_0000_01B3 }
  }
}
