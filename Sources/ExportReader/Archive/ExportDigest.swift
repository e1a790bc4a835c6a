import CXXHash

/// XXH3-128 over bytes in pieces: the digest of an opened export.
@safe
struct ExportDigest: ~Copyable {
  private let state: OpaquePointer

  init() throws(ExportError) {
    guard let state = unsafe XXH3_createState() else { throw .outOfMemory }
    unsafe self.state = state
    unsafe XXH3_128bits_reset(state)
  }

  deinit { unsafe XXH3_freeState(state) }

  mutating func update(_ bytes: UnsafeRawBufferPointer) {
    unsafe XXH3_128bits_update(state, bytes.baseAddress, bytes.count)
  }

  /// 32 hexadecimal digits, as `xxhsum -H2` prints them.
  var hexadecimal: String {
    let hash = unsafe XXH3_128bits_digest(state)
    func digits(_ word: UInt64) -> String {
      let text = String(word, radix: 16)
      return String(repeating: "0", count: 16 - text.count) + text
    }
    return digits(hash.high64) + digits(hash.low64)
  }
}
