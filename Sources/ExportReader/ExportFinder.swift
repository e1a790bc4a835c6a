import Foundation

/// Looks for the main XML and the side files of what a path names.
enum ExportFinder {
  struct Found {
    var kind: OpenExport.Kind
    var file: OpenFile
    var zip: ZipDirectory?
    var main: SideFile.Location
    var mainPath: String
    var sideFiles: [SideFile] = []
    var ignored: [OpenExport.IgnoredFile] = []
    var head: [UInt8] = []
  }

  static func find(path: String, salvage: Bool) throws(ExportError) -> Found {
    if path == "-" { return try findInPipe(OpenFile(standardInput: path)) }
    var isFolder: ObjCBool = false
    guard unsafe FileManager.default.fileExists(atPath: path, isDirectory: &isFolder) else {
      throw OpenFile.error(errno, path: path)
    }
    if isFolder.boolValue { return try findInFolder(path) }
    let file = try OpenFile(path: path)
    if !file.isRegular { return try findInPipe(file) }
    let head = try file.bytes(at: 0, count: ContentSniff.byteCount)
    switch ContentSniff(head) {
    case .zip: return try findInZip(file, salvage: salvage)
    case .healthData: return try findBeside(file)
    case let other: throw other.error(path: path)
    }
  }

  /// Standard input, or a named pipe: `hk2pg import <(unzip -p …)`.
  private static func findInPipe(_ file: OpenFile) throws(ExportError) -> Found {
    var head: [UInt8] = []
    var buffer = [UInt8](repeating: 0, count: ContentSniff.byteCount)
    while head.count < ContentSniff.byteCount {
      let count = unsafe try buffer.fill { bytes throws(ExportError) in unsafe try file.readNext(into: bytes) }
      if count == 0 { break }
      head.append(contentsOf: buffer[..<count])
    }
    switch ContentSniff(Array(head.prefix(ContentSniff.byteCount))) {
    case .healthData:
      return Found(kind: .standardInput, file: file, main: .file(file.path), mainPath: file.path, head: head)
    case .zip: throw .zipOnStandardInput
    case let other: throw other.error(path: file.path)
    }
  }

  // MARK: - Zip

  private static func findInZip(_ file: OpenFile, salvage: Bool) throws(ExportError) -> Found {
    let zip = try openZip(file, salvage: salvage)
    let usable = zip.entries.indices.filter { index in
      let entry = zip.entries[index]
      return !entry.isDirectory && !entry.isLitter && !entry.isUnsafe
    }
    let named = usable.filter { zip.entries[$0].path.lowercased().hasSuffix(".xml") }
    let others = usable.filter { index in
      let path = zip.entries[index].path.lowercased()
      return ![".xml", ".gpx", ".csv", ".json"].contains { path.hasSuffix($0) }
    }
    var search = MainSearch()
    for index in named { search.look(at: index, in: zip) }
    if search.best == nil { for index in others { search.look(at: index, in: zip) } }
    guard let main = search.best else {
      throw search.error ?? search.refusal?.error(path: file.path)
        ?? .notAnExport(path: file.path, .zipWithoutExport(entryCount: zip.entries.count))
    }
    var found = Found(kind: .zip, file: file, zip: zip, main: .entry(main), mainPath: zip.entries[main].path)
    for (index, entry) in zip.entries.enumerated() where !entry.isDirectory && !entry.isLitter {
      if entry.isUnsafe {
        found.ignored.append(OpenExport.IgnoredFile(path: entry.path, byteCount: entry.byteCount))
      } else if index != main {
        found.add(entry.path, byteCount: entry.byteCount, .entry(index))
      }
    }
    return found
  }

  private static func openZip(_ file: OpenFile, salvage: Bool) throws(ExportError) -> ZipDirectory {
    do throws(ExportError) {
      return try ZipDirectory(reading: file)
    } catch {
      guard salvage, case .damagedZip = error else { throw error }
      return try ZipDirectory(recovering: file)
    }
  }

  /// The largest of the entries that look like the main XML, and if there is none: why.
  private struct MainSearch {
    var best: Int?
    var error: ExportError?
    var refusal: ContentSniff?

    mutating func look(at index: Int, in zip: ZipDirectory) {
      var head: [UInt8] = []
      do throws(ExportError) {
        let stream = try zip.stream(of: zip.entries[index], salvage: false)
        var piece = [UInt8](repeating: 0, count: ContentSniff.byteCount)
        while head.count < ContentSniff.byteCount {
          let count = try stream.read(into: &piece)
          if count == 0 { break }
          head += piece[..<count]
        }
      } catch {
        // What came before the damage may still tell; whoever reads it all meets the error again.
        self.error = self.error ?? error
        if head.isEmpty { return }
      }
      let sniff = ContentSniff(Array(head.prefix(ContentSniff.byteCount)))
      if sniff == .healthData {
        if best.map({ zip.entries[$0].byteCount < zip.entries[index].byteCount }) ?? true { best = index }
      } else if sniff != .other {
        refusal = refusal ?? sniff
      }
    }
  }

  // MARK: - Folders

  private static func findInFolder(_ folder: String) throws(ExportError) -> Found {
    let files = try list(folder, depth: 3)
    var main: FoundFile?
    var refusal: ContentSniff?
    for candidate in files where candidate.path.lowercased().hasSuffix(".xml") {
      let head = try OpenFile(path: "\(folder)/\(candidate.path)").bytes(at: 0, count: ContentSniff.byteCount)
      let sniff = ContentSniff(head)
      if sniff == .healthData {
        if main.map({ $0.byteCount < candidate.byteCount }) ?? true { main = candidate }
      } else if sniff != .other {
        refusal = refusal ?? sniff
      }
    }
    guard let main else { throw refusal?.error(path: folder) ?? .notAnExport(path: folder, .folderWithoutExport) }
    let file = try OpenFile(path: "\(folder)/\(main.path)")
    var found = Found(kind: .folder, file: file, main: .file(file.path), mainPath: main.path)
    for other in files where other.path != main.path {
      found.add(other.path, byteCount: other.byteCount, .file("\(folder)/\(other.path)"))
    }
    return found
  }

  /// Side folders may stand beside a plain XML, in a folder that has nothing else to do with it.
  private static func findBeside(_ file: OpenFile) throws(ExportError) -> Found {
    let parts = file.path.split(separator: "/", omittingEmptySubsequences: false)
    let folder = parts.count == 1 ? "." : parts.dropLast().joined(separator: "/")
    var found = Found(kind: .xml, file: file, main: .file(file.path), mainPath: String(parts.last ?? ""))
    // Not being allowed to look around is no fault of the export.
    for other in (try? list(folder.isEmpty ? "/" : folder, depth: 1)) ?? [] where SideFile.kind(of: other.path) != nil {
      found.add(other.path, byteCount: other.byteCount, .file("\(folder)/\(other.path)"))
    }
    return found
  }

  private struct FoundFile {
    var path: String
    var byteCount: Int64
  }

  /// Regular files in `folder` and `depth` levels below, by path; hidden ones are left out, links are not followed.
  private static func list(_ folder: String, depth: Int, prefix: String = "") throws(ExportError) -> [FoundFile] {
    guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder) else {
      throw .notReadable(path: folder, errno: errno)
    }
    var files: [FoundFile] = []
    for name in names.sorted() where !name.hasPrefix(".") && name != "__MACOSX" {
      var status = stat()
      guard unsafe lstat("\(folder)/\(name)", &status) == 0 else { continue }
      switch status.st_mode & S_IFMT {
      case S_IFREG: files.append(FoundFile(path: prefix + name, byteCount: Int64(status.st_size)))
      case S_IFDIR where depth > 0:
        // A folder that cannot be read has nothing to offer.
        files += (try? list("\(folder)/\(name)", depth: depth - 1, prefix: "\(prefix)\(name)/")) ?? []
      default: break
      }
    }
    return files
  }
}

extension ExportFinder.Found {
  /// Side files are named from the folder that the main XML is in.
  fileprivate mutating func add(_ path: String, byteCount: Int64, _ location: SideFile.Location) {
    let base = mainPath.split(separator: "/").dropLast().map { $0 + "/" }.joined()
    let relative = path.hasPrefix(base) ? String(path.dropFirst(base.count)) : path
    if let kind = SideFile.kind(of: relative) {
      sideFiles.append(SideFile(path: relative, kind: kind, byteCount: byteCount, location: location))
    } else {
      ignored.append(OpenExport.IgnoredFile(path: path, byteCount: byteCount))
    }
  }
}
