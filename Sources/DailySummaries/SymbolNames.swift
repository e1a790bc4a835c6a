import HealthModel

/// The strings behind symbols: of an export that has been read (no lock), or of a table that still grows while rows come
/// out of a database. Looked up once per source and unit, not per sample.
enum SymbolNames: Sendable {
  case snapshot([[UInt8]])
  case table(SymbolTable)

  func bytes(of symbol: Symbol) -> [UInt8] {
    switch self {
    case .snapshot(let names): Int(symbol.index) < names.count ? names[Int(symbol.index)] : []
    case .table(let table): table.bytes(of: symbol)
    }
  }

  func text(of symbol: Symbol) -> String { String(decoding: bytes(of: symbol), as: UTF8.self) }
}
