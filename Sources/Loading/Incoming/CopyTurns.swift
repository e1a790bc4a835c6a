import Foundation
import Staging

/// Hands out chunks to the sessions that copy, in order.
final class CopyTurns: @unchecked Sendable {
  // @unchecked: all state is only touched under `lock`.
  private let lock = NSLock()
  private var waiting: ArraySlice<Manifest.Chunk>
  private var chunkCount: Int
  private var doneRows: Int64
  /// Rows to copy.
  let rowCount: Int

  /// - Parameter all: those that a broken load has copied already included.
  init(_ chunks: [Manifest.Chunk], all: [Manifest.Chunk]) {
    waiting = chunks[...]
    rowCount = chunks.reduce(0) { $0 + $1.rowCount }
    chunkCount = all.count - chunks.count
    doneRows = Int64(all.reduce(0) { $0 + $1.rowCount } - rowCount)
  }

  func next() -> Manifest.Chunk? { lock.withLock { waiting.popFirst() } }

  /// How many chunks and rows are copied now.
  func end(_ chunk: Manifest.Chunk) -> (chunkCount: Int, rowCount: Int64) {
    lock.withLock {
      chunkCount += 1
      doneRows += Int64(chunk.rowCount)
      return (chunkCount, doneRows)
    }
  }

  func stop() { lock.withLock { waiting = [] } }
}
