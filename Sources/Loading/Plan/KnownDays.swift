package import HealthModel
package import Staging

/// What the table was found to hold when it was read ahead, by type and UTC day: a stage leaves out the rows of days
/// that the export has in exactly the same way.
///
/// Holds only days that `LoadPlan` would not select if the export had the same groups: none of a type that is always
/// compared, none with rows of other programs on them or reaching into them.
package struct KnownDays: Sendable {
  struct Group: Sendable {
    var source: [UInt8]
    var rowCount: Int
    var fingerprint: Int64
  }

  private var days: [[UInt8]: [CivilDay: [Group]]] = [:]

  init(_ table: TableGroups, names: [[UInt8]]) {
    var foreign: [Symbol: Set<CivilDay>] = [:]
    for (key, group) in table.groups where group.others > 0 {
      foreign[key.type, default: []].insert(key.day)
      if group.spillsOver { foreign[key.type, default: []].insert(key.day.advanced(by: 1)) }
    }
    var byType: [Symbol: [CivilDay: [Group]]] = [:]
    for (key, group) in table.groups where foreign[key.type]?.contains(key.day) != true {
      let known = Group(
        source: names[Int(key.source.index)], rowCount: group.ours, fingerprint: group.fingerprint)
      byType[key.type, default: [:]][key.day, default: []].append(known)
    }
    for (type, known) in byType {
      let name = names[Int(type.index)]
      if !AlwaysCompared.contains(String(decoding: name, as: UTF8.self)) { days[name] = known }
    }
  }

  package func ofType(_ metricType: [UInt8]) -> KnownTypeDays? { days[metricType].map { KnownTypeDays(days: $0) } }
}

/// `KnownDays` of one type.
package struct KnownTypeDays: Sendable {
  fileprivate let days: [CivilDay: [KnownDays.Group]]

  /// Does the table hold these rows and no others on this day? `groups`: all that the export has on it.
  package func holds(
    _ groups: ArraySlice<GroupFingerprints.Group>, on day: CivilDay, symbols: [[UInt8]]
  ) -> Bool {
    guard let known = days[day], known.count == groups.count else { return false }
    return groups.allSatisfy { group in
      let source = symbols[Int(group.source.index)]
      return known.contains {
        $0.rowCount == Int(group.rowCount) && $0.fingerprint == Int64(bitPattern: group.fingerprint)
          && $0.source == source
      }
    }
  }
}
