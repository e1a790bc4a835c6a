import HealthModel
import Testing

@testable import ExportReader

@Suite struct FHIRReaderTests {
  func read(_ text: String) throws(SideFileError) -> FHIRResource { try FHIRReader.read(Array(text.utf8)) }

  @Test func passesJSONThroughAndTellsItsType() throws {
    let json = """
      {"id":"1","contained":[{"resourceType":"Patient"}], "resourceType" : "Observation",
       "text":"é\\"\\u00e9\\ud83d\\ude00\\/\\n", "v":[-0.5e+3,0,1E2,true,false,null,{},[]]}
      """
    let resource = try read("\u{FEFF}\n \(json)\r\n")
    #expect(resource == FHIRResource(resourceType: "Observation", json: Array(json.utf8)))
    #expect(try read("[1]").resourceType == nil)
    #expect(try read("{\"resourceType\":3}").resourceType == nil)
  }

  @Test(arguments: [
    ("", 0), ("{", 1), ("{\"a\"}", 4), ("{\"a\":1,}", 7), ("[1,]", 3), ("[1 2]", 3), ("01", 1), ("1.", 2), ("-", 1),
    ("+1", 0), ("\"a\nb\"", 2), ("\"\\x\"", 1), ("\"\\u12g4\"", 3), ("\"abc", 4), ("tru", 0), ("NaN", 0), ("{} {}", 3),
    ("{a:1}", 1), ("'a'", 0), (".5", 0),
  ])
  func whatIsNoJSONIsAnErrorAtItsPlace(text: String, offset: Int) {
    #expect(throws: SideFileError.malformedJSON(at: offset)) { try read(text) }
  }

  @Test func badUTF8IsNoJSON() {
    #expect(throws: SideFileError.malformedJSON(at: 2)) { try FHIRReader.read([0x22, 0x61, 0xFF, 0x22]) }
    #expect(throws: SideFileError.malformedJSON(at: 1)) { try FHIRReader.read([0x22, 0xE2, 0x82]) }
  }

  @Test(arguments: [
    ("\"a\\u0000\"", 2), ("\"\\ud83d\"", 1), ("\"\\ude00\"", 1), ("\"\\ud83dx\"", 1), ("\"\\ud83d\\u0041\"", 1),
    ("[1e99999]", 1), ("1e-99999999999999999999", 0),
  ])
  func whatPostgresCannotHoldIsAnErrorOfItsOwn(text: String, offset: Int) {
    #expect(throws: SideFileError.unstorableJSON(at: offset)) { try read(text) }
  }

  @Test func depthAndLengthHaveLimits() throws {
    func nested(_ depth: Int) -> String { String(repeating: "[", count: depth) + String(repeating: "]", count: depth) }
    #expect(try read(nested(512)).json.count == 1024)
    #expect(throws: SideFileError.unstorableJSON(at: 512)) { try read(nested(513)) }
    #expect(throws: SideFileError.unstorableJSON(at: 0)) { try read(String(repeating: "1", count: 1001)) }
  }
}
