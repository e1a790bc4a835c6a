import HealthModel
import Testing

@testable import ExportReader

@Suite struct PrologTests {
  /// iOS 16: a declaration that is never closed with others in it, and a surplus `>`.
  static let unclosed = """
    <!DOCTYPE HealthData [
    <!-- HealthKit Export Version: 12 -->
    <!ELEMENT HealthData (ExportDate,Me)>
    <!ATTLIST VisionPrescription
      brand CDATA #IMPLIED
    <!ELEMENT RightEye EMPTY>
    <!ATTLIST RightEye
      sphere CDATA #IMPLIED
    >
    >
    ]>

    """
  static let surplus = "<!DOCTYPE HealthData [\n<!ELEMENT Me EMPTY>\n>\n]>\n"
  static let lastUnclosed = "<!DOCTYPE HealthData [\n<!ATTLIST Me a CDATA #IMPLIED\n]>\n"

  @Test(arguments: [unclosed, surplus, lastUnclosed]) func aBrokenDoctypeIsCutAndCounted(doctype: String) throws {
    let input = Fixture.export("<a/>", doctype: doctype)
    let result = try ScanResult(input)
    #expect(result.text.trimmingWhiteSpace == "<a/>")
    #expect(result.problems.counts == [.doctypeCut: 1])
    #expect(result.problems.entries[.doctypeCut]?.firstOffset == 39)
    #expect(result.originals[0] == [Int64(input.count - Fixture.tail.utf8.count - 4)])
    #expect(result.root?.locale == "en_US")
    for size in 1...20 { #expect(try ScanResult(input, pieces: [size]) == result) }
  }

  @Test(arguments: [
    "<!DOCTYPE HealthData>",
    "<!DOCTYPE HealthData SYSTEM \"a>b\">",
    "<!DOCTYPE HealthData [<!-- <HealthData > ]> -- ' \" -->]>",
    "<!DOCTYPE HealthData [<!ENTITY x \"]><HealthData >\"><?pi <HealthData >?>] >",
    "<!DOCTYPE HealthData [ <!ATTLIST a b CDATA '>'> ]><!-- ' -->",
  ])
  func aSoundDoctypeIsCutWithoutACount(doctype: String) throws {
    let result = try ScanResult(Fixture.export("<a/>", doctype: doctype))
    #expect(result.text.trimmingWhiteSpace == "<a/>")
    #expect(result.problems.counts == [:])
  }

  @Test func aByteOrderMarkIsCutAndCounted() throws {
    let result = try ScanResult([0xEF, 0xBB, 0xBF] + Fixture.export("<a/>"))
    #expect(result.problems.counts == [.byteOrderMark: 1])
    #expect(result.originals[0] == [Fixture.bodyOffset + 3])
  }

  @Test func rootAttributesAreRead() throws {
    for (tag, locale) in [
      ("<HealthData locale=\"pt_BR\">", "pt_BR"), ("<HealthData\n x='1' locale = 'a&amp;b'>", "a&b"),
      ("<HealthData>", nil), ("<HealthData locale>", ""),
    ] as [(String, String?)] {
      #expect(try ScanResult(Array("\(tag)<a/></HealthData>".utf8)).root?.locale == locale, "\(tag)")
    }
  }
}
