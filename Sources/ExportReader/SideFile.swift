/// A file beside the main one that the export refers to, or that is read on its own (ECG).
package struct SideFile: Sendable {
  package enum Kind: Sendable, CaseIterable {
    /// `workout-routes/*.gpx`
    case route
    /// `electrocardiograms/*.csv`; the folder's name may be translated
    case electrocardiogram
    /// `clinical-records/*.json`
    case clinicalRecord
  }

  /// Relative to the export's folder, without a leading slash, for instance `workout-routes/route_2024-12-26_2.54pm.gpx`.
  package let path: String
  package let kind: Kind
  /// Unpacked; for entries over 4 GB possibly modulo 4 GB.
  package let byteCount: Int64
  let location: Location

  enum Location: Sendable {
    case entry(Int)
    case file(String)
  }

  /// The kind by folder and extension; nil for what is no side file.
  static func kind(of path: String) -> Kind? {
    let parts = path.split(separator: "/")
    guard let name = parts.last?.lowercased(), parts.count > 1 else { return nil }
    let folder = parts[parts.count - 2].lowercased()
    if name.hasSuffix(".gpx") { return .route }
    if name.hasSuffix(".csv") && (name.hasPrefix("ecg") || folder == "electrocardiograms") { return .electrocardiogram }
    if name.hasSuffix(".json") && folder.hasPrefix("clinical") { return .clinicalRecord }
    return nil
  }
}

/// Side files by the path that `FileReference` or `ClinicalRecord` gives. Names are compared in normal form (Swift's
/// string equality), for Japanese and Korean ones may be decomposed on either side.
struct SideFileIndex: Sendable {
  let files: [SideFile]
  private let byPath: [String: Int]
  /// File name alone, where it is unique: folders may be renamed or translated. -1: several.
  private let byName: [String: Int]

  /// Of files with the same path the last counts, as when unpacked.
  init(_ found: [SideFile]) {
    var byPath: [String: Int] = [:]
    for (index, file) in found.enumerated() { byPath[file.path] = index }
    files = byPath.values.map { found[$0] }.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    self.byPath = Dictionary(uniqueKeysWithValues: files.enumerated().map { ($1.path, $0) })
    byName = Dictionary(files.enumerated().map { (SideFileIndex.name($1.path), $0) }) { _, _ in -1 }
  }

  /// `reference` as in the export, with or without leading slash; nil when there is no such file.
  func file(at reference: String) -> SideFile? {
    let parts = reference.replacing("\\", with: "/").split(separator: "/").filter { $0 != "." }
    guard let name = parts.last, !parts.contains("..") else { return nil }
    if let index = byPath[parts.joined(separator: "/")] { return files[index] }
    guard let index = byName[String(name)], index >= 0 else { return nil }
    return files[index]
  }

  private static func name(_ path: String) -> String { String(path.split(separator: "/").last ?? "") }
}
