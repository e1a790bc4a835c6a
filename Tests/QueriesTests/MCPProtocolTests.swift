import Testing

@testable import Queries

@Suite struct MCPProtocolTests {
  private static let tools = HealthTools.all

  private func talk(_ revision: String? = "2025-06-18") throws -> MCPProtocol {
    var talk = MCPProtocol(info: MCPServerInfo(version: "1.2.3"), tools: MCPProtocolTests.tools)
    if let revision {
      let effects = talk.receive(
        Array(
          #"{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"\#(revision)","capabilities":{}}}"#
            .utf8))
      #expect(effects.count == 1)
    }
    return talk
  }

  private func answers(_ effects: [MCPProtocol.Effect]) -> [JSONValue] {
    effects.compactMap { if case .send(let answer) = $0 { answer } else { nil } }
  }

  private func answer(_ talk: inout MCPProtocol, _ line: String) throws -> JSONValue {
    let all = answers(talk.receive(Array(line.utf8)))
    #expect(all.count == 1)
    return try #require(all.first)
  }

  private func code(_ answer: JSONValue) -> Int? { answer["error"]?["code"]?.int }

  // MARK: Agreeing on a revision

  @Test(arguments: [
    ("2024-11-05", "2024-11-05"), ("2025-03-26", "2025-03-26"), ("2025-06-18", "2025-06-18"),
    ("2025-11-25", "2025-11-25"), ("2099-01-01", "2025-11-25"), ("2026-07-28", "2025-11-25"), ("x", "2025-11-25"),
  ])
  func initializeAgreesOnARevision(_ asked: String, _ agreed: String) throws {
    var talk = try talk(nil)
    let result = try answer(
      &talk, #"{"jsonrpc":"2.0","id":"a","method":"initialize","params":{"protocolVersion":"\#(asked)"}}"#)
    #expect(result["id"] == "a")
    #expect(result["result"]?["protocolVersion"] == .string(agreed))
    #expect(result["result"]?["serverInfo"]?["version"] == "1.2.3")
    #expect(result["result"]?["capabilities"]?["tools"] != nil)
    #expect(talk.revision?.rawValue == agreed)
  }

  @Test func nothingButPingComesBeforeInitialize() throws {
    var talk = try talk(nil)
    #expect(try answer(&talk, #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#)["result"] == [:])
    #expect(code(try answer(&talk, #"{"jsonrpc":"2.0","id":2,"method":"tools/list"}"#)) == -32600)
    #expect(code(try answer(&talk, #"{"jsonrpc":"2.0","id":3,"method":"initialize"}"#)) == -32602)
  }

  /// Revision 2026-07-28 has no handshake: each request says what it speaks.
  @Test func requestsMayCarryTheirRevision() throws {
    var talk = try talk(nil)
    let meta =
      #""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}"#
    let found = try answer(&talk, #"{"jsonrpc":"2.0","id":1,"method":"server/discover","params":{\#(meta)}}"#)
    #expect(found["result"]?["supportedVersions"] == ["2026-07-28"])
    #expect(found["result"]?["resultType"] == "complete")
    #expect(found["result"]?["_meta"]?["io.modelcontextprotocol/serverInfo"]?["name"] == "hk2pg")
    let list = try answer(&talk, #"{"jsonrpc":"2.0","id":2,"method":"tools/list","params":{\#(meta)}}"#)
    #expect(list["result"]?["tools"]?.array?.count == 11)
    #expect(list["result"]?["cacheScope"] == "public" && list["result"]?["ttlMs"]?.int == 3_600_000)

    let other = meta.replacing("2026-07-28", with: "2027-01-01")
    let refused = try answer(&talk, #"{"jsonrpc":"2.0","id":3,"method":"tools/list","params":{\#(other)}}"#)
    #expect(code(refused) == -32022)
    #expect(refused["error"]?["data"] == ["supported": ["2026-07-28"], "requested": "2027-01-01"])
    let bare = #""_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28"}"#
    #expect(
      code(try answer(&talk, #"{"jsonrpc":"2.0","id":4,"method":"tools/list","params":{\#(bare)}}"#)) == -32602)
  }

  @Test func anOlderClientIsToldWhatItKnows() throws {
    var old = try talk("2024-11-05")
    let list = try answer(&old, #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#)
    let tool = try #require(list["result"]?["tools"]?.array?.first?.object)
    #expect(Set(tool.keys) == ["name", "description", "inputSchema"])
    var newer = try talk("2025-11-25")
    let full = try answer(&newer, #"{"jsonrpc":"2.0","id":1,"method":"tools/list"}"#)
    let fullTool = try #require(full["result"]?["tools"]?.array?.first?.object)
    #expect(
      Set(fullTool.keys) == ["name", "title", "description", "inputSchema", "outputSchema", "annotations"])
    #expect(fullTool["annotations"]?["readOnlyHint"] == true && fullTool["annotations"]?["openWorldHint"] == false)
  }

  // MARK: Mistakes

  @Test(arguments: [
    ("nonsense", -32700), (#"{"jsonrpc":"2.0","id":1,"method":"ping"}{}"#, -32700), ("{", -32700),
    ("7", -32600), (#"{"id":1,"method":"ping"}"#, -32600), (#"{"jsonrpc":"1.0","id":1,"method":"ping"}"#, -32600),
    (#"{"jsonrpc":"2.0","id":1}"#, -32600), (#"{"jsonrpc":"2.0","id":null,"method":"ping"}"#, -32600),
    (#"{"jsonrpc":"2.0","id":{},"method":"ping"}"#, -32600),
    (#"{"jsonrpc":"2.0","id":1,"method":"resources/list"}"#, -32601),
    (#"{"jsonrpc":"2.0","id":1,"method":"server/discover"}"#, -32601),
    (#"{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}"#, -32602),
    (#"{"jsonrpc":"2.0","id":1,"method":"tools/list","params":{"cursor":"x"}}"#, -32602),
    (#"{"jsonrpc":"2.0","id":1,"method":"tools/call"}"#, -32602),
    (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"drop_tables"}}"#, -32602),
    (#"{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"get_sleep","arguments":[1]}}"#, -32602),
    ("[]", -32600), (#"[{"jsonrpc":"2.0","id":1,"method":"ping"}]"#, -32600),
  ])
  func mistakesHaveTheirCodes(_ line: String, _ expected: Int) throws {
    var talk = try talk()
    #expect(code(try answer(&talk, line)) == expected)
    // And the server goes on.
    #expect(try answer(&talk, #"{"jsonrpc":"2.0","id":9,"method":"ping"}"#)["id"] == 9)
  }

  @Test(arguments: [
    #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#, #"{"jsonrpc":"2.0","method":"unheard/of"}"#,
    #"{"jsonrpc":"2.0","id":5,"result":{}}"#, #"{"jsonrpc":"2.0","id":5,"error":{"code":1,"message":"x"}}"#,
  ])
  func notificationsAndResponsesGetNoAnswer(_ line: String) throws {
    var talk = try talk()
    #expect(talk.receive(Array(line.utf8)).isEmpty)
  }

  // MARK: Calls

  @Test func callsAndCancellationsComeOut() throws {
    var talk = try talk()
    let line = #"{"jsonrpc":"2.0","id":7,"method":"tools/call","params":{"name":"get_sleep","arguments":{"days":3}}}"#
    let call = MCPProtocol.ToolCall(id: 7, tool: "get_sleep", arguments: ["days": 3], revision: .june2025)
    #expect(talk.receive(Array(line.utf8)) == [.run(MCPProtocol.Job(items: [.call(call)], isBatch: false))])
    let cancel = #"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7,"reason":"x"}}"#
    #expect(talk.receive(Array(cancel.utf8)) == [.cancel(id: 7)])
  }

  @Test func batchesOfOlderRevisionsAreAnsweredTogether() throws {
    var talk = try talk("2025-03-26")
    let ping = #"{"jsonrpc":"2.0","id":1,"method":"ping"}"#
    let note = #"{"jsonrpc":"2.0","method":"notifications/initialized"}"#
    let pong: JSONValue = ["jsonrpc": "2.0", "id": 1, "result": [:]]
    #expect(talk.receive(Array("[\(ping),\(note)]".utf8)) == [.send([pong])])
    #expect(talk.receive(Array("[\(note)]".utf8)).isEmpty)
    let list = #"{"jsonrpc":"2.0","id":2,"method":"tools/call","params":{"name":"list_metrics"}}"#
    let call = MCPProtocol.ToolCall(id: 2, tool: "list_metrics", arguments: [:], revision: .march2025)
    #expect(
      talk.receive(Array("[\(ping),\(list),7]".utf8)) == [
        .run(
          MCPProtocol.Job(
            items: [
              .answer(pong), .call(call), .answer(RPCError.invalidRequest("no object").reply(to: .null)),
            ], isBatch: true))
      ])
  }

  @Test func toolsHaveTheNamesPeopleUse() {
    let known = [
      "get_health_summary": ["days"], "get_sleep": ["days"], "get_hrv_trend": ["days"],
      "query_metric": ["metric_type", "days", "limit"], "get_workouts": ["days", "limit"],
      "get_daily_snapshot": ["date"], "get_long_term_trend": ["metric_type", "months"],
      "get_metric_stats": ["metric_type", "days"],
      "compare_periods": ["metric_type", "period_a_start", "period_a_end", "period_b_start", "period_b_end"],
      "search_records": ["metric_type", "days", "min_value", "max_value", "limit"], "list_metrics": [],
    ]
    for tool in HealthTools.all {
      #expect(known[tool.name].map(Set.init) == Set(tool.parameters.map(\.name)), "\(tool.name)")
    }
    #expect(HealthTools.all.count == known.count)
  }
}
