import HealthModel

/// The bytes on their way out: appends text, numbers and dates without a String or an allocation per record.
///
/// A wrapper over raw memory because a million records a second are written through it; every append checks its room
/// first, which is what makes the unsafe code below sound.
@safe struct ByteBuffer: ~Copyable {
  private let base: UnsafeMutablePointer<UInt8>
  private let capacity: Int
  private(set) var count = 0
  /// Local day (since 1970) whose date text is kept in `dayText`, for `append(date:)`.
  private var cachedDay = Int.min
  private var dayText: [UInt8] = Array(repeating: 0, count: 11)
  private var offsetSeconds = 0
  private var offsetText: [UInt8] = Array(" +0000".utf8)

  init(capacity: Int) {
    self.capacity = capacity
    unsafe base = .allocate(capacity: capacity)
  }

  deinit { unsafe base.deallocate() }

  var room: Int { capacity - count }

  mutating func removeAll() { count = 0 }

  /// The bytes written since `removeAll`, only for the length of the call.
  func withBytes<Failure: Error>(_ body: (UnsafeRawBufferPointer) throws(Failure) -> Void) throws(Failure) {
    unsafe try body(UnsafeRawBufferPointer(start: base, count: count))
  }

  mutating func append(_ bytes: [UInt8]) {
    precondition(bytes.count <= capacity - count, "buffer is full")
    unsafe bytes.withUnsafeBufferPointer { source in
      guard let start = source.baseAddress else { return }
      unsafe (base + count).update(from: start, count: source.count)
    }
    count += bytes.count
  }

  mutating func append(_ byte: UInt8) {
    precondition(count < capacity, "buffer is full")
    unsafe base[count] = byte
    count += 1
  }

  mutating func append(_ text: StaticString) {
    precondition(text.utf8CodeUnitCount <= capacity - count, "buffer is full")
    unsafe (base + count).update(from: text.utf8Start, count: text.utf8CodeUnitCount)
    count += text.utf8CodeUnitCount
  }

  /// For rare elements; escapes nothing.
  mutating func append(text: String) { append(Array(text.utf8)) }

  mutating func append(integer value: Int) { append(decimal: value, decimals: 0) }

  /// `mantissa` × 10^−`decimals`, trailing zeros dropped, as Apple prints numbers.
  mutating func append(decimal mantissa: Int, decimals: Int) {
    precondition(room >= 24, "buffer is full")
    if mantissa < 0 { append(0x2D) }
    var rest = mantissa.magnitude
    var fraction = decimals
    while fraction > 0, rest % 10 == 0 {
      rest /= 10
      fraction -= 1
    }
    var digits = 1
    var bound: UInt = 10
    while bound <= rest {
      digits += 1
      bound *= 10
    }
    digits = max(digits, fraction + 1)
    var position = count + digits + (fraction > 0 ? 1 : 0)
    count = position
    for place in 0..<digits {
      if place == fraction, fraction > 0 {
        position -= 1
        unsafe base[position] = 0x2E
      }
      position -= 1
      unsafe base[position] = UInt8(truncatingIfNeeded: 0x30 + rest % 10)
      rest /= 10
    }
  }

  /// Nine lower-case hexadecimal digits: a heap address as the exporter prints it.
  mutating func append(address: UInt64) {
    precondition(room >= 9, "buffer is full")
    for place in 0..<9 {
      let nibble = UInt8(truncatingIfNeeded: address >> UInt64(32 - 4 * place) & 15)
      unsafe base[count + place] = nibble < 10 ? 0x30 + nibble : 0x57 + nibble
    }
    count += 9
  }

  // MARK: Dates

  /// All dates of a file carry one offset: the phone's when the export was made.
  mutating func setOffset(_ seconds: Int) {
    offsetSeconds = seconds
    cachedDay = .min
    let minutes = abs(seconds) / 60
    offsetText = [0x20, seconds < 0 ? 0x2D : 0x2B]
    for part in [minutes / 60, minutes % 60] {
      offsetText += [UInt8(0x30 + part / 10), UInt8(0x30 + part % 10)]
    }
  }

  /// `2024-05-01 07:12:09 +0200`
  mutating func append(date instant: Int) {
    precondition(room >= 25, "buffer is full")
    let local = instant + offsetSeconds
    let day = local.flooredQuotient(86_400)
    if day != cachedDay { cache(day) }
    append(dayText)
    append(clock: local - day * 86_400)
    append(offsetText)
  }

  /// `07:12:09` from seconds since midnight.
  mutating func append(clock seconds: Int) {
    append(twoDigits: seconds / 3600)
    append(0x3A)
    append(twoDigits: seconds / 60 % 60)
    append(0x3A)
    append(twoDigits: seconds % 60)
  }

  mutating func append(twoDigits value: Int) {
    precondition(room >= 2, "buffer is full")
    unsafe base[count] = UInt8(truncatingIfNeeded: 0x30 + value / 10)
    unsafe base[count + 1] = UInt8(truncatingIfNeeded: 0x30 + value % 10)
    count += 2
  }

  private mutating func cache(_ day: Int) {
    cachedDay = day
    dayText = Array(CivilDay(daysSince1970: Int32(day)).description.utf8) + [0x20]
  }
}
