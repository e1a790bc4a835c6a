import PrivateCluster
import Testing

@testable import HK2PGCommand

@Suite struct ClusterRunTests {
  private let facts = ClusterFacts(
    state: "running", processId: 4711, url: "postgresql://ann@/hk2pg?host=%2Fs&port=5432",
    folder: "/d/data",
    log: "/d/server.log", postgresqlVersion: 15)

  @Test func statusText() {
    #expect(
      facts.text == """
        The private cluster
          state    running
          process  4711
          url      postgresql://ann@/hk2pg?host=%2Fs&port=5432
          folder   /d/data
          log      /d/server.log
          version  PostgreSQL 15
        """)
  }

  @Test func aClusterThatIsNotMadeYetSaysWhatMakesIt() {
    var facts = facts
    facts.state = "absent"
    facts.processId = nil
    #expect(facts.text.contains("not made yet: hk2pg db start, or the first import, makes it"))
    #expect(!facts.text.contains("process"))
  }

  @Test func statusJSON() throws {
    #expect(try ReportJSON.text(facts).contains(#""process_id" : 4711"#))
  }

  @Test func aProgramThatIsMissingIsNamed() {
    #expect(
      ProgramReplacement.replace(with: ["/no/such/psql"])
        == .commandMissing(program: "/no/such/psql"))
  }
}
