/// One electrocardiogram, as `electrocardiograms/ecg_YYYY-MM-DD.csv` has it. Texts are as exported, in the phone's
/// language; what is missing or empty is nil.
package struct ECGRecording: Sendable, Equatable {
  /// Start of the recording.
  package var recordedAt: Instant
  /// For instance `Sinus Rhythm`.
  package var classification: String?
  package var symptoms: String?
  package var softwareVersion: String?
  /// For instance `Watch6,7`.
  package var device: String?
  /// About 512.
  package var sampleRateHz: Double?
  /// Beats per minute; only some exporters write it.
  package var averageHeartRate: Double?
  /// For instance `Lead I`.
  package var lead: String?
  /// Of the voltages, for instance `µV`.
  package var unit: String?
  package var voltages: [Float] = []

  package init(recordedAt: Instant) { self.recordedAt = recordedAt }

  /// What tells recordings apart that agree in everything else: 64 bits of a hash of their voltages, in hexadecimal.
  package var voltageHash: String {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(4 * voltages.count)
    for voltage in voltages {
      for shift in [0, 8, 16, 24] { bytes.append(UInt8(truncatingIfNeeded: voltage.bitPattern >> shift)) }
    }
    return String(PostgresHash.hash(bytes.span, seed: 0), radix: 16)
  }

  /// Start + samples / rate; the start itself without a rate.
  package var endedAt: Instant {
    guard let rate = sampleRateHz, rate > 0 else { return recordedAt }
    let microseconds = (Double(voltages.count) / rate * 1e6).rounded()
    return Instant(microseconds: recordedAt.microseconds + (Int64(exactly: microseconds) ?? 0))
  }
}
