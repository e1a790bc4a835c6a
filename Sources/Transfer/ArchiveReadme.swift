package import Staging

/// The text beside an archive's chunks: how to read them with zstd and psql alone, years later.
package enum ArchiveReadme {
  package static func text(_ folder: ChunkFolder) -> String {
    let manifest = folder.manifest
    let tables = ChunkTable.archived.filter { !folder.chunks(of: $0).isEmpty }
    let rows = folder.chunks(of: .metrics).reduce(0) { $0 + $1.rowCount }
    return """
      Apple Health data out of a PostgreSQL database, written by hk2pg \(manifest.hk2pgVersion)
      Taken at \(manifest.archive?.takenAt ?? ""), \(rows) samples

      hk2pg load DIR brings everything back into a database. Without hk2pg: each file is a PostgreSQL binary COPY
      stream, compressed with zstd. manifest.json names table, columns, row count and XXH3-128 digest (xxhsum -H2)
      of every file. Any PostgreSQL from version 9.5 on can read them: make the tables below, go into this folder,
      and run the lines after them in a shell. Times are instants (UTC); days are local days in \(manifest.zone).

      Tables, for psql:

      CREATE SCHEMA IF NOT EXISTS hk2pg;
      \(tables.map(createStatement).joined(separator: "\n"))

      Lines for the shell:

      \(tables.map(copyLines).joined(separator: "\n"))
      """ + "\n"
  }

  private static func createStatement(_ table: ChunkTable) -> String {
    let columns = table.archiveColumns.map { "  \($0.name) \($0.type)" }
    return "CREATE TABLE \(table.rawValue) (\n\(columns.joined(separator: ",\n"))\n);"
  }

  private static func copyLines(_ table: ChunkTable) -> String {
    let columns = table.archiveColumns.map(\.name).joined(separator: ", ")
    return """
      for chunk in \(table.rawValue)-*\(ChunkFolder.chunkSuffix); do
        zstd -dc "$chunk" | psql -c "\\copy \(table.rawValue) (\(columns)) from stdin (format binary)"
      done
      """
  }
}
