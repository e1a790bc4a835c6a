internal import Foundation

/// What may be an export in a folder, with what tells whether it has changed.
package struct Candidate: Sendable, Equatable, Hashable {
  package var path: String
  /// Of a folder: of all files in it.
  package var byteCount: Int64
  package var fileCount: Int
  /// Nanoseconds since 1970; of a folder: the newest.
  package var modified: Int64
  package var statusChanged: Int64
  package var inode: UInt64
  package var isFolder: Bool

  package init(
    path: String, byteCount: Int64, fileCount: Int = 1, modified: Int64, statusChanged: Int64, inode: UInt64,
    isFolder: Bool = false
  ) {
    self.path = path
    self.byteCount = byteCount
    self.fileCount = fileCount
    self.modified = modified
    self.statusChanged = statusChanged
    self.inode = inode
    self.isFolder = isFolder
  }

  package var name: String { path.split(separator: "/").last.map(String.init) ?? path }
}

/// One look into a folder. Links to files and folders are followed.
package enum FolderListing {
  package struct Failure: Error, Equatable, Sendable { package var errno: Int32 }

  /// Candidates by path: .zip and .xml files, and folders with an .xml in them (an unpacked export). Placeholders and
  /// what is still being downloaded are left out, empty files too.
  package static func candidates(in folder: String) throws(Failure) -> [Candidate] {
    guard let directory = unsafe opendir(folder) else { throw Failure(errno: errno) }
    unsafe closedir(directory)
    let base = folder.count > 1 && folder.hasSuffix("/") ? String(folder.dropLast()) : folder
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { !isPlaceholder($0) }.sorted().compactMap { candidate("\(base)/\($0)", $0) }
  }

  /// A file that stands for one that is not there yet, or not there whole: of iCloud, browsers, sync and office
  /// programs.
  package static func isPlaceholder(_ name: String) -> Bool {
    let lower = name.lowercased()
    return name.hasPrefix(".") || name.hasPrefix("~$") || name.hasPrefix("~syncthing~") || name == "__MACOSX"
      || [".icloud", ".part", ".partial", ".crdownload", ".download", ".tmp", ".temp", ".filepart", ".!sync", "~"]
        .contains { lower.hasSuffix($0) }
  }

  /// The file or folder at a path, if it may be an export.
  package static func candidate(at path: String) -> Candidate? {
    candidate(path, path.split(separator: "/").last.map(String.init) ?? path)
  }

  private static func candidate(_ path: String, _ name: String) -> Candidate? {
    guard let status = status(of: path) else { return nil }
    if status.st_mode & S_IFMT == S_IFDIR { return unpacked(path) }
    let isNamedSo = [".zip", ".xml"].contains { name.lowercased().hasSuffix($0) }
    guard status.st_mode & S_IFMT == S_IFREG, status.st_size > 0, isNamedSo else { return nil }
    return Candidate(
      path: path, byteCount: Int64(status.st_size), modified: status.st_mtim.nanoseconds,
      statusChanged: status.st_ctim.nanoseconds, inode: UInt64(status.st_ino))
  }

  private static func unpacked(_ path: String) -> Candidate? {
    var total = Candidate(
      path: path, byteCount: 0, fileCount: 0, modified: 0, statusChanged: 0, inode: 0, isFolder: true)
    var hasXML = false
    add(path, depth: 3, to: &total, &hasXML)
    return hasXML && total.byteCount > 0 ? total : nil
  }

  private static func add(_ folder: String, depth: Int, to total: inout Candidate, _ hasXML: inout Bool) {
    for name in (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    where !name.hasPrefix(".") && name != "__MACOSX" {
      guard let status = status(of: "\(folder)/\(name)") else { continue }
      if status.st_mode & S_IFMT == S_IFDIR {
        if depth > 0 { add("\(folder)/\(name)", depth: depth - 1, to: &total, &hasXML) }
      } else {
        if isPlaceholder(name) { continue }
        hasXML = hasXML || name.lowercased().hasSuffix(".xml")
        total.byteCount += Int64(status.st_size)
        total.fileCount += 1
        total.modified = max(total.modified, status.st_mtim.nanoseconds)
        total.statusChanged = max(total.statusChanged, status.st_ctim.nanoseconds)
      }
    }
  }

  private static func status(of path: String) -> stat? {
    var result = stat()
    return unsafe stat(path, &result) == 0 ? result : nil
  }
}

extension timespec {
  fileprivate var nanoseconds: Int64 { Int64(tv_sec) * 1_000_000_000 + Int64(tv_nsec) }
}
