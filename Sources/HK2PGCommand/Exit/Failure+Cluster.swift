import PrivateCluster

extension Failure {
  init(cluster error: ClusterError) {
    let elsewhere = "Or name a database of yours: --database URL."
    switch error {
    case .noBinaries(let searched):
      self.init(
        .refused, "no PostgreSQL server is installed (looked in \(searched))",
        next: "Install it: apt-get install postgresql. " + elsewhere)
    case .incompleteBinaries(let folder):
      self.init(
        .usage, "\(folder) lacks programs of the PostgreSQL server",
        next: "\(ServerBinaries.folderVariable) has to name the folder with initdb, pg_ctl and postgres.")
    case .binariesTooOld(let major, let folder):
      self.init(
        .refused, "the newest PostgreSQL here is version \(major) (\(folder)), older than 15",
        next: "Install a newer one. " + elsewhere)
    case .commandMissing(let program):
      self.init(.refused, "the program \(program) cannot be run", next: "Install it, or put it on the PATH.")
    case .noServerUser(let name):
      self.init(
        .refused, "there is no system user “\(name)” to run the PostgreSQL server as (root may not)",
        next: "Install postgresql-common, or run hk2pg as a normal user.")
    case .otherMajor(let data, let installed, let folder):
      self.init(
        .refused, "the private cluster in \(folder) was made by PostgreSQL \(data), but \(installed) is installed",
        next: "Install postgresql-\(data), or move the folder away and import again.")
    case .diskFull(let path):
      self.init(.refused, "no space left for the private cluster in \(path)", next: "Free some space. " + elsewhere)
    case .notPermitted(let path, let user):
      self.init(
        .refused, "the private cluster's folder \(path) may not be used by \(user)",
        next: "Give this user the rights, or set \(ClusterLayout.folderVariable). " + elsewhere)
    case .alienFolder(let path):
      self.init(
        .refused, "\(path) holds something that is no PostgreSQL data",
        next: "Move it away, or set \(ClusterLayout.folderVariable). " + elsewhere)
    case .alienSocketFolder(let path):
      self.init(
        .refused, "the folder for the private cluster's socket, \(path), belongs to somebody else",
        next: "Remove it, or set XDG_RUNTIME_DIR. " + elsewhere)
    case .interrupted: self.init(interruptedBy: 2)
    case .postgres(let error): self.init(postgres: error)
    case .socketPathTooLong(let path):
      self.init(
        .refused, "the socket's path is too long (107 bytes at most): \(path)", next: "Set a shorter XDG_RUNTIME_DIR.")
    case .failed(let program, let output, let log):
      let whereToLook = log.map { "Its log: \($0). " } ?? "See why with --debug. "
      self.init(.refused, "\(program) of the private cluster failed", next: whereToLook + elsewhere, detail: output)
    case .notReady(let seconds, let log):
      self.init(
        .refused, "the private cluster was not ready after \(seconds) s",
        next: "It goes on starting (a long recovery); run the same command again in a while. Its log: \(log)")
    }
  }
}
