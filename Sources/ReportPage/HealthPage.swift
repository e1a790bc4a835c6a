import Foundation

/// The report as one HTML file, with style, script and data inside. It asks the network for nothing, and its content
/// security policy forbids that it ever does; only the script that carries the page's nonce runs.
///
/// Its parts are the files in `Page`, built into the program.
package enum HealthPage {
  /// - Parameter nonce: letters and digits that nobody can guess, other ones for every page.
  package static func html(_ facts: PageFacts, nonce: String) throws -> [UInt8] {
    let parts = [
      "nonce": Array(nonce.utf8), "style": PackageResources.page_css, "script": script, "data": try data(facts),
    ]
    return filled(PackageResources.page_html, with: parts)
  }

  package static func freshNonce() -> String {
    var generator = SystemRandomNumberGenerator()
    return (0..<2).map { _ in String(generator.next() as UInt64, radix: 36) }.joined()
  }

  /// In this order: each file uses what the ones before it define.
  private static let script =
    PackageResources.words_js + PackageResources.dom_js + PackageResources.series_js + PackageResources.charts_js
    + PackageResources.cards_js + PackageResources.sections_js + PackageResources.records_js + PackageResources.main_js

  /// JSON in which nothing can end the script element it stands in: names of sources are somebody else's text.
  private static func data(_ facts: PageFacts) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    var result: [UInt8] = []
    // In JSON, these stand in strings alone.
    for byte in try encoder.encode(facts) {
      switch byte {
      case UInt8(ascii: "<"): result += Array(#"\u003c"#.utf8)
      case UInt8(ascii: ">"): result += Array(#"\u003e"#.utf8)
      default: result.append(byte)
      }
    }
    return result
  }

  /// Replaces `{{name}}`. What was put in is not looked at again.
  private static func filled(_ template: [UInt8], with parts: [String: [UInt8]]) -> [UInt8] {
    let text = String(decoding: template, as: UTF8.self)
    var result: [UInt8] = []
    var rest = text[...]
    while let start = rest.range(of: "{{"), let end = rest[start.upperBound...].range(of: "}}") {
      result += Array(rest[..<start.lowerBound].utf8)
      let name = String(rest[start.upperBound..<end.lowerBound])
      guard let part = parts[name] else { preconditionFailure("the page has no part \(name)") }
      result += part
      rest = rest[end.upperBound...]
    }
    return result + Array(rest.utf8)
  }
}
