import PostgresClient
import TestSupport
import Testing

@Suite(.enabled(if: TestDatabase.isAvailable, Comment(rawValue: TestDatabase.missing)))
struct PostgresConnectionTests {
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
    #expect(try row.isNull(4))
    #expect(result.columnNames == ["t", "i", "d", "b", "n"])
  }
}
