// swift-tools-version: 6.2
import PackageDescription

/// One settings array for every Swift target: Swift 6 language mode, warnings are errors,
/// pointers only where they are spelled out as `unsafe`.
let settings: [SwiftSetting] = [
  .swiftLanguageMode(.v6),
  .enableUpcomingFeature("ExistentialAny"),
  .enableUpcomingFeature("InternalImportsByDefault"),
  .enableUpcomingFeature("MemberImportVisibility"),
  .strictMemorySafety(),
  .treatAllWarnings(as: .error),
]

/// Files that become constants in the code, so that the program stays one file.
let embedded = [
  "ReportPage": ["Page/page.html", "Page/page.css"]
    + ["words", "dom", "series", "charts", "cards", "sections", "records", "main"].map { "Page/\($0).js" }
]

func library(_ name: String, _ dependencies: [String]) -> Target {
  .target(
    name: name,
    dependencies: dependencies.map { .init(stringLiteral: $0) },
    exclude: name == "HealthModel" ? ["Catalogue/tsv"] : [],
    resources: embedded[name]?.map { .embedInCode($0) },
    swiftSettings: settings)
}

func tool(_ name: String, _ dependencies: [String]) -> Target {
  .executableTarget(
    name: name,
    dependencies: dependencies.map { .init(stringLiteral: $0) },
    swiftSettings: settings)
}

func tests(_ name: String, _ dependencies: [String]) -> Target {
  .testTarget(
    name: name,
    dependencies: dependencies.map { .init(stringLiteral: $0) },
    exclude: ["HK2PGCommandTests": ["Golden"], "LoadingTests": ["Fixtures"], "AcceptanceTests": ["Python"]][name] ?? [],
    swiftSettings: settings)
}

let systemLibraries: [Target] = [
  .systemLibrary(name: "CZlib", pkgConfig: "zlib", providers: [.apt(["zlib1g-dev"])]),
  .systemLibrary(name: "CZstd", pkgConfig: "libzstd", providers: [.apt(["libzstd-dev"])]),
  .systemLibrary(name: "CXXHash", pkgConfig: "libxxhash", providers: [.apt(["libxxhash-dev"])]),
  .systemLibrary(name: "CPostgres", pkgConfig: "libpq", providers: [.apt(["libpq-dev"])]),
  .systemLibrary(name: "CLibXML2", pkgConfig: "libxml-2.0", providers: [.apt(["libxml2-dev"])]),
]

let package = Package(
  name: "hk2pg",
  products: [
    .executable(name: "hk2pg", targets: ["hk2pg"]),
    .executable(name: "synth-export", targets: ["synth-export"]),
  ],
  targets: systemLibraries + [
    // Only CXMLPush sees libxml2; its own header names no libxml2 type (the two ICUs clash).
    .target(name: "CXMLPush", dependencies: ["CLibXML2"]),

    library("BoundedQueues", []),
    library("HealthModel", ["BoundedQueues"]),
    library("ExportReader", ["HealthModel", "BoundedQueues", "CXMLPush", "CZlib", "CXXHash"]),
    library("RowMapping", ["HealthModel"]),
    library("DailySummaries", ["HealthModel"]),
    library("PostgresClient", ["HealthModel", "CPostgres"]),
    library("PrivateCluster", ["BoundedQueues", "PostgresClient"]),
    library("Staging", ["BoundedQueues", "HealthModel", "PostgresClient", "CZstd", "CXXHash"]),
    library("Loading", ["HealthModel", "Staging", "PostgresClient", "DailySummaries", "BoundedQueues"]),
    library("Queries", ["HealthModel", "PostgresClient", "DailySummaries", "Loading", "BoundedQueues"]),
    library("Transfer", ["HealthModel", "Staging", "PostgresClient", "Loading"]),
    library("ReportPage", ["HealthModel", "DailySummaries", "Queries"]),
    library(
      "ImportFlow",
      [
        "BoundedQueues", "HealthModel", "ExportReader", "RowMapping", "DailySummaries", "Staging",
        "PostgresClient", "PrivateCluster", "Loading", "Transfer",
      ]),
    library(
      "HK2PGCommand",
      [
        "ImportFlow", "BoundedQueues", "HealthModel", "DailySummaries", "PostgresClient", "PrivateCluster", "Staging",
        "Loading", "ExportReader", "Queries", "Pipelines", "Transfer", "ReportPage",
      ]),
    library("Pipelines", ["HealthModel"]),
    library("SyntheticExport", ["CZlib", "HealthModel"]),
    library("CatalogueGenerator", []),
    .target(name: "CXMLFloor", dependencies: ["CLibXML2"]),
    library("Bench", ["HealthModel", "PostgresClient", "TestSupport", "CXMLFloor"]),

    tool("hk2pg", ["HK2PGCommand"]),
    tool("synth-export", ["SyntheticExport"]),
    tool("hk2pg-bench", ["Bench"]),
    tool("generate-catalogue", ["CatalogueGenerator"]),

    library("TestSupport", ["HealthModel", "PostgresClient", "PrivateCluster", "Staging", "CZlib"]),
    tests("BoundedQueuesTests", ["BoundedQueues"]),
    tests("HealthModelTests", ["HealthModel", "CatalogueGenerator", "TestSupport"]),
    tests("ExportReaderTests", ["ExportReader", "HealthModel", "TestSupport"]),
    tests("RowMappingTests", ["RowMapping", "HealthModel", "TestSupport"]),
    tests("DailySummariesTests", ["DailySummaries", "HealthModel", "TestSupport"]),
    tests("PostgresClientTests", ["PostgresClient", "HealthModel", "TestSupport"]),
    tests("PrivateClusterTests", ["PrivateCluster", "PostgresClient", "TestSupport"]),
    tests("StagingTests", ["BoundedQueues", "Staging", "HealthModel", "PostgresClient", "TestSupport"]),
    tests("LoadingTests", ["Loading", "Staging", "HealthModel", "PostgresClient", "DailySummaries", "TestSupport"]),
    tests("QueriesTests", ["Queries", "HealthModel", "PostgresClient", "DailySummaries", "Loading", "TestSupport"]),
    tests("BenchTests", ["Bench"]),
    tests("PipelinesTests", ["Pipelines", "HealthModel", "TestSupport"]),
    tests("TransferTests", ["Transfer", "Loading", "Staging", "HealthModel", "PostgresClient", "TestSupport"]),
    tests("ReportPageTests", ["ReportPage", "Queries", "HealthModel", "DailySummaries"]),
    tests("SyntheticExportTests", ["SyntheticExport", "HealthModel", "TestSupport"]),
    tests(
      "ImportFlowTests",
      [
        "ImportFlow", "BoundedQueues", "ExportReader", "HealthModel", "Loading", "PostgresClient", "Staging",
        "PrivateCluster",
        "TestSupport",
      ]),
    tests(
      "HK2PGCommandTests",
      [
        "HK2PGCommand", "ImportFlow", "BoundedQueues", "HealthModel", "DailySummaries", "PostgresClient",
        "PrivateCluster", "Staging", "Loading", "ExportReader", "Pipelines", "Queries", "Transfer", "TestSupport",
      ]),
    tests(
      "AcceptanceTests",
      [
        "SyntheticExport", "PostgresClient", "TestSupport", "HealthModel", "ExportReader", "Staging", "BoundedQueues",
        "ImportFlow", "HK2PGCommand",
      ]),
  ]
)
