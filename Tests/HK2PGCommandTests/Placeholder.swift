// HK2PGCommandTests
