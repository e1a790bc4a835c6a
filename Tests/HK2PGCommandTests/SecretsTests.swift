import Testing

@testable import HK2PGCommand

@Suite struct SecretsTests {
  @Test(arguments: [
    ("postgres://ann:s3cret@host:5432/db", "postgres://ann:***@host:5432/db"),
    ("postgres://ann:a:b/c?d@host/db", "postgres://ann:***@host/db"),
    ("postgres://ann@host/db", "postgres://ann@host/db"),
    ("postgres://ann:@host/db", "postgres://ann:@host/db"),
    (
      "postgres://host:5432/db?user=a&password=pw&sslmode=require",
      "postgres://host:5432/db?user=a&password=***&sslmode=require"
    ),
    ("postgresql://a:b@h/d?password=x@y", "postgresql://a:***"),
    ("host=h password=pw dbname=d", "host=h password=*** dbname=d"),
    ("host=h password = 'a \\' b' sslpassword=k", "host=h password = '***' sslpassword=***"),
    ("password=", "password="), ("password", "password"), ("export.zip", "export.zip"), ("", ""),
    ("passwordfile password=x", "passwordfile password=***"),
  ])
  func masked(_ text: String, _ expected: String) {
    #expect(Secrets.masked(text) == expected)
  }
}
