extension PublishedTable {
  /// Comments by column; "" is the table itself. They begin with `Schema.ownershipMark` there.
  var comments: [(column: String, text: String)] {
    switch self {
    case .metrics:
      [
        ("", "\(Schema.ownershipMark)raw HealthKit samples, one row each."),
        ("id", "Version 8 UUIDs are of hk2pg, made from user, type, start, end and naming metadata."),
        ("user_id", "Whose sample."),
        ("metric_type", "HealthKit identifier of what was measured."),
        ("value", "In the canonical unit of the type; categories: the raw value of the enum."),
        ("unit", "Unit of value."),
        ("source_device", "Name of the app or device that recorded it."),
        ("started_at", "date_trunc('second', …) is the exported start; samples of one second are microseconds apart."),
        ("ended_at", "End of the sample."),
        ("metadata", "Metadata as exported, and what a value alone does not say."),
        ("synced_at", "When the row was written."),
      ]
    case .dailySummaries:
      [
        ("", "\(Schema.ownershipMark)HealthKit samples summed up by local day."),
        ("id", "Version 8 UUIDs are of hk2pg, made from user, type and day."),
        ("user_id", "Whose day."),
        ("metric_type", "HealthKit identifier; sleep stages and workout activities have rows of their own."),
        ("summary_date", "Local day in the zone of hk2pg.user_settings."),
        ("avg_value", "Mean of the samples; sound levels: energy mean."),
        ("min_value", "Least sample."),
        ("max_value", "Greatest sample."),
        ("sum_value", "Cumulative types: total with overlapping sources merged. Categories and workouts: minutes."),
        ("sample_count", "Samples of the day."),
        ("unit", "Unit of the values."),
        ("created_at", "When the row was written."),
      ]
    }
  }
}
