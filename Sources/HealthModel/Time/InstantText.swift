extension Instant {
  /// ISO 8601 in UTC, for instance `2024-02-29T23:59:59Z`; fractions of a second only where there are some.
  package var iso8601: String {
    let second = seconds
    let day = second.flooredQuotient(86_400)
    let time = Int(second - day * 86_400)
    let fraction = Int(microseconds - second * 1_000_000)
    let date = CivilDay(daysSince1970: Int32(clamping: day)).description
    let parts = [time / 3600, time / 60 % 60, time % 60].map { Instant.digits($0, 2) }
    let decimals = fraction == 0 ? "" : "." + Instant.digits(fraction, 6)
    return "\(date)T\(parts.joined(separator: ":"))\(decimals)Z"
  }

  /// Reads what `iso8601` writes, years 0 to 9999; nil for anything else.
  package init?(iso8601 text: String) {
    let bytes = Array(text.utf8)
    func number(_ range: Range<Int>) -> Int? {
      bytes[range].reduce(Int?.some(0)) { sum, byte in
        guard let sum, (0x30...0x39).contains(byte) else { return nil }
        return sum * 10 + Int(byte) - 0x30
      }
    }
    guard bytes.count == 20 || bytes.count == 27, bytes.last == UInt8(ascii: "Z"),
      [bytes[4], bytes[7], bytes[10], bytes[13], bytes[16]] == Array("--T::".utf8),
      let year = number(0..<4), let month = number(5..<7), let day = number(8..<10),
      let hour = number(11..<13), let minute = number(14..<16), let second = number(17..<19),
      CivilDay.isValid(year: year, month: month, day: day), hour < 24, minute < 60, second < 60
    else { return nil }
    var fraction = 0
    if bytes.count == 27 {
      guard bytes[19] == UInt8(ascii: "."), let decimals = number(20..<26) else { return nil }
      fraction = decimals
    }
    let days = Int64(CivilDay(year: year, month: month, day: day).daysSince1970)
    let seconds = days * 86_400 + Int64(hour * 3600 + minute * 60 + second)
    self.init(microseconds: seconds * 1_000_000 + Int64(fraction))
  }

  private static func digits(_ number: Int, _ width: Int) -> String {
    let text = String(number)
    return String(repeating: "0", count: max(0, width - text.count)) + text
  }
}
