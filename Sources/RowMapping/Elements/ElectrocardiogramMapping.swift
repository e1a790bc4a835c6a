package import HealthModel

extension RowMapper {
  /// Adds the row of an electrocardiogram: its average heart rate where one is given, else no value; from the recorded
  /// date to its samples divided by their rate. The voltages are for a table of their own.
  ///
  /// - Parameter file: the index of its file among the export's side files. It stands in for the offset, since there is
  ///   no element: by it the voltages are found again when the row has its id.
  package mutating func map(_ recording: ECGRecording, file: Int = 0, into buffer: inout SampleBuffer) {
    base.samplesRead += 1
    // The texts as an element's attributes, so that all samples take one way.
    var element = ExportElement()
    element.inputOffset = Int64(file)
    element.nodes.append(.init(name: .other, parent: -1, firstAttribute: 0, attributeCount: 1))
    let device = Array((recording.device ?? "").utf8)
    element.bytes = device
    element.attributes.append(.init(name: .sourceName, valueStart: 0, valueLength: Int32(device.count)))
    let common = CommonAttributes(node: 0, of: element)
    // Exports have whole seconds; the microseconds of a start tell rows apart.
    let start = Instant(seconds: recording.recordedAt.seconds)
    guard
      var sample = beginSample(
        fixed.electrocardiogram, common, start: start, end: max(start, recording.endedAt), of: element)
    else { return }
    sample.record.flags.insert(.hasSideFile)
    // The voltages are what it is: with other ones it is another recording, whatever else agrees.
    sample.record.subtype = table.intern(recording.voltageHash)
    if let rate = recording.averageHeartRate, rate.isFinite {
      sample.record.value = rate
      sample.record.flags.insert(.hasValue)
      sample.record.exportedUnit = fixed.countPerMinute
    }
    object.removeAll()
    let texts = [
      ("classification", recording.classification), ("symptoms", recording.symptoms), ("device", recording.device),
      ("software_version", recording.softwareVersion), ("lead", recording.lead),
    ]
    for case (let key, let text?) in texts {
      let bytes = Array(text.utf8)
      object.begin(key)
      cleaned += object.text.appendJSON(0..<bytes.count, of: bytes.span)
      object.end()
    }
    if let rate = recording.sampleRateHz, rate.isFinite {
      object.begin("sample_rate_hz")
      object.text.append(json: rate)
      object.end()
    }
    endSample(sample, common, of: element, into: &buffer)
  }
}
