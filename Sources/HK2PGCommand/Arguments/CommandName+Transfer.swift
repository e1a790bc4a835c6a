/// Commands that move rows between databases, or compare them.
extension CommandName {
  var migrateDefinition: CommandDefinition {
    CommandDefinition(
      summary: "Copy users' data from one database into another, and verify it",
      about: """
        Copies raw rows of all programs, daily summaries and what the schema hk2pg knows, as the source holds them at \
        one moment, of all users unless --user names one. Tables may differ in the ways hk2pg serves (user_id text or uuid, other keys, partitions). \
        Nothing is deleted at the target and rows of other programs are not changed there. Running it again moves \
        what is new, also after an interruption. It ends by comparing both sides: exit 1 when something is missing.
        """,
      positionals: [],
      options: [
        .from, .to, .user, .newUser, .dryRun, .jobs, .noWait, .staging, .json, .report, .progress, .quiet, .debug,
      ],
      examples: [
        ("HK2PG_FROM=postgres://… HK2PG_TO=postgres://… hk2pg migrate", "all users"),
        ("hk2pg migrate --from URL --to URL --user ann --as 6f1c2a34-…", "one, under another id"),
        ("hk2pg migrate --from URL --to URL --dry-run", "what would be moved"),
      ])
  }

  var dumpDefinition: CommandDefinition {
    CommandDefinition(
      summary: "Write a user's data into a folder, for an archive",
      about: """
        Writes what the database holds of one user, as compressed binary COPY files with a manifest and a README.txt \
        that says how to read them with zstd and psql alone. `hk2pg load DIR` brings them back into any database, \
        `hk2pg verify DIR` compares them with one.
        """,
      positionals: [],
      options: [.into, .database, .user, .json, .report, .progress, .quiet, .debug],
      examples: [("hk2pg dump --into archive", "the folder must be new or empty")])
  }

  var verifyDefinition: CommandDefinition {
    CommandDefinition(
      summary: "Compare the database with an export, chunks or another database",
      about: """
        Compares count, sum and digest of each type and month, and names the days that differ. Exit 0 when they are \
        equal, 1 when they differ. An export is read again, and what imports leave out or keep for good reasons \
        (rows of other programs, pruned days, history that the export lacks) is counted apart and is no difference. \
        Only temporary tables are written. --salvage compares what is whole of a torn export.
        """,
      positionals: [
        PositionalDefinition(
          name: "EXPORT|DIR|URL", help: "An export, a folder of `hk2pg stage` or `hk2pg dump`, or a database's address."
        )
      ],
      options: [.database, .user, .newUser, .salvage, .jobs, .staging, .json, .report, .progress, .quiet, .debug],
      examples: [
        ("hk2pg verify export.zip", "is everything in the database?"),
        ("hk2pg verify archive", "does the archive still match?"),
        ("hk2pg verify \"$OLD_URL\" --database URL", "two databases"),
      ])
  }
}
