// ExportReaderTests
