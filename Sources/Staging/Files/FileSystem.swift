import Glibc

/// The few folder operations staging needs, with typed errors.
enum FileSystem {
  /// Creates the folder, and missing ones above it, 0700; one that exists stays as it is.
  static func makeFolder(_ path: String) throws(StagingError) {
    if unsafe mkdir(path, 0o700) == 0 { return }
    if errno == ENOENT, let slash = path.lastIndex(of: "/"), slash != path.startIndex {
      try makeFolder(String(path[..<slash]))
      if unsafe mkdir(path, 0o700) == 0 { return }
    }
    if errno != EEXIST { throw .failed(.create, path) }
  }

  /// Takes the rights of others away: the folder will hold health data.
  static func makePrivate(_ path: String) throws(StagingError) {
    if unsafe chmod(path, 0o700) != 0 { throw .failed(.create, path) }
  }

  /// Names in the folder, sorted bytewise, without `.` and `..`; nil when there is no such folder.
  static func names(in path: String) throws(StagingError) -> [String]? {
    guard let folder = unsafe opendir(path) else {
      if errno == ENOENT { return nil }
      throw .failed(.list, path)
    }
    defer { unsafe closedir(folder) }
    var names: [String] = []
    errno = 0
    while let entry = unsafe readdir(folder) {
      let name = unsafe withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        unsafe String(decoding: bytes.prefix { $0 != 0 }, as: UTF8.self)
      }
      if name != "." && name != ".." { names.append(name) }
    }
    if errno != 0 { throw .failed(.list, path) }
    return names.sorted { Array($0.utf8).lexicographicallyPrecedes(Array($1.utf8)) }
  }

  /// Nil when nothing has this name.
  static func byteCount(of path: String) throws(StagingError) -> Int? {
    var status = stat()
    if unsafe stat(path, &status) == 0 { return Int(status.st_size) }
    if errno == ENOENT { return nil }
    throw .failed(.open, path)
  }

  static func rename(_ path: String, to target: String) throws(StagingError) {
    if unsafe Glibc.rename(path, target) != 0 { throw .failed(.rename, target) }
  }

  /// Removes a file, or a folder with the files in it; nothing there is fine.
  static func remove(_ path: String) throws(StagingError) {
    if unsafe unlink(path) == 0 || errno == ENOENT { return }
    guard errno == EISDIR || errno == EPERM else { throw .failed(.remove, path) }
    for name in try names(in: path) ?? [] { try remove("\(path)/\(name)") }
    if unsafe rmdir(path) != 0 && errno != ENOENT { throw .failed(.remove, path) }
  }

  /// Makes renames in the folder survive a power cut.
  static func syncFolder(_ path: String) throws(StagingError) {
    let descriptor = unsafe open(path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)
    if descriptor < 0 { throw .failed(.open, path) }
    defer { close(descriptor) }
    // Some file systems cannot sync a folder; they say EINVAL.
    if fsync(descriptor) != 0 && errno != EINVAL { throw .failed(.sync, path) }
  }
}
