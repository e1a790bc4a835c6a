/// Lines of the main XML by ascending byte offsets, counted in a pass of its own: only for exports with something to
/// tell about.
package struct LineCounter {
  private let stream: ExportByteStream
  private var buffer = [UInt8](repeating: 0, count: 1 << 20)
  private var available = 0
  private var position = 0
  private var offset: Int64 = 0
  private var line = 1

  /// Nil where the XML cannot be read again (standard input).
  package init?(_ export: OpenExport) {
    guard export.kind != .standardInput, let stream = try? export.makeStream() else { return nil }
    self.stream = stream
  }

  /// Line (from 1) that holds the byte `offset`, which is not before that of the last call. Nil beyond the end, or where
  /// the XML cannot be read.
  package mutating func line(at target: Int64) -> Int? {
    while offset < target {
      if position == available {
        guard let count = try? stream.read(into: &buffer), count > 0 else { return nil }
        available = count
        position = 0
      }
      let end = min(available, position + Int(clamping: target - offset))
      for byte in buffer[position..<end] where byte == UInt8(ascii: "\n") { line += 1 }
      offset += Int64(end - position)
      position = end
    }
    return line
  }
}
