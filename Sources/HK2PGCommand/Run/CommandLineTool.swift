import BoundedQueues
import Foundation
import ImportFlow

/// The whole of hk2pg: words in, exit code out.
package enum CommandLineTool {
  /// Never returns. Reads this process's own command line and surroundings.
  package static func main() -> Never {
    let arguments = Array(CommandLine.arguments.dropFirst())
    ProcessListing.hidePasswords()
    let code = run(arguments, .ofThisProcess())
    exit(code.rawValue)
  }

  static func run(_ arguments: [String], _ surroundings: Surroundings) -> ExitCode {
    var output = OutputSettings()
    do {
      var builder = InvocationBuilder(try RawArguments(parsing: arguments), surroundings)
      let invocation = try builder.build()
      output = invocation.output
      for note in builder.notes { Console.writeMessage("hk2pg: \(note)\n") }
      return try run(invocation)
    } catch {
      let failure = Failure(error)
      Console.writeMessage(failure.text(isDebug: output.isDebug))
      return failure.code
    }
  }

  private static func run(_ invocation: Invocation) throws -> ExitCode {
    switch invocation.command {
    case .help(let command): Console.writeResult(HelpPage.text(for: command))
    case .version: Console.writeResult("hk2pg \(HK2PGVersion.current)\n")
    default: throw UsageError.missingCommand
    }
    return .done
  }
}
