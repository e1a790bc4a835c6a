// HealthModelTests
