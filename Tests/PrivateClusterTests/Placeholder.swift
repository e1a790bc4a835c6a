// PrivateClusterTests
