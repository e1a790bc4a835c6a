// StagingTests
