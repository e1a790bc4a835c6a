/// Workouts as iOS 16 and later write them: totals only in statistics, metadata before and after everything else.
extension ExportWriter {
  mutating func writeWorkouts() throws(SyntheticExportError) {
    for (position, day) in days.enumerated() {
      plan = DayPlan(layout, day)
      guard let workout = plan.workout else { continue }
      document.beginAddresses(layout.random(Stream.workouts ^ Stream.pointers, day.index))
      let story = WorkoutStory(workout, on: day, layout)
      try write(story, day)
      truth.workouts += 1
      truth.days[position].workouts += 1
      truth.days[position].workoutSeconds += story.moving
      if workout.kind == .cycling {
        try writeThirdPartyRide(workout, day)
        truth.workouts += 1
        truth.days[position].workouts += 1
      }
    }
  }

  private mutating func write(_ story: WorkoutStory, _ day: Day) throws(SyntheticExportError) {
    try document.makeRoom()
    document.buffer.append(0x20)
    document.buffer.append(text: "<Workout workoutActivityType=\"HKWorkoutActivityType\(story.activityType)\"")
    document.write(attribute: "duration", story.durationText)
    document.write(attribute: "durationUnit", "min")
    document.write(RecordType.head("", story.source, day.era))
    document.writeDates(story.sample)
    document.buffer.append(">\n")
    writeMetadata(story)
    try writeEvents(story)
    for activity in story.activities { try write(activity) }
    for statistic in story.statistics { write(statistic, indent: 2) }
    try writeRoutes(story, day)
    writeMetadata(story)
    if story.hasEffort { writeNestedEffort(story, day) }
    document.buffer.append(" </Workout>\n")
  }

  private mutating func writeMetadata(_ story: WorkoutStory) {
    for (key, value) in story.metadata { document.write(metadata: key, value, indent: 2) }
  }

  private mutating func writeEvents(_ story: WorkoutStory) throws(SyntheticExportError) {
    for event in story.events {
      try document.makeRoom()
      document.buffer.append(text: "  <WorkoutEvent type=\"HKWorkoutEventType\(event.type)\"")
      document.write(attribute: "date", date: event.at)
      if event.duration > 0 {
        document.write(attribute: "duration", minutesText(event.duration, event.at))
        document.write(attribute: "durationUnit", "min")
      }
      guard let stroke = event.strokeStyle else {
        document.buffer.append("/>\n")
        continue
      }
      document.buffer.append(">\n")
      document.write(metadata: "HKSwimmingStrokeStyle", String(stroke), indent: 3)
      document.write(metadata: "HKSWOLFScore", String(38 + stroke), indent: 3)
      document.buffer.append("  </WorkoutEvent>\n")
    }
  }

  private mutating func write(_ activity: WorkoutStory.Activity) throws(SyntheticExportError) {
    try document.makeRoom()
    document.buffer.append(text: "  <WorkoutActivity uuid=\"\(activity.uuid)\"")
    document.write(attribute: "startDate", date: activity.start)
    document.write(attribute: "endDate", date: activity.end)
    document.write(attribute: "duration", minutesText(activity.end - activity.start, activity.start))
    document.write(attribute: "durationUnit", "min")
    document.buffer.append(">\n")
    for statistic in activity.statistics { write(statistic, indent: 3) }
    document.write(metadata: "WOIntervalStepKeyPath", activity.stepPath, indent: 3)
    document.write(metadata: "WOIntervalStepSuccessful", "1", indent: 3)
    document.buffer.append("  </WorkoutActivity>\n")
  }

  private mutating func write(_ statistic: WorkoutStory.Statistic, indent: Int) {
    document.buffer.append(text: String(repeating: " ", count: indent))
    document.buffer.append(text: "<WorkoutStatistics type=\"HKQuantityTypeIdentifier\(statistic.type)\"")
    document.write(attribute: "startDate", date: statistic.start)
    document.write(attribute: "endDate", date: statistic.end)
    for (name, mantissa) in statistic.values {
      document.write(attribute: name, decimal: mantissa, decimals: statistic.decimals)
    }
    document.write(attribute: "unit", statistic.unit)
    document.buffer.append("/>\n")
  }

  private mutating func writeRoutes(_ story: WorkoutStory, _ day: Day) throws(SyntheticExportError) {
    for route in Route.routes(of: plan.workout!, on: day, layout) {
      try document.makeRoom()
      document.buffer.append("  ")
      document.write(RecordType.head("<WorkoutRoute", .watch, day.era))
      document.writeDates(
        Sample(start: route.start, end: route.end, created: story.sample.created, value: 0, source: .watch))
      document.buffer.append(">\n")
      document.write(metadata: "HKMetadataKeySyncVersion", "2", indent: 3)
      document.write(metadata: "HKMetadataKeySyncIdentifier", route.identifier, indent: 3)
      document.buffer.append(text: "   <FileReference path=\"/workout-routes/\(route.fileName)\"/>\n")
      document.buffer.append("  </WorkoutRoute>\n")
      truth.routes.append(ExportTruth.Route(route))
    }
  }

  /// The same ride as the cycling app saved it: totals as attributes, no statistics, inside the watch's interval.
  private mutating func writeThirdPartyRide(_ ride: PlannedWorkout, _ day: Day) throws(SyntheticExportError) {
    try document.makeRoom()
    let length = ride.length - 8
    let sample = Sample(
      start: day.midnight + ride.start + 4, end: day.midnight + ride.end - 4, created: day.midnight + ride.end + 90,
      value: 0, source: .cyclingApp)
    document.buffer.append(" <Workout workoutActivityType=\"HKWorkoutActivityTypeCycling\"")
    document.write(attribute: "duration", minutesText(length, sample.start))
    document.write(attribute: "durationUnit", "min")
    document.write(
      attribute: "totalDistance", decimal: ExportWriter.cyclingCentimetres(length) / 1000 * 1000, decimals: 5)
    document.write(attribute: "totalDistanceUnit", "km")
    document.write(attribute: "totalEnergyBurned", decimal: length * 15, decimals: 2)
    document.write(attribute: "totalEnergyBurnedUnit", "kcal")
    document.write(RecordType.head("", .cyclingApp, day.era))
    document.writeDates(sample)
    document.buffer.append(">\n")
    document.write(metadata: "HKWorkoutBrandName", "Velora \"Gravel\" <Tour>", indent: 2)
    document.write(metadata: "HKExternalUUID", "velora-\(sample.start)", indent: 2)
    document.buffer.append(" </Workout>\n")
  }

  // MARK: Effort scores: in the workout, and once more at the top level

  private func effortType() -> RecordType {
    recordType(
      "HKQuantityTypeIdentifierEstimatedWorkoutEffortScore", "appleEffortScore", decimals: 0, sources: [.watch])
  }

  private mutating func writeNestedEffort(_ story: WorkoutStory, _ day: Day) {
    document.buffer.append("  ")
    document.writeStart(story.effort, of: effortType(), era: day.era)
    document.buffer.append("/>\n")
    truth.nestedRecords += 1
  }

  mutating func writeEffortScores() throws(SyntheticExportError) {
    let type = effortType()
    for day in days {
      plan = DayPlan(layout, day)
      guard let workout = plan.workout else { continue }
      let story = WorkoutStory(workout, on: day, layout)
      if story.hasEffort { samples.append(story.effort) }
      try writeSamples(of: type, on: day, repeating: false)
    }
  }
}

/// A full double as the exporter prints durations, minutes: always a fraction of a second beside the printed dates.
func minutesText(_ seconds: Int, _ salt: Int) -> String {
  let fraction = Double(salt.flooredModulo(997)) / 1000
  return String(describing: (Double(seconds) + fraction * 0.9) / 60)
}
