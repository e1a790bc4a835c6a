import HealthModel

/// A JSON object in the making: members are added in any order and written sorted bytewise by key. Of a key that was
/// added twice the later counts. One value is filled over and over.
///
/// ```
/// begin("beats"); text.append(…); end()
/// ```
struct JSONObject {
  private struct Member: BitwiseCopyable {
    /// `"key":value` in `text`: the opening quote, the closing quote, and the end.
    var start: Int
    var keyEnd: Int
    var end: Int
    var keyRange: Range<Int> { start + 1..<keyEnd }
  }

  /// The members' text; values are appended here between `begin` and `end`.
  var text: [UInt8] = []
  private var members: [Member] = []
  private var reservedCount = 0

  var isEmpty: Bool { members.isEmpty }

  mutating func removeAll() {
    if members.isEmpty { return }
    text.removeAll(keepingCapacity: true)
    members.removeAll(keepingCapacity: true)
    reservedCount = 0
  }

  /// Starts a member whose key needs no escapes.
  mutating func begin(_ key: String) {
    let start = text.count
    text.append(UInt8(ascii: "\""))
    text.append(raw: key)
    finishKey(from: start)
  }

  /// Starts a member whose key is `prefix` and then `bytes[range]`, escaped. Returns the number of cleaned characters.
  @discardableResult
  mutating func begin(prefix: String = "", _ range: Range<Int>, of bytes: Span<UInt8>) -> Int {
    let start = text.count
    text.append(UInt8(ascii: "\""))
    text.append(raw: prefix)
    let cleaned = text.appendEscaped(range, of: bytes)
    finishKey(from: start)
    return cleaned
  }

  /// Adds a member of another object as it stands there.
  mutating func add(_ member: JSONMembers.Member, of bytes: Span<UInt8>) {
    let start = text.count
    text.append(UInt8(ascii: "\""))
    text.append(member.key, of: bytes)
    finishKey(from: start)
    text.append(member.value, of: bytes)
    end()
  }

  private mutating func finishKey(from start: Int) {
    members.append(Member(start: start, keyEnd: text.count, end: text.count))
    text.append(UInt8(ascii: "\""))
    text.append(UInt8(ascii: ":"))
  }

  mutating func end() { members[members.count - 1].end = text.count }

  /// The members so far keep their keys: an entry of the same key is to be renamed.
  mutating func reserve() { reservedCount = members.count }

  func hasReservedMember(_ key: Range<Int>, of bytes: Span<UInt8>) -> Bool {
    for member in members.prefix(reservedCount) where text.span.order(member.keyRange, bytes, key) == 0 { return true }
    return false
  }

  /// Appends the object to `output`; an object without members is not written.
  mutating func write(into output: inout [UInt8]) {
    if members.isEmpty { return }
    if members.count > 1 { sort() }
    output.append(UInt8(ascii: "{"))
    var isFirst = true
    for i in members.indices where i + 1 == members.count || !hasEqualKeys(members[i], members[i + 1]) {
      if !isFirst { output.append(UInt8(ascii: ",")) }
      isFirst = false
      output.append(members[i].start..<members[i].end, of: text.span)
    }
    output.append(UInt8(ascii: "}"))
  }

  /// By key, equal keys in the order of addition.
  private mutating func sort() {
    guard members.count > 12 else {
      for i in 1..<members.count {
        var j = i
        while j > 0, precedes(members[j], members[j - 1]) {
          members.swapAt(j, j - 1)
          j -= 1
        }
      }
      return
    }
    let text = text
    members.sort { JSONObject.precedes($0, $1, in: text.span) }
  }

  private func precedes(_ a: Member, _ b: Member) -> Bool { JSONObject.precedes(a, b, in: text.span) }

  private static func precedes(_ a: Member, _ b: Member, in text: Span<UInt8>) -> Bool {
    let order = text.order(a.keyRange, b.keyRange)
    return order != 0 ? order < 0 : a.start < b.start
  }

  private func hasEqualKeys(_ a: Member, _ b: Member) -> Bool { text.span.order(a.keyRange, b.keyRange) == 0 }
}
