/// Which of several exports is the newest: by the date that Health wrote into it, else by the file's modification time.
/// Equal dates: the file changed last, then the name, so that every run chooses the same.
package enum NewestExport {
  /// `date` in nanoseconds since 1970, nil where the export tells none.
  package static func isOlder(_ a: (Candidate, date: Int64?), than b: (Candidate, date: Int64?)) -> Bool {
    let (first, second) = (a.date ?? a.0.modified, b.date ?? b.0.modified)
    if first != second { return first < second }
    if a.0.modified != b.0.modified { return a.0.modified < b.0.modified }
    return a.0.path.utf8.lexicographicallyPrecedes(b.0.path.utf8)
  }
}
