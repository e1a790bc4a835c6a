import Pipelines

/// The exports of a pipeline that names many.
enum CohortExports {
  static func path(_ plan: PipelinePlan) -> String {
    if case .exports(let path) = plan.file.source { path } else { "" }
  }

  static func members(_ plan: PipelinePlan) throws(CohortError) -> [CohortMember] {
    let path = path(plan)
    return path.contains(ExportPattern.userMark) ? try ExportPattern(path).members() : try CohortTable.read(path)
  }

  /// Of several exports of one user the newest whole one; where none is whole, the last by name: its import then says
  /// what is wrong.
  static func newest(_ member: CohortMember) -> String {
    guard member.exports.count > 1 else { return member.exports.first ?? "" }
    var best: (Candidate, date: Int64?)?
    for path in member.exports {
      guard case .complete(let date) = ExportProbe.look(at: path), let candidate = FolderListing.candidate(at: path)
      else { continue }
      if best.map({ NewestExport.isOlder($0, than: (candidate, date)) }) ?? true { best = (candidate, date) }
    }
    return best?.0.path ?? member.exports[member.exports.count - 1]
  }
}
