/// Takes the decoded values of a pipeline file apart, key by key.
struct PipelineReader {
  let vocabulary: PipelineVocabulary
  let lines: [String: Int]
  let home: String
  let variables: (String) -> String?

  typealias Setting = PipelineFile.Setting

  func file(_ object: [String: PipelineValue], path: String) throws(PipelineFileError) -> PipelineFile {
    try checkKeys(object)
    let steps = try self.steps(object["steps"])
    var own: [String: Setting] = [:]
    for (key, kind) in PipelineVocabulary.ownKeys { own[key] = try setting(key, object[key], kind) }
    let settings = try shared(object, steps)
    let (source, line) = try self.source(own, steps)
    let file = PipelineFile(
      path: path, steps: steps, source: source, sourceLine: line, settings: settings,
      reportPath: own["report"]?.plainText, timing: try timing(own))
    try checkPlaceholders(file, report: own["report"])
    return file
  }

  private func line(_ key: String) -> Int? { lines[key] }

  // MARK: Keys

  /// An unknown key first of all: a typo is the likeliest mistake.
  private func checkKeys(_ object: [String: PipelineValue]) throws(PipelineFileError) {
    let known = Set(vocabulary.sharedKeys(of: vocabulary.steps.keys).keys).union(PipelineVocabulary.ownKeys.keys)
      .union(["steps"])
    for key in object.keys.sorted(by: inOrder) where !known.contains(key) {
      throw .unknownKey(key, line: line(key), known: known.sorted())
    }
  }

  /// Of two mistakes the one further up is told.
  private func inOrder(_ a: String, _ b: String) -> Bool { (lines[a] ?? 0, a) < (lines[b] ?? 0, b) }

  private func shared(
    _ object: [String: PipelineValue], _ steps: [PipelineFile.Step]
  ) throws(PipelineFileError) -> [String: Setting] {
    let all = vocabulary.sharedKeys(of: vocabulary.steps.keys)
    let used = vocabulary.sharedKeys(of: steps.map(\.command))
    var result: [String: Setting] = [:]
    for key in object.keys.sorted(by: inOrder) {
      guard let kind = all[key], PipelineVocabulary.ownKeys[key] == nil else { continue }
      guard used[key] != nil || key == "jobs" else {
        throw .unusedKey(key, line: line(key), steps: owners(of: key))
      }
      result[key] = try setting(key, object[key], kind)
    }
    return result
  }

  private func owners(of key: String) -> [String] {
    vocabulary.steps.filter { $0.value.options[key] != nil || $0.value.argument == key }.keys.sorted()
  }

  // MARK: Steps

  private func steps(_ value: PipelineValue?) throws(PipelineFileError) -> [PipelineFile.Step] {
    let expected = "a list of steps, for instance [\"import\"]"
    guard let value else { throw .missingKey("steps", expected: expected) }
    guard case .list(let elements) = value, !elements.isEmpty else {
      let found = value == .list([]) ? "an empty list" : value.kind
      throw .wrongType("steps", line: line("steps"), expected: expected, found: found)
    }
    var steps: [PipelineFile.Step] = []
    for (index, element) in elements.enumerated() {
      let path = "steps[\(index)]"
      switch element {
      case .text(let word): steps.append(try step(word, [:], path, nameAt: path))
      case .object(var object):
        guard let name = object.removeValue(forKey: "run") else {
          throw .missingKey(path + ".run", expected: "the step’s command, for instance run: \"prune\"")
        }
        guard case .text(let word) = name else {
          throw .wrongType(path + ".run", line: line(path + ".run"), expected: "text", found: name.kind)
        }
        steps.append(try step(word, object, path, nameAt: path + ".run"))
      default:
        throw .wrongType(
          path, line: line(path), expected: "a command’s name, or an object with run: and its options",
          found: element.kind)
      }
    }
    return steps
  }

  private func step(
    _ word: String, _ object: [String: PipelineValue], _ path: String, nameAt namePath: String
  ) throws(PipelineFileError) -> PipelineFile.Step {
    guard let known = vocabulary.steps[word] else {
      throw .unknownStep(word, key: namePath, line: line(namePath), known: vocabulary.steps.keys.sorted())
    }
    var step = PipelineFile.Step(command: word, settings: [:], argument: nil, line: line(path))
    for key in object.keys.sorted(by: { inOrder("\(path).\($0)", "\(path).\($1)") }) {
      let keyPath = "\(path).\(key)"
      if key == known.argument {
        step.argument = try setting(keyPath, object[key], .path)
      } else if let kind = known.options[key] {
        step.settings[key] = try setting(keyPath, object[key], kind)
      } else if owners(of: key).isEmpty {
        let keys = Array(known.options.keys) + [known.argument, "run"].compactMap(\.self)
        throw .unknownKey(keyPath, line: line(keyPath), known: keys.sorted())
      } else {
        throw .unusedKey(keyPath, line: line(keyPath), steps: owners(of: key))
      }
    }
    if let argument = known.argument, step.argument == nil, !known.readsExport {
      throw .missingKey("\(path).\(argument)", expected: "what the step \(word) works on")
    }
    return step
  }

  // MARK: Source

  private func source(
    _ own: [String: Setting], _ steps: [PipelineFile.Step]
  ) throws(PipelineFileError) -> (PipelineFile.Source, Int?) {
    let given = ["export", "folder", "exports"].filter { own[$0] != nil }
    if given.count > 1 { throw .exclusiveKeys(given[0], given[1], line: line(given[1])) }
    let reader = steps.first { $0.argument == nil && vocabulary.steps[$0.command]?.readsExport ?? false }
    guard let key = given.first, let path = own[key]?.plainText else {
      guard let reader else { return (.none, nil) }
      throw .missingKey(
        "export",
        expected: "a file that the step \(reader.command) reads; or name a folder (the newest in it) or exports (many)")
    }
    guard reader != nil else { throw .unusedKey(key, line: line(key), steps: exportReaders) }
    switch key {
    case "export": return (.export(path), line(key))
    case "folder": return (.folder(path), line(key))
    default:
      guard path.lowercased().hasSuffix(".csv") || path.contains(ExportPattern.userMark) else {
        throw .wrongType(
          key, line: line(key), expected: "a path with {user} in it, or a .csv file", found: "a path without")
      }
      return (.exports(path), line(key))
    }
  }

  private var exportReaders: [String] { vocabulary.steps.filter(\.value.readsExport).keys.sorted() }

  /// `{user}` means something only where every export has a user of its own.
  private func checkPlaceholders(_ file: PipelineFile, report: Setting?) throws(PipelineFileError) {
    if case .exports = file.source { return }
    func check(_ key: String, _ setting: Setting?) throws(PipelineFileError) {
      if let text = setting?.plainText, text.contains(ExportPattern.userMark) {
        throw .noUserHere(key: key, line: setting?.line)
      }
    }
    try check("report", report)
    for (key, setting) in file.settings { try check(key, setting) }
    for (index, step) in file.steps.enumerated() {
      try check("steps[\(index)]", step.argument)
      for (key, setting) in step.settings { try check("steps[\(index)].\(key)", setting) }
    }
  }

  private func timing(_ own: [String: Setting]) throws(PipelineFileError) -> FolderTiming {
    var timing = FolderTiming()
    for (key, target) in [
      ("settle_seconds", \FolderTiming.settle), ("give_up_seconds", \.giveUp), ("poll_seconds", \.poll),
      ("retry_seconds", \.retry),
    ] as [(String, WritableKeyPath<FolderTiming, Double>)] {
      guard let text = own[key]?.plainText else { continue }
      guard let seconds = Int(text), (1...86_400).contains(seconds) else {
        throw .wrongType(key, line: line(key), expected: "seconds from 1 to 86400", found: "“\(text)”")
      }
      timing[keyPath: target] = Double(seconds)
    }
    return timing
  }

  // MARK: Values

  /// Nil where the value is null or an empty text: then the key is as good as not there.
  private func setting(
    _ key: String, _ value: PipelineValue?, _ kind: PipelineVocabulary.Kind
  ) throws(PipelineFileError) -> Setting? {
    guard let value, value != .null else { return nil }
    switch (kind, value) {
    case (.flag, .flag(let flag)): return Setting(value: .flag(flag), line: line(key))
    case (.number, .whole(let number)): return Setting(value: .text(String(number)), line: line(key))
    case (.number, .text(let text)), (.text, .text(let text)): return try self.text(key, text)
    case (.path, .text(let text)):
      guard var setting = try self.text(key, text), let path = setting.plainText else { return nil }
      if path == "~" || path.hasPrefix("~/") { setting.value = .text(home + path.dropFirst()) }
      return setting
    case (.ranks, .list), (.ranks, .object): return try ranks(key, value)
    default: throw .wrongType(key, line: line(key), expected: kind.words, found: value.kind)
    }
  }

  private func text(_ key: String, _ text: String) throws(PipelineFileError) -> Setting? {
    guard let references = ReferenceText(text) else { throw .badReference(key: key, line: line(key)) }
    if vocabulary.holdsSecret(references.ownText) { throw .literalSecret(key: key, line: line(key)) }
    do {
      let expanded = try references.expanded(variables)
      if expanded.isEmpty { return nil }
      return Setting(value: .text(expanded), line: line(key), variables: references.names)
    } catch { throw .missingVariable(error.name, key: key, line: line(key)) }
  }

  private func ranks(_ key: String, _ value: PipelineValue) throws(PipelineFileError) -> Setting {
    var result: [String: [String]] = [:]
    if case .object(let object) = value {
      for (type, list) in object { result[type == "all" ? "" : type] = try names("\(key).\(type)", list) }
    } else {
      result[""] = try names(key, value)
    }
    return Setting(value: .ranks(result), line: line(key))
  }

  private func names(_ key: String, _ value: PipelineValue) throws(PipelineFileError) -> [String] {
    guard case .list(let list) = value else {
      throw .wrongType(key, line: line(key), expected: "a list of source names", found: value.kind)
    }
    var names: [String] = []
    for (index, element) in list.enumerated() {
      guard case .text(let text) = element else {
        throw .wrongType("\(key)[\(index)]", line: line("\(key)[\(index)]"), expected: "a name", found: element.kind)
      }
      if let name = try self.text("\(key)[\(index)]", text)?.plainText { names.append(name) }
    }
    return names
  }
}

extension PipelineFile.Setting {
  package var plainText: String? { if case .text(let text) = value { text } else { nil } }
}
