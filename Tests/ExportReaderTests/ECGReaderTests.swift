import HealthModel
import Testing

@testable import ExportReader

@Suite struct ECGReaderTests {
  static let english = """
    Name,Robin Example
    Date of Birth,"Jun 12, 1984"
    Recorded Date,2023-03-04 20:55:07 -0500
    Classification,Sinus Rhythm
    Symptoms,
    Software Version,1.90
    Device,"Watch6,7"
    Sample Rate,512 hertz


    Lead,Lead I
    Unit,µV

    -265.868
    12
    0.5

    """

  static var expected: ECGRecording {
    // date -u -d '2023-03-05 01:55:07' +%s
    var recording = ECGRecording(recordedAt: Instant(seconds: 1_677_981_307))
    recording.classification = "Sinus Rhythm"
    recording.softwareVersion = "1.90"
    recording.device = "Watch6,7"
    recording.sampleRateHz = 512
    recording.lead = "Lead I"
    recording.unit = "µV"
    recording.voltages = [-265.868, 12, 0.5]
    return recording
  }

  func read(_ text: String) throws(SideFileError) -> ECGRecording { try ECGReader.read(Array(text.utf8)) }

  @Test func readsAnEnglishFile() throws {
    #expect(try read(Self.english) == Self.expected)
    #expect(try read("\u{FEFF}" + Self.english.replacing("\n", with: "\r\n")) == Self.expected)
    // English with the decimal mark of another region, `Name` without a comma, no end of line.
    let portuguese = Self.english.replacing("Name,Robin Example", with: "Name").replacing("-265.868", with: "-265,868")
      .replacing("0.5\n", with: "\u{2212}0,5")
    var expected = Self.expected
    expected.voltages[2] = -0.5
    #expect(try read(portuguese) == expected)
  }

  @Test func rowsAreKnownByTheirPlaceInAnyLanguage() throws {
    let german = """
      Name,Robin Example
      Geburtstag,"12.06.1984"
      Aufzeichnungsdatum,2023-03-04 20:55:07 -0500
      Klassifizierung,Uneindeutig
      Symptome,"Schwindel, Müdigkeit"
      Softwareversion,2
      Gerät,"Watch6,7"
      Messrate,511,562\u{A0}Hertz

      Ableitung,Ableitung I
      Einheit,µV

      1,25
      """
    var expected = Self.expected
    expected.classification = "Uneindeutig"
    expected.symptoms = "Schwindel, Müdigkeit"
    expected.softwareVersion = "2"
    expected.sampleRateHz = 511.562
    expected.lead = "Ableitung I"
    expected.voltages = [1.25]
    #expect(try read(german) == expected)

    let chinese = """
      姓名
      记录日期,2023-03-05 09:55:07 +0800
      分类,窦性心律
      症状,
      软件版本,1.90
      设备,"Watch6,7"
      采样速率,512赫兹
      导联,导联I
      单位,µV
      3
      """
    expected.classification = "窦性心律"
    expected.symptoms = nil
    expected.softwareVersion = "1.90"
    expected.sampleRateHz = 512
    expected.lead = "导联I"
    expected.voltages = [3]
    #expect(try read(chinese) == expected)
  }

  @Test func anAverageHeartRateMayBeAmongTheRows() throws {
    var expected = Self.expected
    expected.averageHeartRate = 72
    let text = Self.english.replacing("Symptoms,", with: "Average Heart Rate,72 BPM\nSymptoms,")
    #expect(try read(text) == expected)
  }

  @Test func aTwelveHourClockIsUnderstood() throws {
    let text = Self.english.replacing("20:55:07 -0500", with: "8:55:07\u{202F}PM -0500")
    #expect(try read(text) == Self.expected)
  }

  @Test func endIsStartPlusSamplesByRate() throws {
    var recording = Self.expected
    recording.voltages = Array(repeating: 0, count: 15_360)
    #expect(recording.endedAt == Instant(seconds: recording.recordedAt.seconds + 30))
    recording.sampleRateHz = nil
    #expect(recording.endedAt == recording.recordedAt)
  }

  @Test func withoutDateOrVoltagesItIsAnError() throws {
    #expect(throws: SideFileError.noDate) { try read("Name,x\nRecorded Date,yesterday\n1\n2\n") }
    #expect(throws: SideFileError.noDate) { try read("") }
    #expect(throws: SideFileError.noVoltages) { try read(String(Self.english.prefix(200))) }
    let offset = Self.english.utf8.count
    #expect(throws: SideFileError.notANumber(at: offset)) { try read(Self.english + "x,y\n") }
  }
}
