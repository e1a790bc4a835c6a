import ExportReader
import HealthModel
import RowMapping
import Staging

/// Joins the samples of one metric type to the files beside the XML, within the pass of that type: nothing here depends
/// on how the work is shared out.
///
/// ```
/// route             file ─► points ─┬─► value, distance, bounds of its row     before rows are resolved: they decide
/// clinical record   file ─► JSON ───┴─► metadata of its row                    about repeats and order
///                          points ───► hk2pg.route_points, once per content
/// electrocardiogram file ─► voltages ─► hk2pg.ecg_recordings                   after: a recording has its row's id
/// ```
struct SideFileJoin: ~Copyable {
  private enum Kind { case route, clinicalRecord, electrocardiogram }

  /// A file is read as a whole; this is a hundred times what is known of any.
  static let fileByteLimit = 64 << 20
  /// Resources of one second that are held at a time.
  private static let groupByteLimit = 512 << 20

  private let kind: Kind
  private let stage: MergeStage
  private var series: SeriesWriter?
  /// The file that was read last, since routes that share one follow each other.
  private var lastTrack: (path: String, track: Track?)?
  private var writtenDigests: Set<String> = []
  private var problems = ProblemTally()
  private var used: Set<String> = []

  private struct Track {
    var points: [RoutePoint]
    var digest: String?
  }

  /// Nil for the types that need no file.
  init?(metricType: [UInt8], stage: MergeStage) throws {
    switch String(decoding: metricType, as: UTF8.self) {
    case "HKWorkoutRouteTypeIdentifier": kind = .route
    case "HKDataTypeIdentifierElectrocardiogram": kind = .electrocardiogram
    case let name where name.hasPrefix("HKClinicalTypeIdentifier"): kind = .clinicalRecord
    default: return nil
    }
    self.stage = stage
    if let folder = stage.folder, kind != .clinicalRecord {
      let table = kind == .route ? ChunkTable.routePoints : .ecgRecordings
      series = try SeriesWriter(folder: folder, table: table, user: stage.user)
    }
  }

  consuming func finish(into result: inout MergeStage.Result) throws {
    result.problems.merge(problems)
    result.usedFiles.formUnion(used)
    if let chunks = try series.take()?.finish() { result.chunks += chunks }
  }

  // MARK: Before resolution

  /// Completes the records of `group`.
  mutating func join(_ group: inout SampleGroup) throws {
    let joined: SampleRecord.Flags = [.hasSideFile, .hasInlinePoints]
    guard kind != .electrocardiogram, group.records.contains(where: { !$0.flags.isDisjoint(with: joined) }) else {
      return
    }
    var payload: [UInt8] = []
    for index in SideFileJoin.order(of: group) {
      var record = group.records[index]
      var metadata = Array(group.payload[record.payloadRange])
      if record.flags.contains(.hasInlinePoints) {
        try joinInlinePoints(record, &metadata)
      } else if record.flags.contains(.hasSideFile), let path = SideFileMetadata.path(in: metadata.span) {
        try join(path, &record, &metadata, isRoomLeft: payload.count < SideFileJoin.groupByteLimit)
      }
      record.payloadOffset = UInt32(payload.count)
      record.payloadLength = UInt32(metadata.count)
      payload += metadata
      group.records[index] = record
    }
    group.payload = payload
  }

  /// By metadata and place in the input: the order of a group depends on the workers.
  private static func order(of group: borrowing SampleGroup) -> [Int] {
    if group.records.count == 1 { return [0] }
    let (records, payload) = (group.records, group.payload)
    return records.indices.sorted { a, b in
      let (left, right) = (payload[records[a].payloadRange], payload[records[b].payloadRange])
      if left != right { return left.lexicographicallyPrecedes(right) }
      return records[a].inputOffset < records[b].inputOffset
    }
  }

  private mutating func join(
    _ path: String, _ record: inout SampleRecord, _ metadata: inout [UInt8], isRoomLeft: Bool
  ) throws {
    guard let file = stage.export.sideFile(at: path) else {
      problems.add(.missingSideFile, at: record.inputOffset)
      return
    }
    if kind == .route {
      try joinRoute(file, &record, &metadata)
    } else if isRoomLeft {
      try joinResource(file, record, &metadata)
    } else {
      noteUnreadable(record)
    }
  }

  private mutating func contents(of file: SideFile, for record: SampleRecord) throws -> [UInt8]? {
    try stage.export.contents(
      of: file, isSalvage: stage.isSalvage, problems: &problems, at: record.inputOffset)
  }

  private mutating func noteUnreadable(_ record: SampleRecord) {
    problems.add(.unreadableSideFile, at: record.inputOffset)
  }

  // MARK: Routes

  private mutating func joinRoute(
    _ file: SideFile, _ record: inout SampleRecord, _ metadata: inout [UInt8]
  ) throws {
    guard let track = try track(of: file, for: record) else { return noteUnreadable(record) }
    var measure = RouteMeasure(start: record.start, end: record.end)
    for point in track.points { measure.add(point) }
    SideFileMetadata.addRoute(measure, digest: track.digest, to: &record, metadata: &metadata)
    try write(track, of: record)
  }

  /// Nil when it cannot be read. Points without a time are counted when a file is first used.
  private mutating func track(of file: SideFile, for record: SampleRecord) throws -> Track? {
    if let last = lastTrack, last.path == file.path { return last.track }
    var track: Track?
    if let bytes = try contents(of: file, for: record),
      let read = try? GPXReader.read(bytes)
    {
      track = SideFileJoin.track(of: read.points)
      if used.insert(file.path).inserted {
        problems.add(.pointWithoutTime, at: record.inputOffset, count: read.leftOutPointCount)
      }
    }
    lastTrack = (file.path, track)
    return track
  }

  private mutating func joinInlinePoints(_ record: SampleRecord, _ metadata: inout [UInt8]) throws {
    let track = SideFileJoin.track(of: SideFileMetadata.inlinePoints(in: metadata.span))
    SideFileMetadata.replaceInlinePoints(byDigest: track.digest, in: &metadata)
    try write(track, of: record)
  }

  /// The digest is that of the points and not of the file, which also holds the date of the export: the same points in
  /// the next export must be the same.
  private static func track(of points: [RoutePoint]) -> Track {
    if points.isEmpty { return Track(points: []) }
    var digest = ContentDigest()
    digest.update(InlinePoints.bytes(of: points).span)
    return Track(points: points, digest: digest.text())
  }

  /// A row that the raw window withholds takes its points along.
  private mutating func write(_ track: Track, of record: SampleRecord) throws {
    let windowStart = stage.rawWindowStart ?? Instant(microseconds: .min)
    guard let digest = track.digest, record.start >= windowStart, writtenDigests.insert(digest).inserted else { return }
    try series?.append(track.points, digest: digest, from: windowStart)
  }

  // MARK: Clinical records

  private mutating func joinResource(
    _ file: SideFile, _ record: SampleRecord, _ metadata: inout [UInt8]
  ) throws {
    guard let bytes = try contents(of: file, for: record) else { return noteUnreadable(record) }
    used.insert(file.path)
    do throws(SideFileError) {
      SideFileMetadata.addResource(json: try FHIRReader.read(bytes).json, to: &metadata)
    } catch {
      // What jsonb cannot hold is kept as text, in UTF-8.
      let isJSON = if case .unstorableJSON = error { true } else { false }
      _ = SideFileMetadata.addResource(text: Array(String(decoding: bytes, as: UTF8.self).utf8), to: &metadata)
      problems.add(isJSON ? .cleanedJSON : .unreadableSideFile, at: record.inputOffset)
    }
  }

  // MARK: After resolution

  /// Writes the voltages of the electrocardiograms among rows that will be staged.
  mutating func append(_ batch: borrowing ResolvedBatch) throws {
    guard kind == .electrocardiogram, stage.folder != nil else { return }
    for row in batch.rows where row.record.flags.contains(.hasSideFile) {
      let index = Int(row.record.inputOffset)
      let files = stage.export.sideFiles
      guard files.indices.contains(index), let bytes = try? stage.export.bytes(of: files[index]),
        let recording = try? ECGReader.read(bytes), recording.recordedAt.seconds == row.record.start.seconds
      else { continue }
      try series?.append(recording, id: row.id)
    }
  }
}

extension OpenExport {
  /// All bytes of a side file; nil when it is too large. Damage of the archive is an error; salvage leaves the file out
  /// and counts it in `problems`, at the element that names it.
  func contents(of file: SideFile, isSalvage: Bool, problems: inout ProblemTally, at offset: Int64) throws -> [UInt8]? {
    do {
      return try bytes(of: file, limit: SideFileJoin.fileByteLimit)
    } catch {
      if case .sideFileTooLarge = error { return nil }
      if !isSalvage { throw error }
      problems.add(.salvagedTear, at: offset)
      return nil
    }
  }
}
