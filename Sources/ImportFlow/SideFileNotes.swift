import ExportReader

/// What the report says about files that are no sample: which, and what is wrong, but nothing of what is in them.
enum SideFileNotes {
  /// Names beyond these are in `--rejects`.
  private static let shownFiles = 10

  static func sentences(for rejected: [ElectrocardiogramStage.RejectedFile]) -> [String] {
    var sentences = rejected.prefix(shownFiles).map { "\($0.path) was rejected: \(reason($0.error))." }
    if rejected.count > shownFiles {
      let rest = rejected.count - shownFiles
      let files = rest == 1 ? "1 more file was rejected" : "\(rest) more files were rejected"
      sentences.append("\(files); --rejects FILE.jsonl has all of them.")
    }
    return sentences
  }

  private static func reason(_ error: SideFileError?) -> String {
    switch error {
    case .noDate: "it has no date that can be read"
    case .noVoltages: "it has no voltages"
    case .notANumber(let offset): "at byte \(offset), among the voltages, is something that is no number"
    case .malformedXML, .notGPX, .malformedJSON, .unstorableJSON, .outOfMemory, nil: "it cannot be read"
    }
  }
}

extension ImportReport.SideFiles {
  /// - Parameter used: paths of files that rows came from.
  init(of export: OpenExport, used: Set<String>) {
    self.init()
    for file in export.sideFiles {
      let count = Count(found: 1, used: used.contains(file.path) ? 1 : 0)
      switch file.kind {
      case .route: routes.add(count)
      case .electrocardiogram: electrocardiograms.add(count)
      case .clinicalRecord: clinicalRecords.add(count)
      }
    }
  }
}

extension ImportReport.SideFiles.Count {
  fileprivate mutating func add(_ other: Self) {
    found += other.found
    used += other.used
  }
}
