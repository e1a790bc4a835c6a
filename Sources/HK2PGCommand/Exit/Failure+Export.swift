import ExportReader

extension Failure {
  /// - Parameters:
  ///   - path: of the export, for errors that do not name it themselves.
  ///   - line: of the error's byte offset, where it could be found out.
  init(export error: ExportError, path exportPath: String? = nil, line: Int? = nil) {
    let export = exportPath == "-" ? "the export on standard input" : exportPath ?? "the export"
    let again = "Make a new export on the phone"
    switch error {
    case .doesNotExist(let path):
      self.init(.usage, "\(path) does not exist", next: "Check the path; quote one with blanks.")
    case .notReadable(let path, let number):
      let isUsage = SystemError.isMissingPath(number)
      self.init(
        isUsage ? .usage : .failed, "cannot open \(path): \(SystemError.words(number))",
        next: SystemError.advice(number))
    case .readFailed(let path, let number, let offset):
      self.init(
        .failed, "reading \(path) failed at byte \(Words.count(offset)): \(SystemError.words(number))",
        next: "Copy the file to another disk, and try again.")
    case .emptyFile(let path):
      self.init(.failed, "\(path) is empty", next: "The copy or download has failed: fetch it again.")
    case .notAnExport(let path, let why): self.init(notAnExport: why, path)
    case .unsupportedEncoding(let path, let encoding):
      self.init(
        .failed, "\(path) is encoded as \(encoding.shown()), and exports are UTF-8",
        next: "Use the file as the phone made it; an editor has converted this one.")
    case .zipOnStandardInput:
      self.init(
        .usage, "standard input holds a zip, and takes XML only",
        next: "Name the file: hk2pg import export.zip, or: unzip -p export.zip '*/export.xml' | hk2pg import -")
    case .standardInputReadTwice:
      self.init(.usage, "standard input can be read once only", next: "Save it to a file, and name that.")
    case .damagedZip(let path, let entry, let damage): self.init(damage: damage, path, entry: entry)
    case .unsupportedZip(let path, let entry, let feature):
      self.init(
        .failed, "\(path) uses \(Failure.words(feature)) (entry \(entry.shown()))",
        next: "Unpack it with its own program, and import the folder.")
    case .truncated(let offset):
      self.init(
        .failed, "\(export) ends too early, \(Failure.place(offset, line)): it has no </HealthData>",
        next: "\(again), or load what is whole with --salvage.")
    case .severalRoots(let offset):
      self.init(
        .failed, "a second document begins in \(export), \(Failure.place(offset, line))",
        next: "Several exports were joined: import them one by one, or load the first with --salvage.")
    case .textAfterRoot(let offset):
      self.init(
        .failed, "there is text after the end of \(export), \(Failure.place(offset, line))",
        next: "\(again), or load what is before it with --salvage.")
    case .malformed(let offset, let defect):
      self.init(
        .failed, "\(export) is damaged \(Failure.place(offset, line)): \(Failure.words(defect))",
        next: "\(again), or load what is whole with --salvage.")
    case .nothingInIt:
      self.init(.failed, "\(export) has text in it, but nothing that could be loaded", next: again + ".")
    case .sideFileTooLarge(let path, let limit):
      self.init(
        .failed, "the file \(path.shown(limit: 200)) in the export is larger than \(Words.bytes(Int64(limit)))",
        next: "Routes, ECGs and clinical records are far smaller: take the file out, or make a new export.")
    case .outOfMemory:
      self.init(.failed, "memory is short", next: "Close other programs, or try --jobs 1.")
    }
  }

  private init(notAnExport why: ExportError.NotAnExport, _ path: String) {
    let expected = "hk2pg reads export.zip as the phone makes it, its export.xml, or the unpacked folder."
    switch why {
    case .otherFile: self.init(.failed, "\(path) is neither XML nor a zip", next: expected)
    case .gitLFSPointer:
      self.init(
        .failed, "\(path) is a Git LFS pointer, a stand-in for the real file", next: "Fetch that: git lfs pull")
    case .clinicalDocumentOnly:
      self.init(
        .failed, "\(path) holds the clinical document (export_cda.xml) alone",
        next: "It has a part of the data only. " + expected)
    case .otherXML(let root):
      self.init(.failed, "\(path) is XML, but no Health export: its root is <\(root.shown())>", next: expected)
    case .zipWithoutExport(let count):
      self.init(
        .failed, "\(path) is a zip without a Health export among its \(Words.count(count, "entry", "entries"))",
        next: expected)
    case .folderWithoutExport:
      self.init(.failed, "there is no Health export in the folder \(path)", next: expected)
    }
  }

  private init(damage: ExportError.ZipDamage, _ path: String, entry: String?) {
    let place = entry.map { ", entry \($0.shown())" } ?? ""
    let what =
      switch damage {
      case .noCentralDirectory: "it ends before its directory"
      case .badCentralDirectory(let offset): "its directory is damaged at byte \(Words.count(offset))"
      case .badLocalHeader: "the entry's header is damaged"
      case .entryTruncated: "the compressed data end early"
      case .badCompression(let offset): "the compressed data are damaged after byte \(Words.count(offset)) of the entry"
      case .wrongSize(let expected, let found):
        "the entry has \(Words.count(Int(found), "byte")), not \(Words.count(expected))"
      case .wrongChecksum: "the entry's checksum (CRC) is wrong"
      }
    self.init(
      .failed, "the zip \(path) is damaged\(place): \(what)",
      next: "The copy or download is not whole: fetch it again, or load what is whole with --salvage.")
  }

  private static func words(_ feature: ExportError.ZipFeature) -> String {
    switch feature {
    case .encryption: "encryption"
    case .compressionMethod(let number): "compression method \(number)"
    case .severalDisks: "several volumes"
    }
  }

  private static func words(_ defect: XMLDefect) -> String {
    switch defect {
    case .unexpectedByte(let byte): "the byte \(hexadecimal(byte)) cannot stand there"
    case .spaceInAttributeName: "an attribute's name has a blank in it"
    case .mismatchedEndTag: "an end tag does not match its start tag"
    case .tornText: "a torn piece of an element"
    case .nestedTooDeep: "elements nested too deep"
    case .elementTooLarge: "one element is larger than hk2pg can hold"
    case .declarationInBody: "a declaration inside of the data"
    case .parser(let code): "no well-formed XML (libxml2 error \(code))"
    }
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16, uppercase: true)
    return "0x" + (digits.count < 2 ? "0" : "") + digits
  }

  private static func place(_ offset: Int64, _ line: Int?) -> String {
    "at byte \(Words.count(offset))" + (line.map { " (line \(Words.count($0)))" } ?? "")
  }
}

extension ExportError {
  /// Where in the XML the damage is, when it has a place.
  var offset: Int64? {
    switch self {
    case .truncated(let offset), .severalRoots(let offset), .textAfterRoot(let offset), .malformed(let offset, _):
      offset
    default: nil
    }
  }
}
