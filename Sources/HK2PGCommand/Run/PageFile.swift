import Foundation

/// The file of a report: for its owner's eyes, and whole or not there.
struct PageFile {
  /// Links are followed: what a link points to is replaced, not the link.
  let path: String

  init(_ path: String) { self.path = URL(filePath: path).resolvingSymlinksInPath().path(percentEncoded: false) }

  /// Stands near the beginning of every report.
  static let mark = #"<meta name="generator" content="hk2pg">"#

  /// Throws `PageError.exists` where something else than a report or an empty file has the name.
  func checkPlace() throws(PageError) {
    var status = stat()
    if unsafe stat(path, &status) != 0 {
      if errno == ENOENT { return }
      throw .cannotWrite(path: path, errno: errno)
    }
    guard status.st_mode & S_IFMT == S_IFREG else { throw .exists(path: path) }
    if status.st_size == 0 { return }
    guard let file = FileHandle(forReadingAtPath: path) else { throw .cannotWrite(path: path, errno: errno) }
    let head = (try? file.read(upToCount: 1024)) ?? Data()
    try? file.close()
    if !String(decoding: head, as: UTF8.self).contains(PageFile.mark) { throw .exists(path: path) }
  }

  /// Into a temporary file beside it (0600), which is renamed into place.
  func write(_ bytes: [UInt8]) throws(PageError) {
    try checkPlace()
    let temporary = "\(path).\(getpid()).tmp"
    let descriptor = unsafe open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { throw .cannotWrite(path: path, errno: errno) }
    var problem = Console.writeAll(bytes, to: descriptor)
    if problem == 0, fsync(descriptor) != 0 { problem = errno }
    if close(descriptor) != 0, problem == 0 { problem = errno }
    if problem == 0, unsafe rename(temporary, path) != 0 { problem = errno }
    guard problem == 0 else {
      _ = unsafe unlink(temporary)
      throw .cannotWrite(path: path, errno: problem)
    }
  }
}
