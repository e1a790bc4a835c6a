import CXMLPush
package import HealthModel

/// Reads a route's points from GPX (export-format §8.2):
///
/// ```
/// <gpx version="1.1" creator="Apple Health Export" …><metadata><time>2024-12-26T15:00:00Z</time></metadata><trk><trkseg>
///  <trkpt lon="4.875" lat="45.75"><ele>170.5</ele><time>2024-12-26T13:54:28Z</time>
///   <extensions><speed>2.5</speed><course>-1</course><hAcc>1.8</hAcc><vAcc>1.5</vAcc></extensions></trkpt>
/// ```
package enum GPXReader {
  private static let pieceByteCount = 64 << 10

  /// All points with a time, in order. Negative speed and course are unknown. Throws when the XML is not well-formed to
  /// its end, or not GPX.
  package static func read(_ bytes: [UInt8]) throws(SideFileError) -> RouteTrack {
    var parser = XMLPushParser(wantsText: true)
    GPXName.register(with: parser)
    var builder = TrackBuilder()
    var position = 0
    repeat {
      let end = min(bytes.count, position + pieceByteCount)
      do {
        try parser.push(bytes.span.extracting(position..<end), isLast: end == bytes.count)
      } catch {
        throw .outOfMemory
      }
      if parser.hasErrors, let error = parser.errors.first(where: \.isFatal) {
        throw .malformedXML(at: error.offset, code: error.code)
      }
      for index in 0..<parser.eventCount { builder.take(parser.event(index), of: parser) }
      if let root = builder.otherRoot { throw .notGPX(root: root) }
      position = end
    } while position < bytes.count
    return builder.track
  }
}

/// Elements and attributes that count.
private enum GPXName: Int, CaseIterable {
  case gpx, trkpt, ele, time, speed, course, hAcc, vAcc, lon, lat

  static func register(with parser: borrowing XMLPushParser) {
    for name in allCases {
      let text = String(describing: name)
      if name == .lon || name == .lat {
        parser.know(attribute: text, as: name.rawValue)
      } else {
        parser.know(element: text, as: name.rawValue)
      }
    }
  }
}

/// Makes points of the events.
private struct TrackBuilder {
  private(set) var track = RouteTrack()
  /// Name of a root that is not `gpx`.
  private(set) var otherRoot: String?
  private var depth = 0
  private var point: RoutePoint?
  private var isInPoint = false
  /// The element whose text is read.
  private var field: GPXName?
  private var text: [UInt8] = []

  mutating func take(_ event: CXMLEvent, of parser: borrowing XMLPushParser) {
    switch Int(event.kind) {
    case Int(CXMLEventStart):
      depth += 1
      begin(GPXName(rawValue: Int(event.code)), event, parser)
    case Int(CXMLEventEnd):
      depth -= 1
      end(GPXName(rawValue: Int(event.code)))
    default:
      if field != nil { parser.append(Int(event.first)..<Int(event.first + event.count), to: &text) }
    }
  }

  private mutating func begin(_ name: GPXName?, _ event: CXMLEvent, _ parser: borrowing XMLPushParser) {
    if depth == 1 && name != .gpx {
      var bytes: [UInt8] = []
      parser.append(Int(event.name_start)..<Int(event.name_start + event.name_length), to: &bytes)
      otherRoot = name.map { String(describing: $0) } ?? String(decoding: bytes, as: UTF8.self)
    }
    if name == .trkpt {
      isInPoint = true
      point = place(event, parser)
    } else if isInPoint {
      field = name
      text.removeAll(keepingCapacity: true)
    }
  }

  private func place(_ event: CXMLEvent, _ parser: borrowing XMLPushParser) -> RoutePoint? {
    var longitude: Double?
    var latitude: Double?
    for index in Int(event.first)..<Int(event.first + event.count) {
      let attribute = parser.attribute(index)
      guard let name = GPXName(rawValue: Int(attribute.code)) else { continue }
      var value: [UInt8] = []
      parser.append(Int(attribute.value_start)..<Int(attribute.value_start + attribute.value_length), to: &value)
      let number = DecimalParser.parse(0..<value.count, of: value.span)
      if name == .lon { longitude = number } else { latitude = number }
    }
    guard let longitude, let latitude, abs(longitude) <= 180, abs(latitude) <= 90 else { return nil }
    return RoutePoint(recordedAt: nil, longitude: longitude, latitude: latitude)
  }

  private mutating func end(_ name: GPXName?) {
    if name == .trkpt {
      if let point, point.recordedAt != nil { track.points.append(point) } else { track.leftOutPointCount += 1 }
      isInPoint = false
    } else if let field, field == name {
      set(field)
    }
    field = nil
  }

  private mutating func set(_ field: GPXName) {
    let range = Text.trimmed(text)
    if field == .time {
      let time = DateParser.parse(range, of: text.span)?.instant
      point?.recordedAt = time
      return
    }
    let number = DecimalParser.parse(range, of: text.span)
    switch field {
    case .ele: point?.elevation = number
    case .speed: point?.speed = number.flatMap { $0 < 0 ? nil : $0 }
    case .course: point?.course = number.flatMap { $0 < 0 ? nil : $0 }
    case .hAcc: point?.horizontalAccuracy = number
    case .vAcc: point?.verticalAccuracy = number
    case .gpx, .trkpt, .time, .lon, .lat: break
    }
  }
}
