/// `hash_bytes_extended` of PostgreSQL (src/common/hashfn.c, Bob Jenkins' lookup3 with a 64-bit seed and result), the
/// function behind `uuid_hash_extended`, `hashfloat8extended` and hash partitions, therefore stable across versions.
///
/// One hash serves ids and fingerprints, and the server computes the same numbers from what it holds.
package enum PostgresHash {
  /// Hash of `bytes`; `seed` 0 is Postgres' unseeded form.
  package static func hash(_ bytes: Span<UInt8>, seed: UInt64) -> UInt64 {
    var state = State(length: bytes.count, seed: seed)
    var offset = 0
    var remaining = bytes.count
    while remaining >= 12 {
      state.a &+= word(bytes, offset)
      state.b &+= word(bytes, offset + 4)
      state.c &+= word(bytes, offset + 8)
      state.mix()
      offset += 12
      remaining -= 12
    }
    // The last 0 to 11 bytes; the lowest byte of c is reserved for the length.
    for i in 0..<remaining {
      let byte = UInt32(bytes[offset + i])
      switch i {
      case 0..<4: state.a &+= byte << UInt32(8 * i)
      case 4..<8: state.b &+= byte << UInt32(8 * (i - 4))
      default: state.c &+= byte << UInt32(8 * (i - 7))
      }
    }
    return state.final()
  }

  /// Hash of a few 32-bit words, as if their little-endian bytes were hashed.
  package static func hash(_ high: UInt64, _ low: UInt64, seed: UInt64) -> UInt64 {
    var state = State(length: 16, seed: seed)
    state.a &+= UInt32(truncatingIfNeeded: high)
    state.b &+= UInt32(truncatingIfNeeded: high >> 32)
    state.c &+= UInt32(truncatingIfNeeded: low)
    state.mix()
    state.a &+= UInt32(truncatingIfNeeded: low >> 32)
    return state.final()
  }

  /// `hashfloat8extended(value, seed)`: zero of either sign is the seed, NaN is one value.
  package static func hash(_ value: Double, seed: UInt64) -> UInt64 {
    if value == 0 { return seed }
    let bits = value.isNaN ? Double.nan.bitPattern : value.bitPattern
    var state = State(length: 8, seed: seed)
    state.a &+= UInt32(truncatingIfNeeded: bits)
    state.b &+= UInt32(truncatingIfNeeded: bits >> 32)
    return state.final()
  }

  private static func word(_ bytes: Span<UInt8>, _ offset: Int) -> UInt32 {
    UInt32(bytes[offset]) | UInt32(bytes[offset + 1]) << 8 | UInt32(bytes[offset + 2]) << 16
      | UInt32(bytes[offset + 3]) << 24
  }

  private struct State {
    var a: UInt32
    var b: UInt32
    var c: UInt32

    init(length: Int, seed: UInt64) {
      a = 0x9e37_79b9 &+ UInt32(truncatingIfNeeded: length) &+ 3_923_095
      b = a
      c = a
      if seed != 0 {
        a &+= UInt32(truncatingIfNeeded: seed >> 32)
        b &+= UInt32(truncatingIfNeeded: seed)
        mix()
      }
    }

    mutating func mix() {
      a &-= c
      a ^= c.rotated(4)
      c &+= b
      b &-= a
      b ^= a.rotated(6)
      a &+= c
      c &-= b
      c ^= b.rotated(8)
      b &+= a
      a &-= c
      a ^= c.rotated(16)
      c &+= b
      b &-= a
      b ^= a.rotated(19)
      a &+= c
      c &-= b
      c ^= b.rotated(4)
      b &+= a
    }

    mutating func final() -> UInt64 {
      c ^= b
      c &-= b.rotated(14)
      a ^= c
      a &-= c.rotated(11)
      b ^= a
      b &-= a.rotated(25)
      c ^= b
      c &-= b.rotated(16)
      a ^= c
      a &-= c.rotated(4)
      b ^= a
      b &-= a.rotated(14)
      c ^= b
      c &-= b.rotated(24)
      return UInt64(b) << 32 | UInt64(c)
    }
  }
}

extension UInt32 {
  fileprivate func rotated(_ bits: UInt32) -> UInt32 { self << bits | self >> (32 - bits) }
}
