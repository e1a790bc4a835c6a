/// How the sorted types are shared out among merge workers: consecutive types until a task holds `samplesPerTask`, so a
/// small export is one task with one chunk, and a large type a task of its own.
///
/// Depends only on the types and their counts: chunks are the same for any number of workers.
struct MergePlan: Equatable {
  /// Index ranges into the sorted types.
  let tasks: [Range<Int>]
  /// Task indexes, largest first: the order in which workers take them.
  let schedule: [Int]

  init(recordCounts: [Int], samplesPerTask: Int = 65_536) {
    var tasks: [Range<Int>] = []
    var sizes: [Int] = []
    for (index, count) in recordCounts.enumerated() {
      if let last = tasks.last, sizes[sizes.count - 1] + count <= samplesPerTask {
        tasks[tasks.count - 1] = last.lowerBound..<index + 1
        sizes[sizes.count - 1] += count
      } else {
        tasks.append(index..<index + 1)
        sizes.append(count)
      }
    }
    self.tasks = tasks
    self.schedule = tasks.indices.sorted { (sizes[$1], $0) < (sizes[$0], $1) }
  }
}
