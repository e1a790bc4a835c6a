import BoundedQueues
import PostgresClient
import Synchronization

/// Builds the keys and indexes of a table that nobody reads yet, several at a time.
struct IndexBuilder {
  let run: ImportRun
  let context: LoadContext

  /// Indexes that a former attempt has finished are left alone; broken ones are dropped.
  func build() throws {
    let table = PublishedTable.metrics
    let tables = run.tables
    let isBuilt = try existing()
    let missing = table.indexes.indices.filter { isBuilt[tables.indexName($0)] != true }
    let worker = context.worker
    let memory = try maintenanceMemory()
    let next = Atomic<Int>(0)
    let stop = Atomic<Bool>(false)
    context.onEvent(.began(.index, total: Int64(table.indexes.count)))
    let statements = missing.map { ordinal in
      table.createIndexStatement(table.indexes[ordinal], on: tables.incoming, named: tables.indexName(ordinal))
    }
    let done = Atomic<Int>(table.indexes.count - missing.count)
    let stage: @Sendable () throws -> Void = {
      let connection = try worker.connect()
      while !stop.load(ordering: .relaxed) {
        let turn = next.wrappingAdd(1, ordering: .relaxed).oldValue
        guard turn < statements.count else { return }
        try worker.transaction(
          connection, [("maintenance_work_mem", memory), ("max_parallel_maintenance_workers", "0")]
        ) { _ = try connection.execute(statements[turn]) }
        let count = done.wrappingAdd(1, ordering: .relaxed).newValue
        worker.onEvent(.advanced(.index, done: Int64(count)))
        try worker.faults.pass("after-index-\(count)")
      }
    }
    if !statements.isEmpty {
      let count = max(1, min(context.options.jobs, statements.count))
      try runStages(Array(repeating: stage, count: count)) { stop.store(true, ordering: .relaxed) }
    }
    context.onEvent(.ended(.index))
  }

  /// Name of each index of the incoming table to whether it is valid.
  private func existing() throws -> [String: Bool] {
    let result = try context.connection.query(
      """
      SELECT c.relname, i.indisvalid FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
      WHERE i.indrelid = to_regclass($1)
      """, [run.tables.incoming])
    var names: [String: Bool] = [:]
    for row in result.rows { names[try row.text("relname")] = try row.bool("indisvalid") }
    return names
  }

  private func maintenanceMemory() throws -> String { try MemorySettings.read(context.connection).maintenance }
}

/// Memory for sorting, by what the server's owner says the machine has: a sixteenth of `effective_cache_size` for an
/// index build, a sixty-fourth for a query, within limits, and never less than the server's own setting.
struct MemorySettings: Equatable {
  let maintenance: String
  let work: String

  init(cacheBytes: Int, maintenanceBytes: Int, workBytes: Int) {
    let megabyte = 1 << 20
    maintenance = "\(max(maintenanceBytes, min(cacheBytes / 16, 512 * megabyte)) >> 10)kB"
    work = "\(max(workBytes, min(cacheBytes / 64, 128 * megabyte)) >> 10)kB"
  }

  static func read(_ connection: PostgresConnection) throws -> MemorySettings {
    let row = try connection.query(
      """
      SELECT pg_size_bytes(current_setting('effective_cache_size')) AS cache,
        pg_size_bytes(current_setting('maintenance_work_mem')) AS maintenance,
        pg_size_bytes(current_setting('work_mem')) AS work
      """)[0]
    return MemorySettings(
      cacheBytes: try row.int("cache"), maintenanceBytes: try row.int("maintenance"), workBytes: try row.int("work"))
  }
}
