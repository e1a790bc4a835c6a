import Testing

@testable import HealthModel

@Suite struct NearestWordTests {
  @Test(arguments: [
    ("timezone", "timezone", 0), ("timezon", "timezone", 1), ("tiemzone", "timezone", 1), ("jbos", "jobs", 1),
    ("", "abc", 3), ("kitten", "sitting", 3),
  ])
  func distance(_ a: String, _ b: String, _ expected: Int) {
    #expect(NearestWord.distance(Array(a.utf8), Array(b.utf8)) == expected)
    #expect(NearestWord.distance(Array(b.utf8), Array(a.utf8)) == expected)
  }

  @Test(arguments: [
    ("improt", "import"), ("inpsect", "inspect"), ("stats", "status"), ("insp", "inspect"), ("IMPORT", "import"),
    ("quux", nil), ("x", nil),
  ])
  func nearestCommand(_ typed: String, _ expected: String?) {
    let commands = ["import", "stage", "load", "inspect", "summarize", "prune", "schema", "status", "db"]
    #expect(NearestWord.of(typed, among: commands) == expected)
  }
}
