import HealthModel

/// All samples of one type and source on one UTC day: the unit in which table and export are compared (DESIGN §5).
struct GroupKey: Hashable {
  var type: Symbol
  var source: Symbol
  var day: CivilDay
}

/// What the table holds of a group.
struct TableGroup: Equatable {
  /// Rows of ours, and the XOR over them of the id's hash seeded with the value's.
  var ours = 0
  var fingerprint: Int64 = 0
  /// Rows of other programs.
  var others = 0
  /// One of them stands for an hour that reaches into the next UTC day.
  var spillsOver = false
}

/// What is staged of a group.
struct StagedGroup: Equatable {
  var count: Int
  var fingerprint: Int64
}

/// The user's rows in the table, by group. 300,000 groups (ten years) are about 20 MB.
struct TableGroups {
  var groups: [GroupKey: TableGroup] = [:]

  var rowCount: Int { groups.values.reduce(0) { $0 + $1.ours + $1.others } }
  var isEmpty: Bool { groups.isEmpty }
}

typealias StagedGroups = [GroupKey: StagedGroup]

/// UTC days of one type.
enum DaySelection: Equatable {
  case all
  case listed(Set<CivilDay>)

  func contains(_ day: CivilDay) -> Bool {
    switch self {
    case .all: true
    case .listed(let days): days.contains(day)
    }
  }
}
