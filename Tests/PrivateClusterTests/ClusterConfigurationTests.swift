import PrivateCluster
import Testing

struct ClusterConfigurationTests {
  private func lines(gigabytes: Int, sharedMemory: Int = 1 << 30, hasLZ4: Bool = true) -> [String: String] {
    let text = ClusterConfiguration(
      memory: gigabytes << 30, sharedMemory: sharedMemory, socketFolder: "/a'b/socket", hasLZ4: hasLZ4
    ).text
    let pairs = text.split(separator: "\n").filter { !$0.hasPrefix("#") }.map { line in
      let parts = line.split(separator: "=", maxSplits: 1).map { $0.trimmingPrefix { $0 == " " } }
      return (String(parts[0].filter { $0 != " " }), String(parts[1]))
    }
    return Dictionary(uniqueKeysWithValues: pairs)
  }

  @Test func committedRowsAreSafeAndNobodyElseGetsIn() {
    let settings = lines(gigabytes: 8)
    for name in ["fsync", "full_page_writes", "synchronous_commit"] { #expect(settings[name] == "on") }
    #expect(settings["listen_addresses"] == "''")
    #expect(settings["unix_socket_permissions"] == "0700")
    #expect(settings["unix_socket_directories"] == "'/a''b/socket'")
  }

  /// An eighth and a sixteenth of the memory, within 64 MB and 1 GB.
  @Test(arguments: [(1, "128MB", "64MB"), (4, "512MB", "256MB"), (16, "1024MB", "1024MB"), (64, "1024MB", "1024MB")])
  func memoryFollowsTheMachine(_ gigabytes: Int, _ buffers: String, _ maintenance: String) {
    let settings = lines(gigabytes: gigabytes)
    #expect(settings["shared_buffers"] == buffers)
    #expect(settings["maintenance_work_mem"] == maintenance)
  }

  @Test func smallContainersKeepOutOfSharedMemory() {
    #expect(lines(gigabytes: 4, sharedMemory: 64 << 20)["dynamic_shared_memory_type"] == "mmap")
    #expect(lines(gigabytes: 4)["dynamic_shared_memory_type"] == "posix")
  }

  @Test func compressionIsWhatTheServerHas() {
    #expect(lines(gigabytes: 4)["wal_compression"] == "lz4")
    #expect(lines(gigabytes: 4, hasLZ4: false)["wal_compression"] == "on")
  }
}
