/// One file in a zip, as its directory says.
struct ZipEntry: Sendable {
  var path: String
  var flags: Int
  var method: Int
  /// Nil for an entry that was found without a directory, and torn.
  var checksum: UInt32?
  var compressedByteCount: Int64
  var byteCount: Int64
  var headerOffset: Int64
  /// Sizes and offset are 64-bit numbers. Otherwise they may have wrapped at 4 GB.
  var isZip64: Bool

  var isDirectory: Bool { path.hasSuffix("/") }
  var isEncrypted: Bool { flags & 1 != 0 }

  /// Names are UTF-8, flagged (bit 11) or not; what is not valid UTF-8 is read as Latin-1, so that it has some name.
  static func name(_ bytes: ArraySlice<UInt8>) -> String {
    let text =
      String(validating: bytes, as: UTF8.self) ?? String(String.UnicodeScalarView(bytes.map(Unicode.Scalar.init)))
    return text.replacing("\\", with: "/")
  }

  /// Absolute, or leading out of the archive.
  var isUnsafe: Bool { path.hasPrefix("/") || path.split(separator: "/").contains("..") }

  /// What macOS adds to archives.
  var isLitter: Bool { ZipEntry.isLitter(path) }

  static func isLitter(_ path: String) -> Bool {
    let parts = path.split(separator: "/")
    return parts.first == "__MACOSX" || parts.last == ".DS_Store" || parts.last?.hasPrefix("._") == true
  }
}
