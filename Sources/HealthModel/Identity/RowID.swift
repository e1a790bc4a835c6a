/// A row's `id`: UUID version 8 (RFC 9562) made from what the sample is, so every import gives the same id.
///
/// ```
/// 48 bits  start, ms since 1970 (0 before)     sorts inserts by time: index writes stay local
///  4 bits  version 8
/// 12 bits  hash                                 hash = H(identity, rank) XOR H(user)
///  2 bits  variant 10
/// 62 bits  hash
/// ```
/// Re-keying to another user is one XOR of the 74 hash bits (DESIGN §3.5).
package struct RowID: Hashable, BitwiseCopyable, Sendable {
  /// Bytes 0–7 and 8–15 in network order.
  package var high: UInt64
  package var low: UInt64

  package init(high: UInt64, low: UInt64) {
    self.high = high
    self.low = low
  }

  package init(startMilliseconds: Int64, hash: Hash74, user: UserKey) {
    let time = startMilliseconds < 0 ? 0 : UInt64(startMilliseconds) & 0xFFFF_FFFF_FFFF
    let mixed = hash.xor(user.hash)
    high = time << 16 | 0x8000 | mixed.high12
    low = 0x8000_0000_0000_0000 | mixed.low62
  }

  /// Written by hk2pg: version 8, variant 10.
  package var isOurs: Bool { high >> 12 & 0xF == 8 && low >> 62 == 0b10 }

  /// The same sample of another user.
  package func rekeyed(from old: UserKey, to new: UserKey) -> RowID {
    let change = old.hash.xor(new.hash)
    return RowID(high: high ^ change.high12, low: low ^ change.low62)
  }
}

/// 74 hash bits, as they stand in a `RowID`.
package struct Hash74: Hashable, BitwiseCopyable, Sendable {
  package var high12: UInt64
  package var low62: UInt64

  package init(_ first: UInt64, _ second: UInt64) {
    high12 = first & 0xFFF
    low62 = second & 0x3FFF_FFFF_FFFF_FFFF
  }

  package func xor(_ other: Hash74) -> Hash74 { Hash74(high12 ^ other.high12, low62 ^ other.low62) }
}

extension RowID {
  /// The id of a daily summary: one per type, day and user, apart from every sample's.
  package init(summaryOf metricType: [UInt8], day: CivilDay, user: UserKey) {
    let midnight = day.utcMidnight
    let name = Array("daily summary".utf8)
    let hash = IdentityHash(metricType: metricType)
      .hash(start: midnight, end: midnight, naming: PostgresHash.hash(name.span, seed: 5), rank: 0)
    self.init(startMilliseconds: midnight.milliseconds, hash: hash, user: user)
  }
}

/// H(user): what a user's id adds to every row id.
package struct UserKey: Hashable, Sendable {
  package let hash: Hash74

  package init(userID: String) {
    let bytes = Array(userID.utf8)
    hash = Hash74(PostgresHash.hash(bytes.span, seed: 1), PostgresHash.hash(bytes.span, seed: 2))
  }
}

/// H(identity, rank) of one metric type: the type is hashed once, each sample is 40 bytes on top.
package struct IdentityHash: Sendable {
  private let seeds: (UInt64, UInt64)

  package init(metricType: [UInt8]) {
    seeds = (PostgresHash.hash(metricType.span, seed: 3), PostgresHash.hash(metricType.span, seed: 4))
  }

  /// `rank` tells samples of equal identity apart (ordered by value, then source name; DESIGN §3.3).
  package func hash(start: Instant, end: Instant, naming: UInt64, rank: UInt32) -> Hash74 {
    let times = (UInt64(bitPattern: start.microseconds), UInt64(bitPattern: end.microseconds))
    let names = naming ^ UInt64(rank) &* 0x9E37_79B9_7F4A_7C15
    return Hash74(
      PostgresHash.hash(times.0, times.1, seed: seeds.0 ^ names),
      PostgresHash.hash(times.0, times.1, seed: seeds.1 ^ names))
  }
}

extension RowID: CustomStringConvertible {
  /// Lower-case UUID text.
  package var description: String {
    let digits = Array("0123456789abcdef")
    var text = ""
    for (index, byte) in bytes.enumerated() {
      if [4, 6, 8, 10].contains(index) { text.append("-") }
      text.append(digits[Int(byte >> 4)])
      text.append(digits[Int(byte & 15)])
    }
    return text
  }

  /// The 16 bytes in network order.
  package var bytes: [UInt8] {
    (0..<16).map { UInt8(truncatingIfNeeded: ($0 < 8 ? high : low) >> UInt64(56 - 8 * ($0 % 8))) }
  }
}
