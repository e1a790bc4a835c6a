// RowMappingTests
