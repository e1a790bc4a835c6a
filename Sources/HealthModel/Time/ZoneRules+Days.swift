/// A local day and the stretch of time that belongs to it.
package struct DayRange: Hashable, Sendable {
  package var day: CivilDay
  package var range: Range<Instant>

  package init(day: CivilDay, range: Range<Instant>) {
    self.day = day
    self.range = range
  }
}

extension ZoneRules {
  /// From the first instant of a local day to that of the next; empty for a day that is skipped.
  package func range(of day: CivilDay) -> Range<Instant> {
    firstInstant(of: day)..<firstInstant(of: day.advanced(by: 1))
  }

  /// These rules, but with limits of their own for some days, which may be longer or shorter than any day of a zone.
  ///
  /// What lies between two such days goes to the days between them: by the wall clock, and what would be of one of the
  /// two to the nearest other. So every instant still is on exactly one day, and days still follow one another.
  ///
  /// ```
  /// wall clock   │ 7 May     │ 8 May     │ 9 May     │ 10 May    │
  /// days                 │ 8 May     │
  /// result       │ 7 May │ 8 May     │ 9 May         │ 10 May    │
  /// ```
  /// - Parameter days: in order of day and of time, apart from one another, none empty. Where time is left between two
  ///   days that follow one another, it goes to the later one.
  package func replacing(_ days: [DayRange]) -> ZoneRules {
    if days.isEmpty { return self }
    var result: [Span] = []
    var index = 0
    var (start, firstDay) = (Self.earliest, Int64.min)
    for replaced in days {
      let (day, range) = (Int64(replaced.day.daysSince1970), replaced.range)
      let (from, to) = (range.lowerBound.seconds, range.upperBound.seconds)
      append(to: &result, from: start, to: from, days: (firstDay, max(firstDay, day - 1)), &index)
      result.append(Span(start: from, offset: day * Self.secondsPerDay - from, firstDay: day, lastDay: day))
      (start, firstDay) = (to, day + 1)
    }
    append(to: &result, from: start, to: Self.latest, days: (firstDay, .max), &index)
    return ZoneRules(self, spans: result)
  }

  /// Spans of these rules between two instants, their days limited. `index`: of a span that begins no later than `from`.
  private func append(
    to result: inout [Span], from: Int64, to: Int64, days: (first: Int64, last: Int64), _ index: inout Int
  ) {
    guard from < to else { return }
    while index + 1 < spans.count, spans[index + 1].start <= from { index += 1 }
    while true {
      var span = spans[index]
      let end = min(to, index + 1 < spans.count ? spans[index + 1].start : Self.latest)
      span.start = max(span.start, from)
      let (first, last) = (
        (span.start + span.offset).flooredQuotient(Self.secondsPerDay),
        (end - 1 + span.offset).flooredQuotient(Self.secondsPerDay)
      )
      span.firstDay = min(max(span.firstDay, first, days.first), days.last)
      span.lastDay = max(min(span.lastDay, last, days.last), span.firstDay)
      result.append(span)
      if end == to { return }
      index += 1
    }
  }
}
