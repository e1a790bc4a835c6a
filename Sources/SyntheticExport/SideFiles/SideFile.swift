import HealthModel

/// A file beside export.xml on its way out.
struct SideFile: ~Copyable {
  var buffer = ByteBuffer(capacity: 1 << 17)
  private let sink: any ByteSink

  init(sink: any ByteSink) { self.sink = sink }

  mutating func makeRoom() throws(SyntheticExportError) {
    if buffer.room < 1024 { try flush() }
  }

  mutating func flush() throws(SyntheticExportError) {
    try unsafe buffer.withBytes { bytes throws(SyntheticExportError) in unsafe try sink.write(bytes) }
    buffer.removeAll()
  }
}

extension ByteBuffer {
  /// `2025-07-14T16:51:54Z`
  mutating func append(utc instant: Int) {
    let day = instant.flooredQuotient(86_400)
    append(text: CivilDay(daysSince1970: Int32(day)).description)
    append(0x54)
    append(clock: instant - day * 86_400)
    append(0x5A)
  }

  /// With all its decimals, as GPX and ECG files have them; `mark` is the decimal mark.
  mutating func append(fixed mantissa: Int, decimals: Int, mark: UInt8 = 0x2E) {
    if mantissa < 0 { append(0x2D) }
    var bound = 1
    for _ in 0..<decimals { bound *= 10 }
    let magnitude = abs(mantissa)
    append(integer: magnitude / bound)
    append(mark)
    var rest = magnitude % bound
    while bound > 1 {
      bound /= 10
      append(UInt8(0x30 + rest / bound))
      rest %= bound
    }
  }
}
