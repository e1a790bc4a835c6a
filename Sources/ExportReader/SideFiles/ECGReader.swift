package import HealthModel

/// Reads an electrocardiogram from CSV (export-format §8.1). Keys and values are in the phone's language, the decimal
/// mark is that of its region, so rows are known by their place and form:
///
/// ```
/// Name,Robin Example                         maybe without comma
/// Date of Birth,"Jun 12, 1984"
/// Recorded Date,2023-03-04 20:55:07 -0500    the row with such a date
/// Classification,Sinus Rhythm                ┐
/// Symptoms,                                  │ the rows between the two, in this order
/// Software Version,1.90                      │ (an average heart rate, "72 BPM", may be among them)
/// Device,"Watch6,7"                          ┘
/// Sample Rate,512 hertz                      the row with a number and such a word
///
/// Lead,Lead I                                ┐ the rows after it
/// Unit,µV                                    ┘
///
/// -265,868                                   voltages, from the first line that is nothing but a number
/// ```
package enum ECGReader {
  /// Name and date of birth are not kept. Throws when there is no date or no voltage, or a line of text among them.
  package static func read(_ bytes: [UInt8]) throws(SideFileError) -> ECGRecording {
    var lines = LineCursor(bytes)
    var rows: [ECGRow] = []
    var voltages: [Float] = []
    while let line = lines.next() {
      if line.isEmpty { continue }
      if let number = DecimalLine.number(line, of: bytes) {
        voltages.append(Float(number))
      } else if voltages.isEmpty {
        rows.append(ECGRow(line, of: bytes))
      } else {
        throw .notANumber(at: line.lowerBound)
      }
    }
    var recording = try header(rows)
    if voltages.isEmpty { throw .noVoltages }
    recording.voltages = voltages
    return recording
  }

  private static func header(_ rows: [ECGRow]) throws(SideFileError) -> ECGRecording {
    guard let dateRow = rows.firstIndex(where: { $0.date != nil }), let date = rows[dateRow].date else { throw .noDate }
    var recording = ECGRecording(recordedAt: date)
    let after = rows[(dateRow + 1)...]
    let rateRow = after.firstIndex { $0.sampleRate != nil }
    recording.sampleRateHz = rateRow.flatMap { rows[$0].sampleRate }

    var between = Array(after[..<(rateRow ?? after.endIndex)])
    if let beats = between.firstIndex(where: { $0.beatsPerMinute != nil }) {
      recording.averageHeartRate = between.remove(at: beats).beatsPerMinute
    }
    recording.classification = between.value(0)
    recording.symptoms = between.value(1)
    recording.softwareVersion = between.value(2)
    recording.device = between.value(3)

    let last = rateRow.map { Array(rows[($0 + 1)...]) } ?? []
    recording.lead = last.value(0)
    recording.unit = last.value(1)
    return recording
  }
}

extension [ECGRow] {
  fileprivate func value(_ index: Int) -> String? {
    indices.contains(index) && !self[index].value.isEmpty ? self[index].value : nil
  }
}

/// `key,value`: what stands after the first comma, with quotes resolved.
private struct ECGRow {
  let value: String

  init(_ line: Range<Int>, of bytes: [UInt8]) {
    guard let comma = bytes[line].firstIndex(of: UInt8(ascii: ",")) else {
      value = ""
      return
    }
    let range = Text.trimmed((comma + 1)..<line.upperBound, of: bytes)
    let text = String(decoding: bytes[range], as: UTF8.self)
    let isQuoted = text.count > 1 && text.hasPrefix("\"") && text.hasSuffix("\"")
    value = isQuoted ? String(text.dropFirst().dropLast()).replacing("\"\"", with: "\"") : text
  }

  var date: Instant? { DateParser.parse(value)?.instant }

  /// `512 hertz`, `511,422 hertz`, `511,562<U+00A0>Hertz`, `512赫兹`
  var sampleRate: Double? {
    guard let (number, word) = numberAndWord, ECGRow.hertz.contains(where: word.hasPrefix) else { return nil }
    return number
  }

  /// `72 BPM`
  var beatsPerMinute: Double? {
    guard let (number, word) = numberAndWord, ECGRow.beats.contains(where: word.hasPrefix) else { return nil }
    return number
  }

  private static let hertz = ["hertz", "hz", "赫", "ヘルツ", "헤르츠", "герц", "χερτζ", "הרץ", "هرتز", "hercz", "hertsi"]
  private static let beats = ["bpm", "count/min", "beats", "次/分", "拍/分", "уд", "spm", "slag"]

  /// A number, perhaps a space, a word in lower case.
  private var numberAndWord: (Double, String)? {
    let bytes = Array(value.utf8)
    let length = bytes.prefix { (0x30...0x39).contains($0) || $0 == UInt8(ascii: ".") || $0 == UInt8(ascii: ",") }.count
    guard length > 0, let number = DecimalLine.number(0..<length, of: bytes) else { return nil }
    let rest = String(decoding: bytes[length...], as: UTF8.self).drop { $0.isWhitespace }
    return (number, rest.lowercased())
  }
}

/// A line that is one number, with point or comma.
private enum DecimalLine {
  static func number(_ range: Range<Int>, of bytes: [UInt8]) -> Double? {
    var text: [UInt8] = []
    text.reserveCapacity(range.count)
    var position = range.lowerBound
    while position < range.upperBound {
      switch bytes[position] {
      case UInt8(ascii: ","): text.append(UInt8(ascii: "."))
      // U+2212, the minus sign of some locales.
      case 0xE2 where bytes[position..<range.upperBound].starts(with: [0xE2, 0x88, 0x92]):
        text.append(UInt8(ascii: "-"))
        position += 2
      case let byte where byte < 0x80: text.append(byte)
      default: return nil
      }
      position += 1
    }
    return DecimalParser.parse(0..<text.count, of: text.span)
  }
}

/// The lines of a file, without their ends and white space around them.
private struct LineCursor {
  private let bytes: [UInt8]
  private var position: Int

  init(_ bytes: [UInt8]) {
    self.bytes = bytes
    position = bytes.starts(with: Text.byteOrderMark) ? 3 : 0
  }

  mutating func next() -> Range<Int>? {
    guard position < bytes.count else { return nil }
    let end = bytes[position...].firstIndex(of: UInt8(ascii: "\n")) ?? bytes.count
    defer { position = end + 1 }
    return Text.trimmed(position..<end, of: bytes)
  }
}
