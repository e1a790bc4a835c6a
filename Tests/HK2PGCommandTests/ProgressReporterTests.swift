import Foundation
import ImportFlow
import Synchronization
import Testing

@testable import HK2PGCommand

/// Collects what would stand on standard error.
private final class Transcript: Sendable {
  private let stored = Mutex("")
  func append(_ text: String) { stored.withLock { $0 += text } }
  var text: String { stored.withLock { $0 } }
}

@Suite struct ProgressReporterTests {
  private func reporter(
    _ renderer: any ProgressRenderer, _ transcript: Transcript, isQuiet: Bool = false
  ) -> ProgressReporter {
    ProgressReporter(
      renderer, isQuiet: isQuiet, write: { transcript.append($0) }, columns: { nil }, seconds: { 1 })
  }

  @Test func eventsComeFromManyThreads() {
    let transcript = Transcript()
    let reporter = reporter(JSONRenderer(), transcript)
    reporter.whileRunning {
      DispatchQueue.concurrentPerform(iterations: 200) { number in reporter.receive(.note("note \(number)")) }
    }
    let lines = transcript.text.split(separator: "\n")
    #expect(lines.count == 200)
    #expect(Set(lines).count == 200)
    #expect(lines.allSatisfy { $0.hasPrefix("{") && $0.hasSuffix("}") })
  }

  @Test func quietStillShowsFailures() {
    let transcript = Transcript()
    let reporter = reporter(BarRenderer(), transcript, isQuiet: true)
    reporter.whileRunning { reporter.receive(.note("hidden")) }
    reporter.failure(Failure(.failed, "it broke", next: "Mend it."), isDebug: false)
    #expect(transcript.text == "hk2pg: error: it broke\n       Mend it.\n")
  }

  @Test func aFailureClearsTheBarFirst() {
    let transcript = Transcript()
    let reporter = reporter(BarRenderer(), transcript)
    reporter.receive(.began(.read, total: 100))
    reporter.failure(Failure(.failed, "it broke"), isDebug: false)
    #expect(transcript.text.hasSuffix("\r\u{1B}[Khk2pg: error: it broke\n"))
  }

  @Test func aFailureIsJSONWhereProgressIs() {
    let transcript = Transcript()
    reporter(JSONRenderer(), transcript).failure(
      Failure(.refused, "no", next: "Try.", detail: "secret"), isDebug: false)
    #expect(transcript.text == #"{"event":"error","exit_code":4,"next":"Try.","text":"no"}"# + "\n")
  }

  @Test func nothingIsDrawnAfterTheEnd() {
    let transcript = Transcript()
    let reporter = reporter(BarRenderer(), transcript)
    reporter.whileRunning { reporter.receive(.began(.read, total: 100)) }
    #expect(transcript.text.hasSuffix("\r\u{1B}[K"))
    let before = transcript.text
    reporter.receive(.advanced(.read, .init(done: 5, records: 5)))
    #expect(transcript.text == before)
  }

  @Test func autoTakesABarOnATerminalOnly() {
    func kind(_ isTerminal: Bool, _ variables: [String: String], _ progress: OutputSettings.Progress = .auto) -> String
    {
      var around = Surroundings(variables: variables, coreCount: 1, homeFolder: "/h")
      around.isErrorTerminal = isTerminal
      var output = OutputSettings()
      output.progress = progress
      return "\(type(of: ProgressReporter.renderer(output, around)))"
    }
    #expect(kind(true, ["TERM": "xterm"]) == "BarRenderer")
    #expect(kind(true, ["TERM": "dumb"]) == "PlainRenderer")
    #expect(kind(true, [:]) == "PlainRenderer")
    #expect(kind(false, ["TERM": "xterm"]) == "PlainRenderer")
    #expect(kind(false, [:], .bar) == "BarRenderer")
    #expect(kind(true, ["TERM": "xterm"], .json) == "JSONRenderer")
    #expect(kind(true, ["TERM": "xterm"], .none) == "SilentRenderer")
  }
}
