import HealthModel

/// The arguments, checked.
struct SynthOptions {
  var request: ExportRequest
  var output: String
  var truthPath: String?
  var level = 4
  var sideFiles = true

  var isZip: Bool { output.hasSuffix(".zip") }

  init(parsing arguments: [String]) throws(SyntheticExportError) {
    var positional: [String] = []
    var rest = arguments[...]
    request = ExportRequest(byteCount: 0, seed: 1)
    while let argument = rest.popFirst() {
      guard argument.hasPrefix("--") else {
        positional.append(argument)
        continue
      }
      if argument == "--no-side-files" {
        sideFiles = false
        continue
      }
      guard let value = rest.popFirst() else { throw .usage("\(argument) needs a value") }
      switch argument {
      case "--seed": request.seed = try SynthOptions.number(value, argument)
      case "--truth": truthPath = value
      case "--extra", "--records-more": request.extraRecordCount = Int(try SynthOptions.number(value, argument))
      case "--start": request.firstDay = try SynthOptions.day(value)
      case "--end": request.lastDay = try SynthOptions.day(value)
      case "--zone": request.zoneName = value
      case "--export-date": request.exportDate = try SynthOptions.moment(value)
      case "--level":
        level = Int(try SynthOptions.number(value, argument))
        guard (1...9).contains(level) else { throw .usage("--level is 1 to 9") }
      default: throw .usage("unknown option \(argument)")
      }
    }
    guard positional.count == 2 else { throw .usage("SIZE and OUT are needed") }
    request.byteCount = try SynthOptions.byteCount(positional[0])
    output = positional[1]
    guard output == "-" || output.hasSuffix(".xml") || isZip else {
      throw .usage("OUT must end in .xml or .zip, or be -")
    }
  }

  /// `1GB`, `0.1MB`, `500kB`, `123456`; powers of ten.
  static func byteCount(_ text: String) throws(SyntheticExportError) -> Int {
    let units: [(String, Double)] = [("GB", 1e9), ("MB", 1e6), ("KB", 1e3), ("B", 1)]
    let upper = text.uppercased()
    let (suffix, factor) = units.first { upper.hasSuffix($0.0) } ?? ("", 1)
    guard let number = Double(upper.dropLast(suffix.count)), number > 0, number * factor < 1e12 else {
      throw .usage("\(text) is no size")
    }
    return Int((number * factor).rounded())
  }

  private static func number(_ text: String, _ name: String) throws(SyntheticExportError) -> UInt64 {
    guard let number = UInt64(text), number < 1 << 62 else { throw .usage("\(name) needs a number, not \(text)") }
    return number
  }

  private static func day(_ text: String) throws(SyntheticExportError) -> CivilDay {
    let parts = text.split(separator: "-", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
    guard parts.count == 3, (1996...2100).contains(parts[0]),
      CivilDay.isValid(year: parts[0], month: parts[1], day: parts[2])
    else { throw .usage("\(text) is no date like 2025-06-30 (1996 or later)") }
    return CivilDay(year: parts[0], month: parts[1], day: parts[2])
  }

  private static func moment(_ text: String) throws(SyntheticExportError) -> (day: CivilDay, clock: Int) {
    let parts = text.split(separator: " ").map(String.init)
    guard let first = parts.first else { throw .usage("--export-date is empty") }
    let day = try day(first)
    guard parts.count > 1 else { return (day, 9 * 3600 + 41 * 60) }
    let clock = parts[1].split(separator: ":").map { Int($0) ?? 99 }
    guard parts.count == 2, clock.count == 3, (0..<24).contains(clock[0]), (0..<60).contains(clock[1]),
      (0..<60).contains(clock[2])
    else { throw .usage("\(text) is no date and time like 2025-06-30 18:05:00") }
    return (day, clock[0] * 3600 + clock[1] * 60 + clock[2])
  }
}
