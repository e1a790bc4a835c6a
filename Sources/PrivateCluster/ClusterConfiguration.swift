internal import Foundation

/// The server's settings, from the machine's memory: a private box that loads millions of rows at once and is read by
/// one person. Written anew at every start into `hk2pg.conf`, which postgresql.conf includes; what stands after the
/// include there, or in ALTER SYSTEM, wins.
package struct ClusterConfiguration: Sendable, Equatable {
  package static let fileName = "hk2pg.conf"
  static let includeLine = "include_if_exists '\(fileName)'"

  /// Bytes of memory this machine, or the container's limit, has.
  package var memory: Int
  /// Bytes of /dev/shm.
  package var sharedMemory: Int
  package var socketFolder: String
  /// The server was built with LZ4.
  package var hasLZ4: Bool

  package init(memory: Int, sharedMemory: Int, socketFolder: String, hasLZ4: Bool) {
    self.memory = memory
    self.sharedMemory = sharedMemory
    self.socketFolder = socketFolder
    self.hasLZ4 = hasLZ4
  }

  package var text: String {
    """
    # Written by hk2pg at every start. Change nothing here: put settings of your own at the end of postgresql.conf.

    # Reached through a socket in a private folder only.
    listen_addresses = ''
    port = \(ClusterLayout.port)
    unix_socket_directories = \(quoted(socketFolder))
    unix_socket_permissions = 0700
    max_connections = 50

    # Every committed row survives a power cut.
    fsync = on
    full_page_writes = on
    synchronous_commit = on

    # A server without replicas: loading into new tables and building indexes writes little WAL, and checkpoints are few.
    wal_level = minimal
    max_wal_senders = 0
    wal_compression = \(hasLZ4 ? "lz4" : "on")
    max_wal_size = 4GB
    min_wal_size = 256MB
    checkpoint_timeout = 15min

    # Memory: sized from the machine's \(megabytes(memory)) MB. Two indexes are built at a time.
    shared_buffers = \(megabytes(sharedBuffers))MB
    effective_cache_size = \(megabytes(memory / 2))MB
    maintenance_work_mem = \(megabytes(maintenanceMemory))MB
    autovacuum_work_mem = 64MB
    work_mem = 32MB
    dynamic_shared_memory_type = \(sharedMemory < 256 << 20 ? "mmap" : "posix")

    # Short statements over few tables.
    jit = off
    random_page_cost = 1.1

    log_min_messages = warning
    log_line_prefix = '%m [%p] '

    """
  }

  /// Local connections only, and no password: who may enter the socket's folder is the owner (or root).
  package static let hostBasedAuthentication = """
    # Written by hk2pg. The folder of the socket is open to its owner alone; there are no other ways in.
    local all all trust

    """

  var sharedBuffers: Int { min(max(memory / 8, 64 << 20), 1 << 30) }
  var maintenanceMemory: Int { min(max(memory / 16, 64 << 20), 1 << 30) }

  private func megabytes(_ bytes: Int) -> Int { bytes >> 20 }
  private func quoted(_ text: String) -> String { "'" + text.replacingOccurrences(of: "'", with: "''") + "'" }
}

extension ClusterConfiguration {
  /// For this machine.
  static func detect(socketFolder: String, hasLZ4: Bool) -> ClusterConfiguration {
    ClusterConfiguration(
      memory: availableMemory(), sharedMemory: sharedMemorySize(), socketFolder: socketFolder, hasLZ4: hasLZ4)
  }

  /// The machine's memory or the container's share of it (cgroup version 2, then 1).
  private static func availableMemory() -> Int {
    let physical = Int(clamping: ProcessInfo.processInfo.physicalMemory)
    let limits = ["/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"].compactMap { path in
      (try? String(contentsOfFile: path, encoding: .utf8)).flatMap {
        Int($0.trimmingCharacters(in: .whitespacesAndNewlines))
      }
    }
    return ([physical] + limits.filter { $0 > 0 }).min() ?? physical
  }

  /// Containers often get 64 MB, which parallel queries exceed.
  private static func sharedMemorySize() -> Int {
    var status = statvfs()
    guard unsafe statvfs("/dev/shm", &status) == 0 else { return 0 }
    return Int(clamping: UInt64(status.f_blocks) * UInt64(status.f_frsize))
  }
}
