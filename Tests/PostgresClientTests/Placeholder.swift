// PostgresClientTests
