import PrivateCluster
import Testing

@testable import ImportFlow

@Suite struct ClusterNotesTests {
  @Test(arguments: [
    (PrivateCluster.Event.creating(folder: "/d"), "Making a private PostgreSQL in /d."),
    (.starting, "Starting the private PostgreSQL."),
    (.recovering, "The private PostgreSQL gets ready; after a crash this may take minutes."),
  ])
  func sentences(_ event: PrivateCluster.Event, _ sentence: String) { #expect(event.sentence == sentence) }
}
