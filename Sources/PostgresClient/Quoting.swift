/// SQL text from names and values. Values belong into query parameters; these are for statements that take none.
package enum SQLText {
  /// `"name"`, and `"schema"."name"` for several parts.
  package static func identifier(_ parts: String...) -> String {
    parts.map { "\"" + doubling("\"", in: $0) + "\"" }.joined(separator: ".")
  }

  /// `'text'`, or `E'text'` when it holds a backslash: right under either standard_conforming_strings.
  package static func literal(_ text: String) -> String {
    let quoted = doubling("'", in: text)
    if !quoted.utf8.contains(UInt8(ascii: "\\")) { return "'" + quoted + "'" }
    return "E'" + doubling("\\", in: quoted) + "'"
  }

  /// By scalar, not by Character: a combining mark after the quote must not hide it.
  private static func doubling(_ mark: Unicode.Scalar, in text: String) -> String {
    var result = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      if scalar == mark { result.append(mark) }
      result.append(scalar)
    }
    return String(result)
  }
}
