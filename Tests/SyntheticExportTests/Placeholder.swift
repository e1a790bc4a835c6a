// SyntheticExportTests
