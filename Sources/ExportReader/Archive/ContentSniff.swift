/// What a file is, by its first bytes: names are translated and changed, content is not (format reference §2).
enum ContentSniff: Equatable {
  case empty, healthData, clinicalDocument, zip, gitLFSPointer
  case utf16
  case otherXML(root: String)
  case other

  static let byteCount = 4096

  init(_ head: [UInt8]) {
    if head.isEmpty {
      self = .empty
    } else if head.starts(with: ZipDirectory.localSignature) || head.starts(with: ZipDirectory.endSignature) {
      self = .zip
    } else if head.starts(with: "version https://git-lfs".utf8) {
      self = .gitLFSPointer
    } else if [[0xFF, 0xFE], [0xFE, 0xFF], [0x3C, 0x00], [0x00, 0x3C]].contains(Array(head.prefix(2))) {
      self = .utf16
    } else {
      self = ContentSniff.xml(head.starts(with: [0xEF, 0xBB, 0xBF]) ? head[3...] : head[...])
    }
  }

  private static func xml(_ head: ArraySlice<UInt8>) -> ContentSniff {
    guard head.first(where: { ByteClass.table[Int($0)] & ByteClass.white == 0 }) == Byte.less else { return .other }
    let text = String(decoding: head, as: UTF8.self)
    if text.contains("<ClinicalDocument") { return .clinicalDocument }
    if text.contains("<!DOCTYPE HealthData") || text.contains("<HealthData") { return .healthData }
    let root = text.split(separator: "<").first { $0.first?.isLetter == true }
    return root.map { .otherXML(root: String($0.prefix { $0.isLetter || $0.isNumber || "_-.:".contains($0) })) }
      ?? .other
  }

  /// Why this is not what was asked for.
  func error(path: String) -> ExportError {
    switch self {
    case .empty: .emptyFile(path: path)
    case .clinicalDocument: .notAnExport(path: path, .clinicalDocumentOnly)
    case .gitLFSPointer: .notAnExport(path: path, .gitLFSPointer)
    case .utf16: .unsupportedEncoding(path: path, encoding: "UTF-16")
    case .otherXML(let root): .notAnExport(path: path, .otherXML(root: root))
    case .healthData, .zip, .other: .notAnExport(path: path, .otherFile)
    }
  }
}
