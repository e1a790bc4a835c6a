import HealthModel
import Pipelines

extension Failure {
  init(pipeline error: PipelineError) {
    switch error {
    case .file(let path, let error): self.init(file: error, path)
    case .cohort(let error): self.init(cohort: error)
    case .unusedFlag(let option, let file):
      self.init(
        .usage, "no step of \(file) has the option \(option.flag)", next: "Leave it out, or add a step that has it.")
    case .alreadyRunning(let name, let holder):
      self.init(
        .busy, "the pipeline \(name.shown()) is running already" + (holder.map { " (\($0.shown()))" } ?? ""),
        next: "Nothing was done. Wait until that run is over, or end it.")
    case .folder(let path, let number):
      self.init(
        SystemError.isMissingPath(number) ? .usage : .failed,
        "cannot look into the folder \(path.shown(limit: 200)): \(SystemError.words(number))",
        next: "Check the path in the pipeline file, and the rights of the folder.")
    case .incomplete(let path, let error):
      let reason = Failure(export: error, path: path)
      self.init(
        .failed, "the newest export is not whole: \(reason.what)",
        next: "Wait until it is copied or synced to the end, or fetch it again.")
    case .watchNeedsFolder(let name):
      self.init(.usage, "--watch needs a folder, and \(name) has none", next: "Write folder: \"…\" in the file.")
    case .unknownUser(let path):
      self.init(
        .usage, "the user named has no export in \(path.shown(limit: 200))",
        next: "Leave --user out to import all of them.")
    case .crashed(let status):
      let how = status > 128 ? "was ended by signal \(status - 128)" : "ended without a result (exit code \(status))"
      self.init(.failed, "its process \(how)", next: "Run it alone with --user ID to see why.")
    }
  }

  // MARK: The file

  private init(file error: PipelineFileError, _ path: String) {
    let name = path.shown(limit: 200)
    func at(_ line: Int?) -> String { line.map { "\(name), line \($0)" } ?? name }
    func quoted(_ key: String) -> String { "“\(key.shown(limit: 80))”" }
    switch error {
    case .unreadable(let number):
      self.init(
        SystemError.isMissingPath(number) ? .usage : .failed, "cannot read \(name): \(SystemError.words(number))",
        next: SystemError.isMissingPath(number) ? "pipelines/ has examples: hk2pg run --help" : nil)
    case .notJSON(let line, let fault):
      self.init(
        .usage, "\(at(line)): this is not JSON5" + (fault.map { ": " + Failure.words($0) } ?? ""),
        next: "JSON5 is JSON with comments, names without quotes and commas at the end: https://json5.org")
    case .doubledKey(let key, let line):
      self.init(.usage, "\(at(line)): \(quoted(key)) stands there twice", next: "Leave one of them.")
    case .unknownKey(let key, let line, let known):
      let word = key.split(separator: ".").last.map(String.init) ?? key
      self.init(
        .usage, "\(at(line)): there is no key \(quoted(key))",
        next: NearestWord.of(word, among: known).map { "Did you mean \($0)?" }
          ?? "Keys: \(known.joined(separator: ", "))")
    case .unusedKey(let key, let line, let steps):
      let isInStep = key.contains(".")
      self.init(
        .usage, "\(at(line)): \(quoted(key)) is of no use to \(isInStep ? "this step" : "the steps of this file")",
        next: "It belongs to: \(steps.joined(separator: ", ")).")
    case .wrongType(let key, let line, let expected, let found):
      self.init(
        .usage, "\(at(line)): \(key.isEmpty ? "the file" : quoted(key)) cannot be \(found)",
        next: "Expected: \(expected).")
    case .missingKey(let key, let expected):
      self.init(.usage, "\(name): the key \(quoted(key)) is missing", next: "It is \(expected).")
    case .unknownStep(let word, let key, let line, let known):
      self.init(
        .usage, "\(at(line)): there is no step \(quoted(word)) (\(key))",
        next: NearestWord.of(word, among: known).map { "Did you mean \($0)?" }
          ?? "Steps: \(known.joined(separator: ", "))")
    case .exclusiveKeys(let a, let b, let line):
      self.init(.usage, "\(at(line)): \(quoted(a)) and \(quoted(b)) exclude each other", next: "Leave one of them.")
    case .missingVariable(let variable, let key, let line):
      self.init(
        .usage, "\(at(line)): the environment variable \(variable) is not set, and \(quoted(key)) needs it",
        next: "Set it (export \(variable)=…), or write ${\(variable):-VALUE} for a default.")
    case .badReference(let key, let line):
      self.init(
        .usage, "\(at(line)): \(quoted(key)) has a reference that cannot be read",
        next: "Write ${NAME}, ${NAME:-default}, or $${ for the text ${.")
    case .literalSecret(let key, let line):
      self.init(
        .usage, "\(at(line)): \(quoted(key)) has a password in it, and files get copied, synced and committed",
        next: "Write ${DATABASE_URL} or ${PGPASSWORD}, and set that in the environment; or use ~/.pgpass.")
    case .noUserHere(let key, let line):
      self.init(
        .usage, "\(at(line)): \(quoted(key)) has {user} in it, which only a pipeline with exports: has",
        next: "Write the name itself.")
    }
  }

  private static func words(_ fault: PipelineFileError.Fault) -> String {
    switch fault {
    case .endsEarly: "it ends too early"
    case .unexpected(let text): "unexpected “\(text.shown())”"
    case .missingComma: "a comma is missing before this"
    case .missingColon(let key): "a colon is missing after “\(key.shown())”"
    case .unclosed(let mark, let line): "“\(mark)” of line \(line) is not closed"
    case .unclosedString: "a text is not closed"
    case .tooDeep: "too many levels"
    }
  }

  // MARK: Many exports

  private init(cohort error: CohortError) {
    switch error {
    case .unreadable(let path, let number):
      self.init(
        SystemError.isMissingPath(number) ? .usage : .failed,
        "cannot read \(path.shown(limit: 200)): \(SystemError.words(number))", next: "Check the key exports.")
    case .empty(let path):
      self.init(.usage, "there are no exports: \(path.shown(limit: 200))", next: "Check the key exports.")
    case .badPattern(let pattern, let reason):
      self.init(
        .usage,
        "\(pattern.shown(limit: 200)): "
          + (reason == .doubledUser ? "{user} stands twice in one name" : "* and {user} stand side by side"),
        next: "Write for instance exports/{user}.zip or exports/{user}/*.zip.")
    case .badTable(let path, let line, let reason):
      self.init(
        .usage, "\(path.shown(limit: 200)), line \(line): \(Failure.words(reason))",
        next: "The first line is export,user or export,user,timezone.")
    }
  }

  private static func words(_ reason: CohortError.Table) -> String {
    switch reason {
    case .noHeader: "the file is empty"
    case .missingColumn(let name): "the column \(name) is missing"
    case .unknownColumn(let name): "there is no column “\(name.shown())”"
    case .doubledColumn(let name): "the column \(name) stands twice"
    case .wrongCount(let expected, let found): "\(found) fields instead of \(expected)"
    case .emptyField(let name): "\(name) is empty"
    case .unclosedQuote: "a quote is not closed"
    case .textAfterQuote: "there is text after a closing quote"
    case .doubledUser(let first): "the user of line \(first) once more"
    case .notUTF8: "the file is not UTF-8"
    }
  }
}
