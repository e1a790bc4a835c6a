import CZlib

/// A raw deflate stream being unpacked.
@safe
struct Inflater: ~Copyable {
  enum Status { case goesOn, ended, failed }

  private let stream: UnsafeMutablePointer<z_stream>

  init() throws(ExportError) {
    unsafe stream = .allocate(capacity: 1)
    unsafe stream.initialize(to: z_stream())
    // Negative window bits: no zlib header.
    guard unsafe inflateInit2_(stream, -MAX_WBITS, ZLIB_VERSION, Int32(MemoryLayout<z_stream>.size)) == Z_OK else {
      unsafe stream.deallocate()
      throw .outOfMemory
    }
  }

  deinit {
    unsafe inflateEnd(stream)
    unsafe stream.deallocate()
  }

  /// Unpacks from `input[position...]` into `output`; moves `position`, returns how many bytes came out.
  mutating func inflate(
    _ input: [UInt8], _ position: inout Int, upTo end: Int, into output: UnsafeMutableRawBufferPointer
  ) -> (count: Int, status: Status) {
    var status: Int32 = Z_OK
    var produced = 0
    unsafe input.withUnsafeBufferPointer { bytes in
      // zlib does not write to its input; its interface lacks the const.
      let start = unsafe UnsafeMutablePointer(mutating: bytes.baseAddress)
      unsafe stream.pointee.next_in = start.map { unsafe $0 + position }
      unsafe stream.pointee.avail_in = uInt(end - position)
      unsafe stream.pointee.next_out = output.baseAddress?.assumingMemoryBound(to: UInt8.self)
      unsafe stream.pointee.avail_out = uInt(output.count)
      status = unsafe CZlib.inflate(stream, Z_NO_FLUSH)
      position = unsafe end - Int(stream.pointee.avail_in)
      produced = unsafe output.count - Int(stream.pointee.avail_out)
    }
    switch status {
    case Z_STREAM_END: return (produced, .ended)
    case Z_OK, Z_BUF_ERROR: return (produced, .goesOn)
    default: return (produced, .failed)
    }
  }
}

/// CRC-32 as in a zip.
enum Checksum {
  static func update(_ checksum: UInt32, _ bytes: UnsafeRawBufferPointer) -> UInt32 {
    let start = unsafe bytes.baseAddress?.assumingMemoryBound(to: UInt8.self)
    return UInt32(truncatingIfNeeded: unsafe crc32_z(uLong(checksum), start, bytes.count))
  }
}
