/// The command that makes a page.
extension CommandName {
  var reportDefinition: CommandDefinition {
    CommandDefinition(
      summary: "Write one HTML page with charts of everything",
      about: """
        Activity, heart, sleep, workouts and body over time, where the data comes from, and what imports repaired or \
        rejected. The page is one file that asks the network for nothing; it opens in any browser, on a phone too. It \
        holds health data, so only its owner may read it. A report that is there already is written anew, any other \
        file is left alone.
        """,
      positionals: [],
      options: [.out, .database, .user] + CommandName.output,
      examples: [
        ("hk2pg report --out health.html", "the page"),
        ("hk2pg report --out - > health.html", "to standard output"),
      ])
  }
}
