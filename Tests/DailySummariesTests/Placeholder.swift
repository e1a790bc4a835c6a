// DailySummariesTests
