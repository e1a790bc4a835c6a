import HealthModel

/// What an importer must find: counts of everything written, and the true figures of each local day.
///
/// Days are the day's own local time in the export's zone. `steps` and `walkingCentimetres` are what happened, equal to
/// the merge of sources by rank (watch, iPhone, others by time) within 1 %; exact repeats count once. Energy, exercise,
/// flights, stand hours: what the watch recorded, which covers every other source. Sleep belongs to the day of waking:
/// stages from the watch where worn, else from the app; in bed from the phone where it wrote, else from the app.
struct ExportTruth {
  struct DayTruth {
    var steps = 0
    var walkingCentimetres = 0
    var cyclingCentimetres = 0
    var swimmingMetres = 0
    var flights = 0
    var activeMilliKilocalories = 0
    var basalMilliKilocalories = 0
    var dietaryMilliKilocalories = 0
    var exerciseMinutes = 0
    var standHours = 0
    /// By `SleepPlan.Stage`.
    var sleepSeconds: [Int] = Array(repeating: 0, count: 6)
    var workouts = 0
    /// Pauses left out, the ride that a second app saved again counted once; below a second more in the file.
    var workoutSeconds = 0
  }

  struct Route {
    var file: String
    var start: Int
    var end: Int
    /// Points of the file in the interval.
    var points: Int
  }

  var days: [DayTruth]
  /// Records at the top level by type, in the order of the file, repeats and extra ones included.
  private(set) var types: [(name: String, count: Int)] = []
  var nestedRecords = 0
  var repeatedRecords = 0
  var extraRecords = 0
  var extraSteps = 0
  var correlations = 0
  var workouts = 0
  var routes: [Route] = []
  var activitySummaries = 0
  /// Earlier summaries of a date that stands twice.
  var supersededSummaries = 0
  var clinicalRecords = 0
  var audiograms = 0
  var visionPrescriptions = 0
  var beats = 0

  init(dayCount: Int) { days = Array(repeating: DayTruth(), count: dayCount) }

  mutating func count(_ type: String, _ samples: Int) {
    if types.last?.name == type {
      types[types.count - 1].count += samples
    } else {
      types.append((type, samples))
    }
  }

  var topLevelRecords: Int { types.reduce(0) { $0 + $1.count } }
}

extension ExportTruth.Route {
  init(_ route: Route) {
    self.init(file: route.fileName, start: route.start, end: route.end, points: route.pointCount)
  }
}

extension ExportTruth {
  /// One JSON object; numbers are decimals as exact as the records they come from.
  func json(_ layout: ExportLayout, electrocardiograms: Int, xmlByteCount: Int) -> String {
    let request = layout.request
    var text = "{\n"
    text += "  \"seed\": \(request.seed),\n"
    text += "  \"zone\": \"\(layout.zone.name)\",\n"
    text += "  \"first_day\": \"\(layout.firstDay)\",\n  \"last_day\": \"\(request.lastDay)\",\n"
    text += "  \"xml_bytes\": \(xmlByteCount),\n"
    text += "  \"elements\": {\n"
    let elements: [(String, Int)] = [
      ("records", topLevelRecords), ("nested_records", nestedRecords), ("repeated_records", repeatedRecords),
      ("extra_records", extraRecords), ("correlations", correlations), ("workouts", workouts),
      ("workout_routes", routes.count), ("activity_summaries", activitySummaries),
      ("superseded_summaries", supersededSummaries), ("clinical_records", clinicalRecords), ("audiograms", audiograms),
      ("vision_prescriptions", visionPrescriptions), ("electrocardiograms", electrocardiograms), ("beats", beats),
    ]
    text += elements.map { "    \"\($0.0)\": \($0.1)" }.joined(separator: ",\n")
    text += "\n  },\n  \"types\": {\n"
    text += types.map { "    \"\($0.name)\": \($0.count)" }.joined(separator: ",\n")
    text += "\n  },\n  \"routes\": [\n"
    text += routes.map {
      "    {\"file\": \"\($0.file)\", \"started_at\": \($0.start), \"ended_at\": \($0.end), \"points\": \($0.points)}"
    }.joined(separator: ",\n")
    text += "\n  ],\n  \"days\": [\n"
    var rows = days.indices.map { row(layout.firstDay.advanced(by: $0), days[$0]) }
    if extraRecords > 0 {
      rows.append("    {\"day\": \"\(request.lastDay.advanced(by: 1))\", \"steps\": \(extraSteps)}")
    }
    return text + rows.joined(separator: ",\n") + "\n  ]\n}\n"
  }

  private func row(_ day: CivilDay, _ truth: DayTruth) -> String {
    let sleep = truth.sleepSeconds
    let fields: [(String, String)] = [
      ("steps", String(truth.steps)),
      ("distance_walking_running_km", decimal(truth.walkingCentimetres, 5)),
      ("distance_cycling_km", decimal(truth.cyclingCentimetres, 5)),
      ("distance_swimming_m", String(truth.swimmingMetres)),
      ("flights_climbed", String(truth.flights)),
      ("active_energy_kcal", decimal(truth.activeMilliKilocalories, 3)),
      ("basal_energy_kcal", decimal(truth.basalMilliKilocalories, 3)),
      ("dietary_energy_kcal", decimal(truth.dietaryMilliKilocalories, 3)),
      ("exercise_min", String(truth.exerciseMinutes)),
      ("stand_hours", String(truth.standHours)),
      ("asleep_min", minutes(sleep[1] + sleep[3] + sleep[4] + sleep[5])),
      ("asleep_unspecified_min", minutes(sleep[1])), ("awake_min", minutes(sleep[2])),
      ("asleep_core_min", minutes(sleep[3])), ("asleep_deep_min", minutes(sleep[4])),
      ("asleep_rem_min", minutes(sleep[5])), ("in_bed_min", minutes(sleep[0])),
      ("workouts", String(truth.workouts)), ("workout_s", String(truth.workoutSeconds)),
    ]
    return "    {\"day\": \"\(day)\", " + fields.map { "\"\($0.0)\": \($0.1)" }.joined(separator: ", ") + "}"
  }

  /// Half minutes are exact.
  private func minutes(_ seconds: Int) -> String { decimal(seconds / 30 * 5, 1) }

  private func decimal(_ mantissa: Int, _ decimals: Int) -> String {
    let digits = String(mantissa)
    let padded = String(repeating: "0", count: max(0, decimals + 1 - digits.count)) + digits
    return "\(padded.dropLast(decimals)).\(padded.suffix(decimals))"
  }
}
