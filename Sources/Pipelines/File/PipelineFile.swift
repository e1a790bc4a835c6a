internal import Foundation

/// A pipeline: what `hk2pg run FILE` does, as read from a JSON5 file.
///
/// ```
/// {
///   steps: ["import", { run: "prune", older_than: "400d" }],
///   folder: "${HEALTH_EXPORTS}",      // or export: one file; or exports: many, with a user each
///   database: "${DATABASE_URL}",      // options of the steps' commands, with _ for -
///   raw_window: "all",
/// }
/// ```
/// An option above the steps holds for every step whose command has it; in a step, for that step.
package struct PipelineFile: Sendable, Equatable {
  /// What the steps read.
  package enum Source: Sendable, Equatable {
    case none
    case export(String)
    /// The newest export in a folder.
    case folder(String)
    /// Many exports: a pattern with `{user}`, or a CSV file.
    case exports(String)
  }

  package struct Setting: Sendable, Equatable {
    package enum Value: Sendable, Equatable {
      case flag(Bool)
      case text(String)
      case ranks([String: [String]])
    }
    package var value: Value
    /// Line in the file.
    package var line: Int?
    /// Variables of the environment that the value was made of.
    package var variables: [String] = []
  }

  package struct Step: Sendable, Equatable {
    package var command: String
    package var settings: [String: Setting]
    package var argument: Setting?
    package var line: Int?
  }

  package var path: String
  package var steps: [Step]
  package var source: Source
  /// Of the key that names the source.
  package var sourceLine: Int?
  package var settings: [String: Setting]
  package var reportPath: String?
  package var timing: FolderTiming

  /// `reimport` of `pipelines/reimport.json5`.
  package var name: String {
    let file = path.split(separator: "/").last.map(String.init) ?? path
    return file.hasSuffix(".json5") ? String(file.dropLast(6)) : file
  }

  /// Reads the file. `variables` is the environment, `home` replaces `~` at the start of a path.
  package static func read(
    _ path: String, _ vocabulary: PipelineVocabulary, home: String, variables: @escaping (String) -> String?
  ) throws(PipelineFileError) -> PipelineFile {
    guard let data = FileManager.default.contents(atPath: path) else {
      var status = stat()
      // Which reason: asked again, since Foundation does not say.
      let code = unsafe stat(path, &status) == 0 ? (status.st_mode & S_IFMT == S_IFDIR ? EISDIR : EACCES) : errno
      throw .unreadable(errno: code)
    }
    return try PipelineFile(path: path, Array(data), vocabulary, home: home, variables: variables)
  }

  /// `text` is the whole file, in UTF-8.
  package init(
    path: String, _ text: [UInt8], _ vocabulary: PipelineVocabulary, home: String,
    variables: @escaping (String) -> String?
  ) throws(PipelineFileError) {
    let outline = JSON5Outline(text)
    let decoder = JSONDecoder()
    decoder.allowsJSON5 = true
    let root: PipelineValue
    do { root = try decoder.decode(PipelineValue.self, from: Data(text)) } catch {
      throw .notJSON(line: outline.fault?.line, outline.fault?.reason)
    }
    if let doubled = outline.doubled { throw .doubledKey(doubled.path, line: doubled.line) }
    guard case .object(let object) = root else {
      throw .wrongType("", line: outline.lines[""], expected: "an object in braces", found: root.kind)
    }
    let reader = PipelineReader(vocabulary: vocabulary, lines: outline.lines, home: home, variables: variables)
    self = try reader.file(object, path: path)
  }

  package init(
    path: String, steps: [Step], source: Source, sourceLine: Int? = nil, settings: [String: Setting] = [:],
    reportPath: String? = nil, timing: FolderTiming = FolderTiming()
  ) {
    self.path = path
    self.steps = steps
    self.source = source
    self.sourceLine = sourceLine
    self.settings = settings
    self.reportPath = reportPath
    self.timing = timing
  }
}
