import CatalogueGenerator

// Run in the package's folder, or with its path: swift run generate-catalogue [PACKAGE]
try CatalogueGenerator.generate(packageRoot: CommandLine.arguments.dropFirst().first ?? ".")
