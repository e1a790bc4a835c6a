// AcceptanceTests
