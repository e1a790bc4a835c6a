import CXXHash

/// XXH3-128 of bytes that arrive in pieces, printed as xxhsum does: 32 hexadecimal digits.
@safe package struct ContentDigest: ~Copyable {
  private let state: OpaquePointer

  package init() {
    guard let state = unsafe XXH3_createState() else { fatalError("no memory for a digest") }
    unsafe self.state = unsafe state
    reset()
  }

  deinit { unsafe XXH3_freeState(state) }

  package func reset() { unsafe XXH3_128bits_reset(state) }

  package mutating func update(_ bytes: Span<UInt8>) {
    unsafe bytes.withUnsafeBytes { bytes in
      _ = unsafe XXH3_128bits_update(state, bytes.baseAddress, bytes.count)
    }
  }

  /// Of everything since the last reset.
  package func text() -> String {
    let hash = unsafe XXH3_128bits_digest(state)
    return ContentDigest.hexadecimal(hash.high64) + ContentDigest.hexadecimal(hash.low64)
  }

  /// XXH3-64 of bytes at hand, for what does not outlive the process.
  static func hash64(_ bytes: Span<UInt8>) -> UInt64 {
    unsafe bytes.withUnsafeBytes { unsafe XXH3_64bits($0.baseAddress, $0.count) }
  }

  private static func hexadecimal(_ word: UInt64) -> String {
    let digits = String(word, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
