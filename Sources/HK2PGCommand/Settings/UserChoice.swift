import Foundation

/// Whose data a run handles: `--user`, else HEALTHKIT_USER_ID, else the id kept in the configuration (DESIGN §6).
struct UserChoice: Sendable, Equatable {
  var id: String
  /// Named by flag or environment, not generated.
  var isExplicit: Bool
  /// The file the id was written to just now; nil when it was there, or was named.
  var madeIn: String?

  /// Longest id in bytes: type, user and source share one index entry of 2,400 bytes.
  static let maximumLength = 512

  /// Named by flag or environment; nil when neither does.
  static func named(_ arguments: RawArguments, _ surroundings: Surroundings) throws(UsageError) -> UserChoice? {
    if let id = arguments.flagValue(.user) {
      return UserChoice(id: try checked(id, origin: OptionName.user.flag), isExplicit: true)
    }
    if let id = surroundings.variable("HEALTHKIT_USER_ID") {
      return UserChoice(id: try checked(id, origin: "HEALTHKIT_USER_ID"), isExplicit: true)
    }
    if let id = arguments.fileValue(.user) {
      return UserChoice(id: try checked(id, origin: arguments.origin(of: .user)), isExplicit: true)
    }
    return nil
  }

  /// The kept id; made at first use when `mayMake`, else nil where there is none.
  static func kept(_ surroundings: Surroundings, mayMake: Bool) throws(UsageError) -> UserChoice? {
    let file = UserFile(folder: surroundings.configurationFolder)
    if let id = try file.read() { return UserChoice(id: id, isExplicit: false) }
    guard mayMake else { return nil }
    let fresh = UUID().uuidString.lowercased()
    let id = try file.make(fresh)
    return UserChoice(id: id, isExplicit: false, madeIn: id == fresh ? file.path : nil)
  }

  static func checked(_ id: String, origin: String) throws(UsageError) -> String {
    let isPrintable = id.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
    guard !id.isEmpty, id == id.trimmingWhitespace(), isPrintable, id.utf8.count <= maximumLength else {
      let expected = "one to \(maximumLength) bytes of text without control characters or outer blanks"
      throw .invalidValue(origin: origin, value: nil, expected: expected)
    }
    return id
  }
}

/// `user-id` in the configuration folder: one line, readable by its owner only. Two first runs at once agree on one id.
struct UserFile {
  var folder: String
  var path: String { folder + "/user-id" }

  func read() throws(UsageError) -> String? {
    let data: Data
    do { data = try Data(contentsOf: URL(filePath: path)) } catch {
      if !FileManager.default.fileExists(atPath: path) { return nil }
      throw .userFile(path: path, reason: "it cannot be read")
    }
    let id = String(decoding: data, as: UTF8.self).trimmingWhitespace()
    do { return try UserChoice.checked(id, origin: path) } catch {
      throw .userFile(path: path, reason: "it does not hold a user id")
    }
  }

  /// Writes a temporary file and links it into place: whoever comes second reads the first one's id.
  func make(_ id: String) throws(UsageError) -> String {
    let manager = FileManager.default
    let temporary = folder + "/.user-id.\(getpid())"
    do {
      try manager.createDirectory(
        atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    } catch { throw .userFile(path: path, reason: "its folder cannot be made") }
    let attributes: [FileAttributeKey: Any] = [.posixPermissions: 0o600]
    guard manager.createFile(atPath: temporary, contents: Data((id + "\n").utf8), attributes: attributes) else {
      throw .userFile(path: path, reason: "it cannot be written")
    }
    defer { try? manager.removeItem(atPath: temporary) }
    do { try manager.linkItem(atPath: temporary, toPath: path) } catch {
      guard let theirs = try read() else { throw .userFile(path: path, reason: "it cannot be written") }
      return theirs
    }
    return id
  }
}
