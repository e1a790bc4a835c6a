import Foundation
import ImportFlow
import Pipelines
import Staging

/// What a pipeline keeps on this machine, under `$XDG_STATE_HOME/hk2pg`: its lock, and digests of exports it has read.
///
/// The names come from the file's path and from what it works on (source, database, user): the same file run for two
/// users keeps two states, and both may run at once.
struct PipelineState {
  private let base: String

  init(_ plan: PipelinePlan, user: String?) throws {
    let steps = try plan.steps(for: PipelinePlan.Subject(export: "", user: user)).steps
    let raw = steps.first { $0.arguments.command?.definition.options.contains(.database) ?? false }?.arguments
    let database = try raw.flatMap { try DatabaseChoice($0, plan.surroundings).conninfo } ?? ""
    let whose = try raw.flatMap { try UserChoice.named($0, plan.surroundings)?.id } ?? ""
    let addresses = steps.flatMap { step in [OptionName.from, .to].compactMap { step.arguments.value($0) } }
    let path = URL(fileURLWithPath: plan.file.path).resolvingSymlinksInPath().path
    var digest = ContentDigest()
    let facts = [path, "\(plan.file.source)", database, whose] + addresses
    digest.update(Array(facts.joined(separator: "\u{1}").utf8).span)
    let folder = plan.surroundings.stateFolder
    do {
      try FileManager.default.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch { throw FlowError.cannotWrite(path: folder, errno: errno) }
    base = "\(folder)/\(plan.file.name)-\(digest.text().prefix(16))"
  }

  // MARK: Lock

  /// Held until it is released or the process ends, however that happens.
  struct Lock {
    fileprivate let lock: FileLock
    func release() { lock.remove() }
  }

  /// Throws `alreadyRunning` when another process holds it, and still does after `patience` seconds.
  func lock(name: String, patience: Double = 0) throws -> Lock {
    let path = base + ".lock"
    let end = FolderChooser.now + patience
    var found = try FileLock(path)
    while found == nil && FolderChooser.now < end {
      usleep(100_000)
      found = try FileLock(path)
    }
    guard let lock = found else {
      let text = (try? String(contentsOfFile: path, encoding: .utf8)) ?? ""
      throw PipelineError.alreadyRunning(name: name, holder: text.isEmpty ? nil : text.trimmingWhitespace())
    }
    let since = ISO8601DateFormatter().string(from: Date())
    // For whoever comes second; the lock itself holds without it.
    try? Data("process \(getpid()) since \(since)\n".utf8).write(to: URL(fileURLWithPath: path))
    return Lock(lock: lock)
  }

  // MARK: Digests

  private struct Known: Codable {
    var identity: String
    var digest: String
  }

  static let rememberedCount = 32

  private var known: [Known] {
    guard let data = FileManager.default.contents(atPath: base + ".json") else { return [] }
    return (try? JSONDecoder().decode([Known].self, from: data)) ?? []
  }

  /// The digest of a file of this identity, as an earlier run computed it.
  func digest(of identity: String) -> ImportSettings.KnownDigest? {
    known.first { $0.identity == identity }.map { .init(identity: $0.identity, digest: $0.digest) }
  }

  /// A state that cannot be written costs a second reading, no more.
  func remember(_ digest: String, of identity: String) {
    let others = known.filter { $0.identity != identity }
    let all = [Known(identity: identity, digest: digest)] + others.prefix(PipelineState.rememberedCount - 1)
    let encoder = JSONEncoder()
    // The same facts, the same bytes.
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    guard let data = try? encoder.encode(all) else { return }
    try? data.write(to: URL(fileURLWithPath: base + ".json"), options: .atomic)
  }
}
