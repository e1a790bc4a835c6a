extension SourceFacts {
  /// Watch or iPhone by the device strings of the whole export, else by the source's name (DESIGN §4.2). An app that
  /// records on both is a Watch.
  package func deviceClass(sourceName: [UInt8]) -> DeviceClass {
    if hasWatchDevice { return .watch }
    if hasPhoneDevice { return .phone }
    if SourceFacts.contains(sourceName, "Watch") { return .watch }
    return SourceFacts.contains(sourceName, "iPhone") ? .phone : .other
  }

  /// Facts of a source that is known by its class and first sample alone, as `hk2pg.sources` keeps them.
  package init(deviceClass: DeviceClass, firstSample: Instant?) {
    self.init()
    hasWatchDevice = deviceClass == .watch
    hasPhoneDevice = deviceClass == .phone
    self.firstSample = firstSample
  }

  private static func contains(_ text: [UInt8], _ word: String) -> Bool {
    let word = Array(word.utf8)
    guard text.count >= word.count else { return false }
    return (0...text.count - word.count).contains { text[$0..<$0 + word.count].elementsEqual(word) }
  }
}
