/// Numbers as people read them: thousands separated by commas, decimal units, no locale.
enum Words {
  /// `1,234,567`.
  static func count(_ number: Int) -> String {
    let digits = String(number.magnitude)
    var result = ""
    for (index, digit) in digits.enumerated() {
      if index > 0, (digits.count - index) % 3 == 0 { result.append(",") }
      result.append(digit)
    }
    return number < 0 ? "-" + result : result
  }

  static func count(_ number: Int64) -> String { count(Int(number)) }

  /// `1 sample`, `2,000 samples`.
  static func count(_ number: Int, _ noun: String, _ plural: String? = nil) -> String {
    count(number) + " " + (number == 1 ? noun : plural ?? noun + "s")
  }

  /// A phrase behind a number: of each `{one|many}` in it the half that fits.
  static func inflected(_ phrase: String, _ number: Int) -> String {
    phrase.split(separator: "{", omittingEmptySubsequences: false).map { piece in
      guard let end = piece.firstIndex(of: "}"), let middle = piece[..<end].firstIndex(of: "|") else { return piece }
      let half = number == 1 ? piece[..<middle] : piece[piece.index(after: middle)..<end]
      return half + piece[piece.index(after: end)...]
    }.joined()
  }

  /// `999 B`, `1.2 MB`, `45 GB`: three digits at most, powers of 1,000.
  static func bytes(_ number: Int64) -> String {
    let units = ["B", "kB", "MB", "GB", "TB", "PB", "EB"]
    var value = Double(number)
    var unit = 0
    while value >= 999.5, unit < units.count - 1 {
      value /= 1000
      unit += 1
    }
    return unit == 0 ? "\(number) B" : "\(decimal(value, value < 9.95 ? 1 : 0)) \(units[unit])"
  }

  /// `0.4 s`, `12 s`, `2 min 05 s`, `1 h 02 min`.
  static func duration(_ seconds: Double) -> String {
    guard seconds.isFinite, seconds >= 0 else { return "–" }
    if seconds < 9.95 { return "\(decimal(seconds, 1)) s" }
    let whole = Int(min(seconds, 1e9).rounded())
    if whole < 60 { return "\(whole) s" }
    if whole < 3600 { return "\(whole / 60) min \(twoDigits(whole % 60)) s" }
    return "\(count(whole / 3600)) h \(twoDigits(whole / 60 % 60)) min"
  }

  /// `0:07`, `12:05`, `1:02:05`: for a bar.
  static func clock(_ seconds: Double) -> String {
    let whole = Int(min(max(seconds, 0), 1e9).rounded())
    let hours = whole / 3600
    let rest = "\(hours > 0 ? twoDigits(whole / 60 % 60) : String(whole / 60)):\(twoDigits(whole % 60))"
    return hours > 0 ? "\(hours):\(rest)" : rest
  }

  /// Two significant digits are enough for a rate: `220,000`.
  static func rate(_ perSecond: Double) -> String {
    guard perSecond.isFinite, perSecond > 0 else { return "0" }
    var step = 1.0
    while perSecond / step >= 1000 { step *= 10 }
    return count(Int((min(perSecond, 1e15) / step).rounded() * step))
  }

  static func decimal(_ value: Double, _ places: Int) -> String {
    let scale = places == 0 ? 1.0 : 10.0
    let scaled = Int((value * scale).rounded())
    return places == 0 ? count(scaled) : "\(count(scaled / 10)).\(abs(scaled % 10))"
  }

  /// A measured figure with as many digits as mean something: `12,345`, `98.6`, `7.25`, `0.042`.
  static func figure(_ value: Double) -> String {
    guard value.isFinite, abs(value) < 1e15 else { return "\(value)" }
    let size = abs(value)
    let places = size >= 1000 ? 0 : size >= 10 || size == 0 ? 1 : size >= 1 ? 2 : 3
    var scale = 1.0
    for _ in 0..<places { scale *= 10 }
    let scaled = Int((size * scale).rounded())
    let whole = count(scaled / Int(scale))
    var decimals = String(scaled % Int(scale))
    decimals = String(repeating: "0", count: max(0, places - decimals.count)) + decimals
    while decimals.hasSuffix("0") { decimals.removeLast() }
    let text = places == 0 || decimals.isEmpty ? whole : whole + "." + decimals
    return value < 0 && scaled > 0 ? "-" + text : text
  }

  private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : String(number) }
}
