import PostgresClient

extension Failure {
  /// A COPY stream that is not as it was written: a chunk changed by hand, or a server of another kind.
  init(copy error: CopyError) {
    let place: String =
      switch error {
      case .badSignature, .unsupportedFlags, .badHeaderExtension: "in its header"
      case .bytesAfterTrailer: "after its end"
      case .truncated(let row): "after row \(Words.count(row))"
      case .wrongFieldCount(let row, _, _), .badFieldLength(let row, _, _), .wrongFieldSize(let row, _, _, _),
        .unexpectedNull(let row, _), .unrepresentable(let row, _):
        "in row \(Words.count(row + 1))"
      }
    self.init(
      .failed, "binary COPY data are damaged \(place)", next: "If they come from chunks, stage the export again.",
      detail: "\(error)")
  }
}
