import CZstd

/// A zstd compression context. Frames carry a content checksum unless their bytes are checked otherwise.
@safe package struct ZstdCompressor: ~Copyable {
  package static let defaultLevel = -1
  private let context: OpaquePointer

  package init(level: Int = ZstdCompressor.defaultLevel, hasChecksum: Bool = true) throws(StagingError) {
    unsafe context = try ZstdCompressor.makeContext(level: Int32(level), hasChecksum: hasChecksum)
  }

  deinit { unsafe ZSTD_freeCCtx(context) }

  private static func makeContext(level: Int32, hasChecksum: Bool) throws(StagingError) -> OpaquePointer {
    guard let context = unsafe ZSTD_createCCtx() else { throw .compression(reason: "no memory for a zstd context") }
    do {
      try check(unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_compressionLevel, level))
      try check(unsafe ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, hasChecksum ? 1 : 0))
    } catch {
      unsafe ZSTD_freeCCtx(context)
      throw error
    }
    return unsafe context
  }

  /// Appends to `output` what compressing `input` gives so far; with `isLast` the frame is ended, and the next call
  /// starts a new one.
  package mutating func compress(
    _ input: Span<UInt8>, isLast: Bool, into output: inout [UInt8]
  ) throws(StagingError) {
    let mode = isLast ? ZSTD_e_end : ZSTD_e_continue
    var consumed = 0
    var remaining = 0
    repeat {
      output.append(addingCapacity: ZSTD_CStreamOutSize()) { target in
        unsafe target.withUnsafeMutableBufferPointer { memory, count in
          unsafe input.withUnsafeBytes { source in
            var from = unsafe ZSTD_inBuffer(src: source.baseAddress, size: source.count, pos: consumed)
            var to = unsafe ZSTD_outBuffer(dst: memory.baseAddress, size: memory.count, pos: 0)
            remaining = unsafe ZSTD_compressStream2(context, &to, &from, mode)
            consumed = unsafe from.pos
            count = unsafe to.pos
          }
        }
      }
      try ZstdCompressor.check(remaining)
    } while isLast ? remaining > 0 : consumed < input.count
  }

  /// Appends one whole frame that holds `input`.
  package mutating func compressFrame(_ input: Span<UInt8>, into output: inout [UInt8]) throws(StagingError) {
    var result = 0
    output.append(addingCapacity: ZSTD_compressBound(input.count)) { target in
      unsafe target.withUnsafeMutableBufferPointer { memory, count in
        unsafe input.withUnsafeBytes { source in
          result = unsafe ZSTD_compress2(context, memory.baseAddress, memory.count, source.baseAddress, source.count)
        }
        count = ZSTD_isError(result) == 0 ? result : 0
      }
    }
    try ZstdCompressor.check(result)
  }

  private static func check(_ result: Int) throws(StagingError) {
    if ZSTD_isError(result) != 0 { throw .compression(reason: unsafe String(cString: ZSTD_getErrorName(result))) }
  }
}
