import CXMLPush

/// libxml2's push parser behind `CXMLPush`; see there for how events arrive. One thread at a time.
///
/// The tables of a push are C memory: they are read through the accessors here, and are gone with the next push.
@safe
struct XMLPushParser: ~Copyable {
  struct ParserError: Equatable {
    var code: Int
    var isFatal: Bool
    /// Number of events before it.
    var eventIndex: Int
    /// Bytes of the document consumed when it was noticed.
    var offset: Int

    /// XML_ERR_ATTRIBUTE_REDEFINED. Both attributes are delivered, in order.
    static let doubledAttribute = 42
  }

  private let handle: OpaquePointer
  private var result: CXMLResult

  init(wantsText: Bool = false) {
    guard let handle = unsafe cxml_create(wantsText ? 1 : 0) else { fatalError("out of memory") }
    unsafe self.handle = handle
    unsafe result = cxml_result(handle)
  }

  deinit { unsafe cxml_destroy(handle) }

  func know(element name: String, as code: Int) { unsafe cxml_know_element(handle, name, Int32(code)) }
  func know(attribute name: String, as code: Int) { unsafe cxml_know_attribute(handle, name, Int32(code)) }

  mutating func restart() throws(ExportError) {
    guard unsafe cxml_restart(handle) == 0 else { throw .outOfMemory }
    unsafe result = cxml_result(handle)
  }

  mutating func push(_ bytes: Span<UInt8>, isLast: Bool = false) throws(ExportError) {
    let status = unsafe bytes.withUnsafeBufferPointer {
      unsafe cxml_push(handle, $0.baseAddress, $0.count, isLast ? 1 : 0)
    }
    unsafe result = cxml_result(handle)
    guard status == 0 else { throw .outOfMemory }
  }

  /// Faster, for whole elements without text; after an error the same bytes have to be pushed again in a new document,
  /// for neither the error nor its offset need be true.
  mutating func pushValues(_ bytes: Span<UInt8>) throws(ExportError) {
    let status = unsafe bytes.withUnsafeBufferPointer { unsafe cxml_push_values(handle, $0.baseAddress, $0.count) }
    unsafe result = cxml_result(handle)
    guard status == 0 else { throw .outOfMemory }
  }

  var eventCount: Int { unsafe result.event_count }
  var hasErrors: Bool { unsafe result.error_count > 0 }

  var errors: [ParserError] {
    unsafe UnsafeBufferPointer(start: result.errors, count: result.error_count).map {
      ParserError(code: Int($0.code), isFatal: $0.is_fatal != 0, eventIndex: Int($0.event), offset: Int($0.offset))
    }
  }

  @inline(__always) func event(_ index: Int) -> CXMLEvent {
    precondition(index < eventCount)
    return unsafe result.events[index]
  }

  /// `index` comes from an event of this push.
  @inline(__always) func attribute(_ index: Int) -> CXMLAttribute { unsafe result.attributes[index] }

  /// Appends bytes that an event or an attribute of this push refers to.
  @inline(__always) func append(_ range: Range<Int>, to bytes: inout [UInt8]) {
    // Before the first byte there is no table.
    if range.isEmpty { return }
    unsafe bytes.append(contentsOf: UnsafeBufferPointer(start: result.bytes + range.lowerBound, count: range.count))
  }
}
