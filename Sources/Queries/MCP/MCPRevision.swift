/// Revisions of the Model Context Protocol, oldest first, and what each of them has.
enum MCPRevision: String, CaseIterable, Comparable {
  case november2024 = "2024-11-05"
  case march2025 = "2025-03-26"
  case june2025 = "2025-06-18"
  case november2025 = "2025-11-25"
  /// Without a handshake: every request says its revision in `_meta`.
  case july2026 = "2026-07-28"

  static func < (a: MCPRevision, b: MCPRevision) -> Bool { a.rawValue < b.rawValue }

  /// What `initialize` answers to a revision that is not known.
  static let newestWithHandshake = MCPRevision.november2025

  var hasHandshake: Bool { self < .july2026 }
  /// Several messages in an array.
  var hasBatches: Bool { self <= .march2025 }
  var hasAnnotations: Bool { self >= .march2025 }
  /// Titles, output schemas, structured results.
  var hasStructuredResults: Bool { self >= .june2025 }
}

/// Members of a request's `_meta` from revision 2026-07-28 on.
enum MCPMeta {
  static let version = "io.modelcontextprotocol/protocolVersion"
  static let capabilities = "io.modelcontextprotocol/clientCapabilities"
  static let serverInfo = "io.modelcontextprotocol/serverInfo"
}

/// A JSON-RPC error.
struct RPCError: Error, Equatable {
  var code: Int
  var message: String
  var data: JSONValue?

  static let noJSON = RPCError(code: -32700, message: "Parse error: this line is no JSON")
  static func invalidRequest(_ why: String) -> RPCError { RPCError(code: -32600, message: "Invalid request: \(why)") }
  static func methodNotFound(_ method: String) -> RPCError {
    RPCError(code: -32601, message: "Method not found", data: .string(method))
  }
  static func invalidParams(_ why: String) -> RPCError { RPCError(code: -32602, message: "Invalid params: \(why)") }
  static func unsupportedVersion(_ requested: String) -> RPCError {
    RPCError(
      code: -32022, message: "Unsupported protocol version",
      data: [
        "supported": .array(MCPRevision.allCases.filter { !$0.hasHandshake }.map { .string($0.rawValue) }),
        "requested": .string(requested),
      ])
  }

  func reply(to id: JSONValue) -> JSONValue {
    var error: [String: JSONValue] = ["code": .int(code), "message": .string(message)]
    error["data"] = data
    return ["jsonrpc": "2.0", "id": id, "error": .object(error)]
  }
}
