/// Why a side file could not be read; it is left out then, and counted. Offsets are bytes of that file.
package enum SideFileError: Error, Equatable, Sendable {
  /// `code` as in `xmlParserErrors`, -1 for a DOCTYPE, which no route has.
  case malformedXML(at: Int, code: Int)
  case notGPX(root: String)
  /// An ECG file without a date that can be read.
  case noDate
  /// An ECG file without a single voltage.
  case noVoltages
  /// A line among the voltages that is no number.
  case notANumber(at: Int)
  case malformedJSON(at: Int)
  /// JSON, but beyond what `jsonb` can hold: U+0000, a lone surrogate, an absurd number or depth.
  case unstorableJSON(at: Int)
  case outOfMemory
}
