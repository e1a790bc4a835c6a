import CZstd

/// A zstd decompression context; content checksums are verified. Paths are for errors.
@safe package struct ZstdDecompressor: ~Copyable {
  package let path: String
  private let context: OpaquePointer
  /// The last frame is complete, and no byte of another was seen.
  package private(set) var isAtFrameEnd = false

  package init(path: String) throws(StagingError) {
    guard let context = unsafe ZSTD_createDCtx() else { throw .compression(reason: "no memory for a zstd context") }
    unsafe self.context = unsafe context
    self.path = path
  }

  deinit { unsafe ZSTD_freeDCtx(context) }

  /// Appends what `input[start...]` decompresses to, at most `limit` bytes a call; returns the bytes of input consumed.
  /// Bytes after the end of a frame are refused: a file is one frame.
  package mutating func decompress(
    _ input: Span<UInt8>, from start: Int, into output: inout [UInt8], limit: Int
  ) throws(StagingError) -> Int {
    if isAtFrameEnd {
      if start < input.count { throw .corrupt(path: path, reason: "bytes after the end of the frame") }
      return 0
    }
    var result = 0
    var position = start
    output.append(addingCapacity: limit) { target in
      unsafe target.withUnsafeMutableBufferPointer { memory, count in
        unsafe input.withUnsafeBytes { source in
          var from = unsafe ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: start)
          var to = unsafe ZSTD_outBuffer(dst: memory.baseAddress, size: limit, pos: 0)
          result = unsafe ZSTD_decompressStream(context, &to, &from)
          position = unsafe from.pos
          count = unsafe to.pos
        }
      }
    }
    try check(result, path)
    isAtFrameEnd = result == 0
    return position - start
  }

  /// Replaces `output` by the content of `frame`, which must be exactly `byteCount` bytes.
  package mutating func decompressFrame(
    _ frame: Span<UInt8>, byteCount: Int, into output: inout [UInt8], path: String
  ) throws(StagingError) {
    var result = 0
    output.removeAll(keepingCapacity: true)
    // Never none: see RecordPacking.
    output.append(addingCapacity: max(byteCount, 1)) { target in
      unsafe target.withUnsafeMutableBufferPointer { memory, count in
        unsafe frame.withUnsafeBytes { source in
          result = unsafe ZSTD_decompressDCtx(context, memory.baseAddress, byteCount, source.baseAddress, source.count)
        }
        count = ZSTD_isError(result) == 0 ? result : 0
      }
    }
    try check(result, path)
    if result != byteCount { throw .corrupt(path: path, reason: "a block has another size than its directory says") }
  }

  private func check(_ result: Int, _ path: String) throws(StagingError) {
    if ZSTD_isError(result) != 0 {
      throw .corrupt(path: path, reason: unsafe String(cString: ZSTD_getErrorName(result)))
    }
  }
}
