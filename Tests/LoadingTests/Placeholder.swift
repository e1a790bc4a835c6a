// LoadingTests
