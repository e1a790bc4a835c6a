import ImportFlow

extension Failure {
  init(flow error: FlowError) {
    switch error {
    case .tooManyRejects(let limit, let firstOffset):
      self.init(
        .failed,
        "more than \(Words.count(limit, "sample")) rejected (--max-rejects), one at byte \(Words.count(firstOffset))",
        next: "Nothing was loaded. Look at them with --rejects FILE.jsonl, or allow more.")
    case .tooManyNames(let limit):
      self.init(
        .failed,
        "the export names more sources, types, units and devices than fit into \(Words.bytes(Int64(limit))) of memory",
        next: "Nothing was loaded. Apple's exports have a few hundred; has something else written this one?")
    case .cannotWrite(let path, let number):
      self.init(.failed, "cannot write \(path): \(SystemError.words(number))", next: SystemError.advice(number))
    case .otherUserInTable:
      self.init(
        .usage, "the table holds rows of another user, and no user was named",
        next: "Name one with --user ID or HEALTHKIT_USER_ID. Whose rows are there: hk2pg status")
    case .folderInUse(let path):
      self.init(
        .usage, "another run of hk2pg works in \(path)", next: "Wait for it, or name another folder with --staging DIR."
      )
    case .stagedForOtherUser:
      self.init(
        .usage, "these chunks were staged for another user than the one named",
        next: "Load them without naming a user, or stage again with --user ID.")
    case .partialChunks(let path):
      self.init(
        .usage, "the chunks in \(path) lack what the database they were staged for held already",
        next: "Compare with the export itself, or stage it: hk2pg stage EXPORT --into DIR")
    case .daysWithoutZone:
      self.init(
        .usage, "this user has no summaries yet, so --days cannot choose some of them",
        next: "Run hk2pg summarize without --days first; it makes all of them in one time zone.")
    case .noClusterYet:
      self.init(
        .usage, "there is no database yet: the private cluster is made by the first import",
        next: "Run hk2pg import EXPORT, or name a database with --database URL.")
    case .noRows(let database, let isOfUser):
      self.init(
        .usage, "\(isOfUser ? "this user has" : "there are") no rows in \(database)",
        next: isOfUser ? "Whose rows are there: hk2pg status. Another user: --user ID" : "Check the address.")
    case .samplesDoNotAddUp(let read, let accounted):
      self.init(
        .failed, "\(Words.count(read)) samples were read, but \(Words.count(accounted)) are accounted for",
        next: "That is an error of hk2pg: please report it.")
    }
  }
}
