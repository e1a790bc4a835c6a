internal import Foundation

/// A path with the user's id in it.
///
/// ```
/// exports/{user}.zip               exports/p-001.zip is of p-001
/// exports/{user}/export.zip        a folder for each
/// exports/{user}/*.zip             several: the newest counts
/// exports/site-*/{user}-*.zip      * is anything but /
/// ```
/// Names that begin with a dot are matched only where the pattern writes the dot.
package struct ExportPattern: Sendable {
  package static let userMark = "{user}"

  private enum Token: Equatable {
    case text(String)
    case anything
    case user
  }

  private let pattern: String

  package init(_ pattern: String) throws(CohortError) {
    self.pattern = pattern
    for part in pattern.split(separator: "/") {
      let tokens = ExportPattern.tokens(String(part))
      if tokens.count(where: { $0 == .user }) > 1 { throw .badPattern(pattern, .doubledUser) }
      for (a, b) in zip(tokens, tokens.dropFirst()) where a != b {
        if [a, b].allSatisfy({ $0 == .user || $0 == .anything }) { throw .badPattern(pattern, .adjacentMarks) }
      }
    }
  }

  /// All users with their files, in order of their ids.
  package func members() throws(CohortError) -> [CohortMember] {
    let isAbsolute = pattern.hasPrefix("/")
    var found: [(path: String, user: String?)] = [(isAbsolute ? "/" : "", nil)]
    var isFirstMark = true
    for part in pattern.split(separator: "/").map(String.init) {
      let tokens = ExportPattern.tokens(part)
      if tokens.allSatisfy({ if case .text = $0 { true } else { false } }) {
        found = found.map { (ExportPattern.join($0.path, part), $0.user) }
        continue
      }
      if isFirstMark { try ExportPattern.checkFolder(found[0].path) }
      isFirstMark = false
      found = found.flatMap { match(tokens, in: $0.path, user: $0.user) }
    }
    let files = found.filter { FileManager.default.fileExists(atPath: $0.path) }
    let byUser = Dictionary(grouping: files, by: { $0.user ?? "" })
    if byUser.isEmpty { throw .empty(path: pattern) }
    return byUser.keys.sorted().map { user in
      CohortMember(user: user, exports: (byUser[user] ?? []).map(\.path).sorted())
    }
  }

  /// A mark that stands in several parts of the path (`{user}/{user}.zip`) is one and the same user.
  private func match(_ tokens: [Token], in folder: String, user: String?) -> [(path: String, user: String?)] {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder.isEmpty ? "." : folder)) ?? []
    return names.sorted().compactMap { name in
      if FolderListing.isPlaceholder(name) && !startsWithDot(tokens) { return nil }
      guard let captured = ExportPattern.match(tokens[...], name[...]) else { return nil }
      if let captured, let user, captured != user { return nil }
      return (ExportPattern.join(folder, name), captured ?? user)
    }
  }

  private func startsWithDot(_ tokens: [Token]) -> Bool {
    if case .text(let text)? = tokens.first { text.hasPrefix(".") } else { false }
  }

  /// nil: no match; `.some(nil)`: a match without a user in it. The user is as long as it can be.
  private static func match(_ tokens: ArraySlice<Token>, _ name: Substring) -> String?? {
    guard let token = tokens.first else { return name.isEmpty ? .some(nil) : nil }
    let rest = tokens.dropFirst()
    switch token {
    case .text(let text): return name.hasPrefix(text) ? match(rest, name.dropFirst(text.count)) : nil
    case .anything, .user:
      for count in stride(from: name.count, through: token == .user ? 1 : 0, by: -1) {
        guard let inner = match(rest, name.dropFirst(count)) else { continue }
        return token == .user ? .some(String(name.prefix(count))) : inner
      }
      return nil
    }
  }

  private static func tokens(_ part: String) -> [Token] {
    var tokens: [Token] = []
    var rest = part[...]
    var text = ""
    func flush() { if !text.isEmpty { tokens.append(.text(text)) } }
    while let character = rest.first {
      if rest.hasPrefix(userMark) || character == "*" {
        flush()
        text = ""
        if character == "*" {
          if tokens.last != .anything { tokens.append(.anything) }
          rest = rest.dropFirst()
        } else {
          tokens.append(.user)
          rest = rest.dropFirst(userMark.count)
        }
      } else {
        text.append(character)
        rest = rest.dropFirst()
      }
    }
    flush()
    return tokens
  }

  private static func join(_ folder: String, _ name: String) -> String {
    folder.isEmpty || folder.hasSuffix("/") ? folder + name : folder + "/" + name
  }

  private static func checkFolder(_ path: String) throws(CohortError) {
    let folder = path.isEmpty ? "." : path
    guard let directory = unsafe opendir(folder) else { throw .unreadable(path: folder, errno: errno) }
    unsafe closedir(directory)
  }
}
