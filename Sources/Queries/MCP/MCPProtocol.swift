/// What the server says about itself.
package struct MCPServerInfo: Sendable {
  package var version: String

  package init(version: String) { self.version = version }

  var json: JSONValue { ["name": "hk2pg", "title": "hk2pg: Apple Health in PostgreSQL", "version": .string(version)] }

  static let instructions = """
    One person's Apple Health data. Figures are by local day; each day comes from a stored summary or from raw samples \
    ("source"), and time that several devices recorded counts once. A night belongs to the day of waking up. No data is \
    not zero: days without data are absent. list_metrics tells what there is; metrics have short names (steps, hrv, \
    resting-heart-rate, sleep, weight) or HealthKit identifiers.
    """
}

/// The protocol without its transport: one line in, what is to be done out. No I/O, no threads.
///
/// ```
/// line ─► receive ─► .send      an answer that needs no data
///                    .run       tool calls, in order; their answers go out together if they came in a batch
///                    .cancel    a call that is wanted no more, waiting or running
/// ```
struct MCPProtocol {
  enum Effect: Equatable {
    case send(JSONValue)
    case run(Job)
    case cancel(id: JSONValue)
  }

  /// One call, or a batch with at least one.
  struct Job: Equatable {
    var items: [Item]
    var isBatch: Bool
  }

  enum Item: Equatable {
    case answer(JSONValue)
    case call(ToolCall)
  }

  struct ToolCall: Equatable {
    var id: JSONValue
    var tool: String
    var arguments: [String: JSONValue]
    var revision: MCPRevision
  }

  let info: MCPServerInfo
  let tools: [ToolDefinition]
  /// Agreed on by `initialize`; nil before.
  private(set) var revision: MCPRevision?

  init(info: MCPServerInfo, tools: [ToolDefinition]) {
    self.info = info
    self.tools = tools
  }

  mutating func receive(_ line: [UInt8]) -> [Effect] {
    guard let message = JSONValue(parsing: line) else { return [.send(RPCError.noJSON.reply(to: .null))] }
    guard case .array(let messages) = message else {
      var effects: [Effect] = []
      for item in take(message, &effects) { effects.append(MCPProtocol.effect(item)) }
      return effects
    }
    return receive(batch: messages)
  }

  private static func effect(_ item: Item) -> Effect {
    switch item {
    case .answer(let answer): .send(answer)
    case .call: .run(Job(items: [item], isBatch: false))
    }
  }

  private mutating func receive(batch messages: [JSONValue]) -> [Effect] {
    if messages.isEmpty { return [.send(RPCError.invalidRequest("an empty batch").reply(to: .null))] }
    if let revision, !revision.hasBatches {
      return [.send(RPCError.invalidRequest("revision \(revision.rawValue) has no batches").reply(to: .null))]
    }
    var effects: [Effect] = []
    var items: [Item] = []
    for message in messages { items += take(message, &effects) }
    let answers = items.compactMap { if case .answer(let answer) = $0 { answer } else { nil } }
    if answers.count < items.count {
      effects.append(.run(Job(items: items, isBatch: true)))
    } else if !answers.isEmpty {
      effects.append(.send(.array(answers)))
    }
    return effects
  }

  /// The answer to one message, or the call it asks for; nothing for a notification or a response.
  private mutating func take(_ message: JSONValue, _ effects: inout [Effect]) -> [Item] {
    guard case .object(let members) = message else {
      return [.answer(RPCError.invalidRequest("no object").reply(to: .null))]
    }
    let id = members["id"]
    guard members["jsonrpc"] == "2.0" else {
      return [.answer(RPCError.invalidRequest("jsonrpc is not \"2.0\"").reply(to: MCPProtocol.usable(id)))]
    }
    guard let method = members["method"]?.string else {
      // Responses to requests that this server never makes.
      if members["result"] != nil || members["error"] != nil { return [] }
      return [.answer(RPCError.invalidRequest("no method").reply(to: MCPProtocol.usable(id)))]
    }
    guard let id else {
      notice(method, members["params"], &effects)
      return []
    }
    guard MCPProtocol.usable(id) != .null else {
      return [.answer(RPCError.invalidRequest("id is neither text nor number").reply(to: .null))]
    }
    do {
      return [try answer(method, id, members["params"])]
    } catch {
      return [.answer(error.reply(to: id))]
    }
  }

  /// An id that can be answered to.
  private static func usable(_ id: JSONValue?) -> JSONValue {
    switch id {
    case .string, .int, .number: id ?? .null
    default: .null
    }
  }

  private func notice(_ method: String, _ params: JSONValue?, _ effects: inout [Effect]) {
    if method == "notifications/cancelled", let id = params?["requestId"] { effects.append(.cancel(id: id)) }
  }

  // MARK: Requests

  private mutating func answer(
    _ method: String, _ id: JSONValue, _ params: JSONValue?
  ) throws(RPCError) -> Item {
    if let params, params.object == nil { throw .invalidParams("params is no object") }
    if method == "initialize" { return .answer(try initialize(id, params)) }
    let revision = try revision(of: params, method)
    switch method {
    case "ping": return result(id, [:], revision)
    case "server/discover" where !revision.hasHandshake:
      return result(id, discovery, revision)
    case "tools/list":
      if params?["cursor"] != nil { throw .invalidParams("there is one page, so no cursor") }
      var list: [String: JSONValue] = ["tools": .array(tools.map { $0.json(revision) })]
      if !revision.hasHandshake { list.merge(MCPProtocol.cacheable) { $1 } }
      return result(id, list, revision)
    case "tools/call": return .call(try call(id, params, revision))
    default: throw .methodNotFound(method)
    }
  }

  private mutating func initialize(_ id: JSONValue, _ params: JSONValue?) throws(RPCError) -> JSONValue {
    guard let requested = params?["protocolVersion"]?.string else { throw .invalidParams("no protocolVersion") }
    let known = MCPRevision(rawValue: requested).flatMap { $0.hasHandshake ? $0 : nil }
    let agreed = known ?? .newestWithHandshake
    revision = agreed
    return [
      "jsonrpc": "2.0", "id": id,
      "result": [
        "protocolVersion": .string(agreed.rawValue), "capabilities": MCPProtocol.capabilities,
        "serverInfo": info.json, "instructions": .string(MCPServerInfo.instructions),
      ],
    ]
  }

  /// What the request itself says, else what was agreed on.
  private func revision(of params: JSONValue?, _ method: String) throws(RPCError) -> MCPRevision {
    if let named = params?["_meta"]?[MCPMeta.version] {
      guard let text = named.string else { throw .invalidParams("\(MCPMeta.version) is no text") }
      guard let revision = MCPRevision(rawValue: text), !revision.hasHandshake else { throw .unsupportedVersion(text) }
      if params?["_meta"]?[MCPMeta.capabilities]?.object == nil {
        throw .invalidParams("no \(MCPMeta.capabilities) in _meta")
      }
      return revision
    }
    if let revision { return revision }
    if method == "ping" { return .newestWithHandshake }
    guard ["tools/list", "tools/call"].contains(method) else { throw .methodNotFound(method) }
    throw .invalidRequest("initialize comes first")
  }

  private func call(_ id: JSONValue, _ params: JSONValue?, _ revision: MCPRevision) throws(RPCError) -> ToolCall {
    guard let name = params?["name"]?.string else { throw .invalidParams("no name of a tool") }
    guard tools.contains(where: { $0.name == name }) else {
      throw .invalidParams("unknown tool \(name.prefix(80))")
    }
    let arguments = params?["arguments"] ?? [:]
    guard let members = arguments == .null ? [:] : arguments.object else {
      throw .invalidParams("arguments is no object")
    }
    return ToolCall(id: id, tool: name, arguments: members, revision: revision)
  }

  private static let capabilities: JSONValue = ["tools": ["listChanged": false]]
  /// The same for everybody, for as long as the server runs.
  private static let cacheable: [String: JSONValue] = ["ttlMs": 3_600_000, "cacheScope": "public"]

  private var discovery: [String: JSONValue] {
    let versions = MCPRevision.allCases.filter { !$0.hasHandshake }.map { JSONValue.string($0.rawValue) }
    let own: [String: JSONValue] = [
      "supportedVersions": .array(versions), "capabilities": MCPProtocol.capabilities,
      "instructions": .string(MCPServerInfo.instructions),
    ]
    return own.merging(MCPProtocol.cacheable) { $1 }
  }

  private func result(_ id: JSONValue, _ members: [String: JSONValue], _ revision: MCPRevision) -> Item {
    .answer(reply(to: id, members, revision))
  }

  /// A successful answer in the dress of the revision.
  func reply(to id: JSONValue, _ members: [String: JSONValue], _ revision: MCPRevision) -> JSONValue {
    var members = members
    if !revision.hasHandshake {
      members["resultType"] = "complete"
      members["_meta"] = [MCPMeta.serverInfo: info.json]
    }
    return ["jsonrpc": "2.0", "id": id, "result": .object(members)]
  }
}
