import HealthModel

extension RowMapper {
  /// ```
  /// <HeartRateVariabilityMetadataList>
  ///  <InstantaneousBeatsPerMinute bpm="61" time="7:47:41.86 PM"/>
  /// ```
  /// becomes `beats: [[seconds from start, bpm], …]`. The clock is a local one with daylight saving, in the phone's
  /// language, so only its place in the quarter of an hour is compared with the start's: offsets from UTC are whole
  /// quarters. The other beats follow by their distance from the one before, on a dial of twelve hours.
  mutating func addBeats(_ list: Int, of element: borrowing ExportElement, start: Instant) {
    let bytes = element.bytes.span
    object.begin("beats")
    object.text.append(UInt8(ascii: "["))
    var previous: (clock: ClockTime, offset: Int64)?
    var index = list + 1
    while index < element.nodes.count, element.nodes[index].parent >= list {
      defer { index += 1 }
      guard element.nodes[index].name == .instantaneousBeatsPerMinute else { continue }
      guard let clock = ClockParser.parse(element.piece(.time, of: index).range, of: bytes) else {
        cleaned += 1
        continue
      }
      let offset =
        previous.map { $0.offset + RowMapper.distance(from: $0.clock, to: clock) }
        ?? RowMapper.remainder(clock.microsecondsInQuarter - start.microseconds, 900_000_000)
      previous = (clock, offset)
      object.text.appendSeparator()
      object.text.append(UInt8(ascii: "["))
      object.text.append(json: Double(offset) / 1_000_000)
      object.text.append(UInt8(ascii: ","))
      cleaned += object.text.append(number: element.piece(.bpm, of: index), of: bytes)
      object.text.append(UInt8(ascii: "]"))
    }
    object.text.append(UInt8(ascii: "]"))
    object.end()
  }

  /// From one clock to the next: the shorter way round a dial of twelve hours (of 24 would need a known AM or PM).
  private static func distance(from a: ClockTime, to b: ClockTime) -> Int64 {
    let dial: Int64 = 43_200_000_000
    let forward = remainder(b.microsecondsOnDial - a.microsecondsOnDial, dial)
    return forward > dial / 2 ? forward - dial : forward
  }

  private static func remainder(_ value: Int64, _ divisor: Int64) -> Int64 {
    let remainder = value % divisor
    return remainder < 0 ? remainder + divisor : remainder
  }
}
