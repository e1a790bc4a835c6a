import BoundedQueues
import Foundation

/// An export as the user gave it: zip, XML file, folder or standard input. Knows its main XML, whatever its name, and
/// the files beside it. Nothing is unpacked to disk; everything is read where it lies, from any thread.
package final class OpenExport: Sendable {
  package enum Kind: Sendable { case zip, xml, folder, standardInput }

  /// A file that is not used: `export_cda.xml`, another XML, an unsafe path, a shadowed duplicate.
  package struct IgnoredFile: Sendable, Equatable {
    package var path: String
    package var byteCount: Int64
  }

  /// Last component of the path; `-` for standard input.
  package let name: String
  package let path: String
  package let kind: Kind
  /// Of what was opened: the zip, the XML (for a folder: the main one); 0 for standard input.
  package let byteCount: Int64
  /// Path of the main XML in the archive or folder, for instance `apple_health_export/Export.xml`.
  package let mainPath: String
  package let ignoredFiles: [IgnoredFile]
  /// With salvage: the archive has no directory, and files may be missing.
  package let damage: ExportError?

  let main: SideFile.Location
  let file: OpenFile
  let zip: ZipDirectory?
  let index: SideFileIndex
  private let salvages: Bool
  /// First bytes of standard input, until they are taken.
  private let head: Guarded<[UInt8]?>

  /// Opens what `path` names and finds the main XML in it, by content. Throws any `ExportError` that says why this is
  /// no export; the XML itself is only looked at (4 KB). With `salvage` a zip without its end is opened as well.
  package static func open(path: String, salvage: Bool = false) throws(ExportError) -> OpenExport {
    let found = try ExportFinder.find(path: path, salvage: salvage)
    return OpenExport(path: path, found, salvage: salvage)
  }

  private init(path: String, _ found: ExportFinder.Found, salvage: Bool) {
    self.path = path
    name = path == "-" ? path : String(path.split(separator: "/").last ?? "/")
    kind = found.kind
    file = found.file
    byteCount = found.kind == .standardInput ? 0 : found.file.byteCount
    mainPath = found.mainPath
    main = found.main
    zip = found.zip
    index = SideFileIndex(found.sideFiles)
    ignoredFiles = found.ignored.sorted { $0.path.utf8.lexicographicallyPrecedes($1.path.utf8) }
    damage = found.zip?.isRecovered == true ? .damagedZip(path: path, entry: nil, .noCentralDirectory) : nil
    salvages = salvage
    head = Guarded(found.kind == .standardInput ? found.head : nil)
  }

  /// The main XML from its beginning, as often as wanted; standard input once.
  package func makeStream() throws(ExportError) -> ExportByteStream {
    guard kind == .standardInput else {
      if case .file(file.path) = main { return try ExportByteStream(file: file, digestTail: digestTail) }
      return try makeStream(main, salvage: salvages)
    }
    guard let head = head.withLock({ $0.take() }) else { throw .standardInputReadTwice }
    return try ExportByteStream(pipe: file, head: head)
  }

  // MARK: - Side files

  /// All of them, ordered by path.
  package var sideFiles: [SideFile] { index.files }

  /// The file that a `FileReference@path` or `ClinicalRecord@resourceFilePath` names; nil when it is missing.
  package func sideFile(at reference: String) -> SideFile? { index.file(at: reference) }

  /// A side file's bytes as a stream, with the end checked. Independent of other streams.
  package func makeStream(of file: SideFile) throws(ExportError) -> ExportByteStream {
    try makeStream(file.location, salvage: false)
  }

  /// A side file as a whole. Throws `sideFileTooLarge` beyond `limit` bytes.
  package func bytes(of file: SideFile, limit: Int = 256 << 20) throws(ExportError) -> [UInt8] {
    let stream = try makeStream(of: file)
    var bytes: [UInt8] = []
    bytes.reserveCapacity(Int(min(file.byteCount, Int64(limit))))
    var buffer = [UInt8](repeating: 0, count: 64 << 10)
    while true {
      let count = try stream.read(into: &buffer)
      if count == 0 { return bytes }
      if bytes.count + count > limit { throw .sideFileTooLarge(path: file.path, limit: limit) }
      bytes.append(contentsOf: buffer[..<count])
    }
  }

  private func makeStream(_ location: SideFile.Location, salvage: Bool) throws(ExportError) -> ExportByteStream {
    switch location {
    case .file(let path): return ExportByteStream(file: path == file.path ? file : try OpenFile(path: path))
    case .entry(let index):
      guard let zip else { preconditionFailure("an entry without a zip") }
      return try zip.stream(of: zip.entries[index], salvage: salvage, damage: salvage ? damage : nil)
    }
  }

  // MARK: - About the whole

  /// XXH3-128 of what was opened, as `xxhsum -H2` prints it, read in a pass of its own. For an XML or a folder with side
  /// files their paths and sizes count as well: the same XML with files that were missing is another export. Nil for
  /// standard input. Streams of standard input and of plain files have the same digest at their end.
  package func computeDigest() throws(ExportError) -> String? {
    if kind == .standardInput { return nil }
    var digest = try ExportDigest()
    var offset: Int64 = 0
    while true {
      let bytes = try file.bytes(at: offset, count: 1 << 20)
      if bytes.isEmpty { break }
      unsafe bytes.withUnsafeBytes { unsafe digest.update($0) }
      offset += Int64(bytes.count)
    }
    let tail = digestTail
    unsafe tail.withUnsafeBytes { unsafe digest.update($0) }
    return digest.hexadecimal
  }

  /// What counts to the digest behind the opened file's bytes.
  private var digestTail: [UInt8] {
    kind == .zip ? [] : sideFiles.flatMap { Array("\0\($0.path)\0\($0.byteCount)".utf8) }
  }

  /// Another text whenever what `computeDigest` reads may have changed, without reading it: inode, size and times of the
  /// opened file; paths and sizes of side files where they count. Nil for standard input.
  package var identity: String? {
    var status = stat()
    guard kind != .standardInput, unsafe fstat(file.descriptor, &status) == 0 else { return nil }
    let times = [status.st_mtim, status.st_ctim].map { "\($0.tv_sec).\($0.tv_nsec)" }
    let facts = [mainPath, "\(status.st_ino)", "\(status.st_size)"] + times
    guard var digest = try? ExportDigest() else { return nil }
    let bytes = Array(facts.joined(separator: "\0").utf8) + digestTail
    unsafe bytes.withUnsafeBytes { unsafe digest.update($0) }
    return digest.hexadecimal
  }

  /// Line of the main XML (from 1) that holds the byte `offset`: counted in the original, so only for messages. Nil where
  /// it cannot be read again.
  package func line(at offset: Int64) -> Int? {
    guard kind != .standardInput, let stream = try? makeStream(main, salvage: true) else { return nil }
    var buffer = [UInt8](repeating: 0, count: 1 << 20)
    var position: Int64 = 0
    var line = 1
    while position < offset {
      guard let count = try? stream.read(into: &buffer), count > 0 else { return nil }
      let relevant = Int(min(Int64(count), offset - position))
      line += buffer[..<relevant].count { $0 == UInt8(ascii: "\n") }
      position += Int64(count)
    }
    return line
  }
}
