import Foundation
import PostgresClient
import TestSupport
import Testing

/// `hk2pg report`, looked at in a real browser.
@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)), .timeLimit(.minutes(20)))
struct HealthReportTests {
  private static let hostile = "</script><script>window.evil = 1</script><img src=x onerror='window.evil = 2'>"

  /// Half a year of a made-up person, with a source and an import that nobody would wish for.
  private func load(_ programs: Programs, _ database: TestDatabase) throws {
    let export = try programs.export("3MB", seed: 11, extra: ["--start", "2025-07-01"])
    let run = try programs.run(["import", export] + target(database))
    #expect(run.status == 0, "\(run.errors)")
    try database.query(
      """
      INSERT INTO hk2pg.sources (user_id, name, class, first_sample_at, last_sample_at, sample_count)
      VALUES ('anna', $1, 'other', '2025-08-01Z', '2025-09-01Z', 3)
      """, [Self.hostile])
    try database.execute(
      """
      UPDATE hk2pg.imports SET export_name = '<b>export</b>.zip';
      INSERT INTO hk2pg.problems SELECT import_id, 'rawAmpersand', 'repaired', 1234, 0 FROM hk2pg.imports;
      INSERT INTO hk2pg.problems SELECT import_id, 'rejectedNoStart', 'rejected', 5, 0 FROM hk2pg.imports
      """)
  }

  private func target(_ database: TestDatabase) -> [String] {
    ["--database", database.conninfo, "--user", "anna"]
  }

  private func report(_ programs: Programs, _ database: TestDatabase) throws -> String {
    let path = programs.path("health.html")
    let run = try programs.run(["report", "--out", path] + target(database))
    #expect(run.status == 0, "\(run.errors)")
    return path
  }

  // MARK: The command

  @Test func theFileIsPrivateWholeAndReplacesOnlyReports() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let database = try TestDatabase()
    try load(programs, database)
    let path = try report(programs, database)
    let attributes = try FileManager.default.attributesOfItem(atPath: path)
    #expect((attributes[.posixPermissions] as? NSNumber)?.intValue == 0o600)
    #expect(
      try FileManager.default.contentsOfDirectory(atPath: programs.folder.path).allSatisfy { !$0.hasSuffix(".tmp") })

    let again = try programs.run(["report", "--out", path, "--json"] + target(database))
    #expect(again.status == 0, "\(again.errors)")
    let json = try JSONSerialization.jsonObject(with: Data(again.output.utf8)) as? [String: Any]
    #expect(json?["file"] as? String == path && json?["last_day"] as? String == "2026-01-14")
    #expect(json?["bytes"] as? Int == (try Data(contentsOf: URL(fileURLWithPath: path))).count)

    let printed = try programs.run(["report", "--out", "-"] + target(database))
    #expect(printed.status == 0 && printed.errors == "")
    #expect(printed.output.hasPrefix("<!DOCTYPE html>") && printed.output.hasSuffix("</html>\n"))

    let notes = programs.path("notes.html")
    try Data("mine".utf8).write(to: URL(fileURLWithPath: notes))
    for place in [notes, "/dev/null", programs.folder.path, programs.path("missing/health.html")] {
      let refused = try programs.run(["report", "--out", place] + target(database))
      #expect(refused.status == 2, "\(place): \(refused.errors)")
    }
    #expect(try String(contentsOfFile: notes, encoding: .utf8) == "mine")
  }

  @Test func withoutDataOrPlaceThereIsNoPage() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let database = try TestDatabase()
    let place = programs.path("health.html")
    #expect(try programs.run(["report"] + target(database)).status == 2)
    // No tables, then tables without this user.
    let bare = try programs.run(["report", "--out", place] + target(database))
    #expect(bare.status == 4 && bare.errors.contains("hk2pg import EXPORT"), "\(bare.errors)")
    #expect(try programs.run(["schema", "--apply", "--database", database.conninfo]).status == 0)
    let empty = try programs.run(["report", "--out", place] + target(database))
    #expect(empty.status == 1 && empty.errors.contains("nothing of this user"), "\(empty.errors)")
    #expect(!FileManager.default.fileExists(atPath: place))
  }

  // MARK: The page

  private static let sections = "[...document.querySelectorAll('main > section')].map((node) => node.id)"

  @Test(.enabled(if: Browser.isAvailable, Comment(rawValue: Browser.missing)))
  func thePageShowsEverythingAndAsksForNothing() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let database = try TestDatabase()
    try load(programs, database)
    var plan = Browser.Plan(page: try report(programs, database), hash: "range=90d")
    let mean =
      "[...document.querySelectorAll('#activity .card')].find((card) => card.querySelector('h3').textContent === 'Steps').querySelector('.card-mean').textContent"
    plan.steps = [
      ("sections", Self.sections), ("lead", "document.querySelector('.lead').textContent"), ("mean", mean),
      ("bars", "document.querySelectorAll('#activity .card:not(.wide) svg')[0].querySelectorAll('rect.bar').length"),
      ("open", "document.querySelectorAll('details').forEach((node) => { node.open = true; })"),
      ("empty", "[...document.querySelectorAll('.chart')].filter((node) => !node.querySelector('svg')).length"),
      ("unnamed", "document.querySelectorAll('svg[role=img]:not([aria-label])').length"),
      ("evil", "String(window.evil)"), ("images", "document.images.length"),
      ("sources", "[...document.querySelectorAll('#sources td:first-child')].map((cell) => cell.textContent)"),
      ("imports", "document.querySelector('#imports').textContent"),
      (
        "broken",
        "/NaN|undefined|null|Infinity/.exec(document.body.innerText + [...document.querySelectorAll('svg *')].map((node) => node.outerHTML).join(''))"
      ),
      ("year", "document.querySelector('[data-range=\"1y\"]').click()"),
      ("yearLead", "document.querySelector('.lead').textContent"), ("hash", "location.hash"),
      (
        "stillOpen", "document.querySelectorAll('details[open]').length === document.querySelectorAll('details').length"
      ),
    ]
    let visit = try Browser.visit(plan, programs)
    #expect(visit.complaints == [])
    #expect(visit.requests == ["file://\(plan.page)"])
    #expect(
      visit.list("sections") == [
        "glance", "activity", "heart", "sleep", "workouts", "body", "more", "sources", "imports",
      ])
    #expect(visit.text("lead").hasPrefix("17 Oct 2025 – 14 Jan 2026, by day."), "\(visit.text("lead"))")
    #expect(visit.number("bars") == 90 && visit.number("empty") == 0 && visit.number("unnamed") == 0)
    #expect(visit.results["broken"] is NSNull, "\(visit.results["broken"] ?? "")")
    // The mean of the daily sums that the table has.
    let sum = try database.value(
      """
      SELECT to_char(avg(sum_value), 'FM999,999') FROM healthkit_daily_summaries
      WHERE metric_type = 'HKQuantityTypeIdentifierStepCount' AND summary_date BETWEEN '2025-10-17' AND '2026-01-14'
      """)
    #expect(visit.text("mean") == "\(sum ?? "") steps a day")
    // Hostile names are text.
    #expect(visit.text("evil") == "undefined" && visit.number("images") == 0)
    #expect(visit.list("sources").contains(Self.hostile))
    let imports = visit.text("imports")
    #expect(imports.contains("<b>export</b>.zip") && imports.contains("1,234plain “&”, taken as it is"))
    #expect(imports.contains("5samples without a start"))
    #expect(visit.text("yearLead").hasPrefix("1 Jul 2025 – 14 Jan 2026, by week."), "\(visit.text("yearLead"))")
    #expect(visit.text("hash") == "#range=1y&theme=auto" && visit.isTrue("stillOpen"))
  }

  @Test(.enabled(if: Browser.isAvailable, Comment(rawValue: Browser.missing)))
  func coloursFollowTheSystemUntilChosen() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let database = try TestDatabase()
    try load(programs, database)
    var plan = Browser.Plan(page: try report(programs, database), isDark: true)
    let ground = "getComputedStyle(document.body).backgroundColor"
    plan.steps = [
      ("system", ground), ("click", "document.getElementById('theme').click()"), ("chosen", ground),
      ("label", "document.getElementById('theme').getAttribute('aria-label')"),
      ("wide", "document.documentElement.scrollWidth > innerWidth"),
    ]
    let dark = try Browser.visit(plan, programs)
    #expect(dark.complaints == [])
    #expect(dark.text("system") == "rgb(16, 18, 21)" && dark.text("chosen") == "rgb(245, 244, 240)")
    #expect(dark.text("label") == "Colours: light")
    // On a phone: nothing sticks out, a touch shows the figures, every button is large enough for a finger.
    plan = Browser.Plan(page: plan.page, hash: "range=30d&theme=light", width: 390, height: 844, isTouch: true)
    plan.steps = [
      ("wide", "document.documentElement.scrollWidth > innerWidth"),
      (
        "touch",
        "(() => { const node = document.querySelectorAll('#activity .card:not(.wide) svg')[0]; node.scrollIntoView({block: 'center', behavior: 'instant'}); const box = node.getBoundingClientRect(); node.dispatchEvent(new PointerEvent('pointerdown', {clientX: box.right - 10, clientY: box.top + 60, pointerType: 'touch', bubbles: true})); return document.getElementById('tip').innerText; })()"
      ),
      (
        "inside",
        "(() => { const box = document.getElementById('tip').getBoundingClientRect(); return box.left >= 0 && box.right <= innerWidth; })()"
      ),
      (
        "small",
        "[...document.querySelectorAll('button')].filter((node) => node.getBoundingClientRect().height < 36).length"
      ),
      (
        "keys",
        "(() => { const node = document.querySelectorAll('#activity .card:not(.wide) svg')[0]; node.focus(); node.dispatchEvent(new KeyboardEvent('keydown', {key: 'Home', bubbles: true})); return document.getElementById('tip').innerText; })()"
      ),
    ]
    let phone = try Browser.visit(plan, programs)
    #expect(phone.complaints == [])
    #expect(!phone.isTrue("wide") && phone.isTrue("inside") && phone.number("small") == 0)
    #expect(phone.text("touch").hasPrefix("Wed 14 Jan 2026"), "\(phone.text("touch"))")
    #expect(phone.text("keys").hasPrefix("Tue 16 Dec 2025"), "\(phone.text("keys"))")
  }

  @Test func emptySectionsAreLeftOutInAPlainSentence() throws {
    try #require(Browser.isAvailable, Comment(rawValue: Browser.missing))
    let programs = try Programs()
    defer { programs.remove() }
    let database = try TestDatabase()
    #expect(try programs.run(["schema", "--apply", "--database", database.conninfo]).status == 0)
    try database.execute(
      """
      INSERT INTO healthkit_daily_summaries
        (user_id, metric_type, summary_date, avg_value, min_value, max_value, sum_value, sample_count, unit)
      VALUES ('anna', 'HKQuantityTypeIdentifierBodyMass', '2024-05-01', 70, 70, 70, 70, 1, 'kg')
      """)
    var plan = Browser.Plan(page: try report(programs, database))
    plan.steps = [("sections", Self.sections), ("foot", "document.querySelector('footer').textContent")]
    let visit = try Browser.visit(plan, programs)
    #expect(visit.complaints == [])
    #expect(visit.list("sections") == ["glance", "body"])
    #expect(
      visit.text("foot").contains(
        "the database holds none of it: activity, heart, sleep, workouts, other metrics, sources, imports."))
  }

  // MARK: Ten years

  /// 60 metrics on each of 3,653 days: more than a heavy user has.
  @Test func tenYearsAreUnderFiveMegabytes() throws {
    let programs = try Programs()
    defer { programs.remove() }
    let database = try TestDatabase()
    #expect(try programs.run(["schema", "--apply", "--database", database.conninfo]).status == 0)
    try database.execute(
      """
      INSERT INTO hk2pg.user_settings (user_id, zone, newest_export_date) VALUES ('anna', 'Europe/Berlin', '2026-01-15Z');
      INSERT INTO healthkit_daily_summaries
        (user_id, metric_type, summary_date, avg_value, min_value, max_value, sum_value, sample_count, unit)
      SELECT 'anna', t.metric_type, d::date, m, m * 0.7, m * 1.4, m * 10, 10, coalesce(t.canonical_unit, 'min')
      FROM (SELECT metric_type, canonical_unit FROM hk2pg.metric_types WHERE kind = 'quantity' AND metric_type NOT LIKE '%Dietary%'
          ORDER BY metric_type LIMIT 60) t,
        generate_series(timestamp '2016-01-15', '2026-01-14', '1 day') d,
        LATERAL (SELECT 60 + 37 * abs(sin(extract(epoch FROM d) * length(t.metric_type)))) AS v(m);
      ANALYZE healthkit_daily_summaries
      """)
    let path = try report(programs, database)
    let bytes = try Data(contentsOf: URL(fileURLWithPath: path)).count
    #expect((1_000_000..<5_000_000).contains(bytes), "\(bytes)")
    guard Browser.isAvailable else { return }
    var plan = Browser.Plan(page: path, hash: "range=all")
    plan.steps = [
      ("lead", "document.querySelector('.lead').textContent"),
      ("open", "document.querySelectorAll('details').forEach((node) => { node.open = true; })"),
      ("charts", "document.querySelectorAll('.chart svg').length"),
      ("days", "document.querySelector('[data-range=\"90d\"]').click()"),
      ("bands", "document.querySelectorAll('#heart path.band').length"),
    ]
    let visit = try Browser.visit(plan, programs)
    #expect(visit.complaints == [])
    #expect(visit.text("lead").hasPrefix("15 Jan 2016 – 14 Jan 2026, by month."), "\(visit.text("lead"))")
    #expect(visit.number("charts") >= 55)
    #expect(visit.number("bands") > 0)
  }
}
