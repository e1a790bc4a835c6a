import PostgresClient
import TestSupport
import Testing

@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)))
struct QueryResultTests {
  @Test func valuesComeBackTyped() throws {
    let database = try TestDatabase()
    let result = try database.query(
      "SELECT $1::text AS t, $2::int8 AS i, $3::float8 AS d, $4::bool AS b, $5::text AS n",
      ["ü 'x' \\ \"", "-9223372036854775808", "0.1", "t", nil])
    let row = result[0]
    #expect(try row.text("t") == "ü 'x' \\ \"")
    #expect(try row.int("i") == Int.min)
    #expect(try row.double("d") == 0.1)
    #expect(try row.bool("b"))
    #expect(try row.optionalText("n") == nil)
    #expect(try row.optionalInt("n") == nil)
    #expect(try row.optionalDouble("n") == nil)
    #expect(try row.optionalBool("n") == nil)
    #expect(try row.isNull(4))
    #expect(result.columnNames == ["t", "i", "d", "b", "n"])
  }

  @Test func doublesKeepEveryBit() throws {
    let database = try TestDatabase()
    for number in [0.1, 1.0 / 3, .leastNonzeroMagnitude, 1.7976931348623157e308, -0.0, .infinity] {
      let text = number == .infinity ? "Infinity" : "\(number)"
      #expect(try database.query("SELECT $1::float8", [text])[0].double(0).bitPattern == number.bitPattern)
    }
    #expect(try database.query("SELECT 'NaN'::float8")[0].double(0).isNaN)
  }

  @Test func rowsAndTagsAreCounted() throws {
    let database = try TestDatabase()
    let created = try database.execute("CREATE TABLE t(a int)")
    #expect(created.commandTag == "CREATE TABLE" && created.affectedRows == 0 && created.isEmpty)
    let inserted = try database.query("INSERT INTO t SELECT generate_series(1, $1::int)", ["3"])
    #expect(inserted.commandTag == "INSERT 0 3" && inserted.affectedRows == 3)
    let selected = try database.query("SELECT a FROM t ORDER BY a")
    #expect(try selected.rows.map { try $0.int("a") } == [1, 2, 3])
  }

  @Test func wrongQuestionsAreErrorsWithoutTheValue() throws {
    let database = try TestDatabase()
    let result = try database.query("SELECT 'secret' AS a, NULL AS b")
    #expect(throws: PostgresError.unexpectedValue(column: "a", row: 0, expected: "integer")) {
      try result[0].int("a")
    }
    #expect(throws: PostgresError.unexpectedValue(column: "b", row: 0, expected: "text")) { try result[0].text("b") }
    #expect(throws: PostgresError.self) { try result[0].text("c") }
    #expect(throws: PostgresError.self) { try result[0].text(2) }
  }
}
