internal import CPostgres

/// What BEGIN says.
package struct TransactionOptions: Sendable {
  package enum Isolation: String, Sendable {
    case readCommitted = "READ COMMITTED"
    case repeatableRead = "REPEATABLE READ"
    case serializable = "SERIALIZABLE"
  }

  package var isolation: Isolation
  package var isReadOnly: Bool

  package init(isolation: Isolation = .readCommitted, isReadOnly: Bool = false) {
    self.isolation = isolation
    self.isReadOnly = isReadOnly
  }
}

extension PostgresConnection {
  /// Runs `body` between BEGIN and COMMIT, and rolls back when it throws.
  ///
  /// Retrying is the caller's: an error with `isConflict` may succeed when run again; `.commitOutcomeUnknown` asks for a
  /// look into the database by another connection. A connection that cannot be rolled back is closed.
  package func transaction<T>(_ options: TransactionOptions = .init(), _ body: () throws -> T) throws -> T {
    let access = options.isReadOnly ? "READ ONLY" : "READ WRITE"
    try execute("BEGIN ISOLATION LEVEL \(options.isolation.rawValue) \(access)")
    let value: T
    do {
      value = try body()
    } catch {
      rollBack()
      throw error
    }
    try commit()
    return value
  }

  /// In a transaction, failed or not.
  package var isInTransaction: Bool {
    guard let open = unsafe handle else { return false }
    switch unsafe PQtransactionStatus(open) {
    case PQTRANS_INTRANS, PQTRANS_INERROR: return true
    default: return false
    }
  }

  private func commit() throws(PostgresError) {
    if shouldStop {
      rollBack()
      throw .interrupted
    }
    // From here on the answer is awaited: to cancel a COMMIT would leave its outcome open.
    shields += 1
    defer { shields -= 1 }
    let result: QueryResult
    do {
      result = try execute("COMMIT")
    } catch {
      rollBack()
      throw error.isConnectionLost ? .commitOutcomeUnknown : error
    }
    if result.commandTag != "COMMIT" { throw .transactionAborted }
  }

  private func rollBack() {
    guard isOpen, isInTransaction else { return }
    do {
      _ = try withoutInterruption { try execute("ROLLBACK") }
    } catch {
      close()
    }
  }
}
