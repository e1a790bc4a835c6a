/// What can be wrong with an export as a whole. Data only; `HK2PGCommand` makes the sentences. Byte offsets are of the
/// XML (for a zip: of the uncompressed main entry), before repairs; `OpenExport.line(at:)` turns one into a line.
package enum ExportError: Error, Equatable, Sendable {
  case doesNotExist(path: String)
  /// The path, or a file in the folder, could not be opened.
  case notReadable(path: String, errno: Int32)
  case readFailed(path: String, errno: Int32, offset: Int64)
  case emptyFile(path: String)
  case notAnExport(path: String, NotAnExport)
  /// UTF-16, or an XML declaration that names another encoding than UTF-8.
  case unsupportedEncoding(path: String, encoding: String)
  /// Standard input takes XML only: the directory of a zip is at its end.
  case zipOnStandardInput
  /// A stream from standard input can be read once.
  case standardInputReadTwice
  /// `entry` is nil when the archive as a whole is meant.
  case damagedZip(path: String, entry: String?, ZipDamage)
  case unsupportedZip(path: String, entry: String, ZipFeature)
  /// The XML ends before `</HealthData>`.
  case truncated(at: Int64)
  /// A second document follows the first.
  case severalRoots(at: Int64)
  case textAfterRoot(at: Int64)
  case malformed(at: Int64, XMLDefect)
  /// A HealthData element with text in it, but not one element: nothing could be loaded, and yet something was there.
  case nothingInIt
  case sideFileTooLarge(path: String, limit: Int)
  case outOfMemory

  package enum NotAnExport: Equatable, Sendable {
    /// Neither XML nor a zip.
    case otherFile
    /// The 130-byte text that stands for a file in a repository whose large files were not fetched.
    case gitLFSPointer
    /// `export_cda.xml` alone: the clinical document has only a part of the data.
    case clinicalDocumentOnly
    /// XML with another root element.
    case otherXML(root: String)
    case zipWithoutExport(entryCount: Int)
    case folderWithoutExport
  }

  package enum ZipDamage: Equatable, Sendable {
    /// The file ends before the directory does: an incomplete download or copy.
    case noCentralDirectory
    case badCentralDirectory(offset: Int64)
    case badLocalHeader
    /// The compressed bytes end early.
    case entryTruncated
    /// The compressed bytes make no sense from here on (offset in the uncompressed entry).
    case badCompression(offset: Int64)
    case wrongSize(expected: Int64, found: Int64)
    case wrongChecksum
  }

  package enum ZipFeature: Equatable, Sendable {
    case encryption
    case compressionMethod(Int)
    case severalDisks
  }
}

/// Why XML is no XML.
package enum XMLDefect: Equatable, Sendable {
  /// A byte that cannot stand there in a tag, for instance in attribute names with spaces (iOS 8).
  case unexpectedByte(UInt8)
  /// An attribute name of several words: iOS 8 wrote metadata so.
  case spaceInAttributeName
  /// An end tag that does not close the element open there.
  case mismatchedEndTag
  /// Text between elements that looks like the rest of a torn tag.
  case tornText
  case nestedTooDeep
  /// One top-level element larger than `ElementScanner.maximumElementByteCount`.
  case elementTooLarge
  /// `<!…>` inside of the root element.
  case declarationInBody
  /// An error of libxml2 (`xmlParserErrors`).
  case parser(code: Int)
}
