/// Why `hk2pg report` wrote no page.
enum PageError: Error, Equatable {
  /// Neither samples nor summaries are stored of the user.
  case noData
  /// Something has this name already, and it is no report of ours.
  case exists(path: String)
  case cannotWrite(path: String, errno: Int32)
}

extension Failure {
  init(page error: PageError) {
    switch error {
    case .noData:
      self.init(
        .failed, "the database holds nothing of this user",
        next:
          "Load an export first (hk2pg import EXPORT), or name who is meant (--user ID); hk2pg status shows the imports."
      )
    case .exists(let path):
      self.init(
        .usage, "\(path) is there already, and it is no report that hk2pg wrote",
        next: "Name another file with --out, or move that one away.")
    case .cannotWrite(let path, let number):
      self.init(
        SystemError.isMissingPath(number) ? .usage : .failed,
        "\(path) could not be written: \(SystemError.words(number))", next: "Name another file with --out.")
    }
  }
}
