import Foundation

/// An `errno` in words people know.
enum SystemError {
  static func words(_ number: Int32) -> String {
    switch number {
    case EACCES, EPERM: "permission denied"
    case ENOENT: "no such file or folder"
    case ENOSPC: "no space left on the device"
    case EDQUOT: "the disk quota is used up"
    case EROFS: "the file system is read-only"
    case ENOTDIR: "a part of the path is no folder"
    case EISDIR: "it is a folder"
    case EEXIST: "it exists already"
    case EMFILE, ENFILE: "too many open files"
    case EIO: "the disk reports an error"
    case ELOOP: "too many symbolic links"
    case ENAMETOOLONG: "the name is too long"
    default: "system error \(number)"
    }
  }

  /// What to do about it, where that is plain.
  static func advice(_ number: Int32) -> String? {
    switch number {
    case ENOSPC, EDQUOT: "Free some space, or name another folder with --staging DIR."
    case EACCES, EPERM: "Check the rights of the file and of its folder."
    default: nil
    }
  }

  /// A configuration mistake rather than a failure of the run (DESIGN §6).
  static func isMissingPath(_ number: Int32) -> Bool { number == ENOENT || number == ENOTDIR }
}
