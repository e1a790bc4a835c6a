import PostgresClient

/// Runs tools on a connection that it opens when it is first needed, and again when it was lost. Used from one thread.
final class ToolRunner {
  /// What a call came to.
  enum Outcome: Equatable {
    case result(JSONValue)
    /// In words for the assistant.
    case failed(String)
    case cancelled
  }

  private let open: () throws -> HealthReader
  private let describe: (any Error) -> String
  private let isCancelled: () -> Bool
  private var reader: HealthReader?

  init(
    open: @escaping () throws -> HealthReader, describe: @escaping (any Error) -> String,
    isCancelled: @escaping () -> Bool
  ) {
    self.open = open
    self.describe = describe
    self.isCancelled = isCancelled
  }

  func run(_ tool: ToolDefinition, _ given: [String: JSONValue]) -> Outcome {
    do {
      let arguments = try ToolArguments(given, tool.parameters)
      return .result(try answer(tool, arguments))
    } catch let error as ToolArgumentError {
      return .failed(error.message)
    } catch {
      return isCancelled() ? .cancelled : .failed(describe(error))
    }
  }

  /// A connection that lay idle may be gone, and tables may have changed under it: then once more with a new one.
  private func answer(_ tool: ToolDefinition, _ arguments: ToolArguments) throws -> JSONValue {
    let wasOpen = reader != nil
    do {
      return try attempt(tool, arguments)
    } catch let error as PostgresError where ToolRunner.isStale(error) {
      close()
      guard wasOpen, !isCancelled() else { throw error }
      return try attempt(tool, arguments)
    }
  }

  private func attempt(_ tool: ToolDefinition, _ arguments: ToolArguments) throws -> JSONValue {
    let reader = try self.reader ?? open()
    self.reader = reader
    defer { if !reader.connection.isOpen { close() } }
    return try reader.read { try tool.body($0, arguments) }
  }

  func close() {
    reader?.connection.close()
    reader = nil
  }

  private static func isStale(_ error: PostgresError) -> Bool {
    if error.isConnectionLost { return true }
    return [SQLState.undefinedTable, SQLState.undefinedColumn, SQLState.undefinedSchema].contains(error.sqlState ?? "")
  }
}
