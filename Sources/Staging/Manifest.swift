import Foundation
package import HealthModel

/// `manifest.json` of a chunk folder: written last, so a folder with one is complete.
///
/// Everything needed to load the folder without the export, and to check it years later by hand. Instants are ISO 8601
/// in UTC, days `YYYY-MM-DD`, digests XXH3-128 in hexadecimal.
package struct Manifest: Codable, Sendable, Equatable {
  package static let fileName = "manifest.json"
  package static let currentFormat = 1
  /// Raised whenever the same export would give other rows: a load then compares every row, not only fingerprints.
  package static let currentMappingVersion = 2

  package var format = Manifest.currentFormat
  package var mappingVersion = Manifest.currentMappingVersion
  package var hk2pgVersion: String
  package var export: Export
  package var user: String
  package var zone: String
  package var options: Options
  package var samples: Samples
  package var types: [MetricType]
  package var problems: [Problem]
  package var chunks: [Chunk]
  /// The rows come from a database, as they stood there; nil: from an export.
  package var archive: Archive?

  package init(
    hk2pgVersion: String, export: Export, user: String, zone: String, options: Options = Options(),
    samples: Samples = Samples(), types: [MetricType] = [], problems: [Problem] = [], chunks: [Chunk] = [],
    archive: Archive? = nil
  ) {
    self.hk2pgVersion = hk2pgVersion
    self.export = export
    self.user = user
    self.zone = zone
    self.options = options
    self.samples = samples
    self.types = types
    self.problems = problems
    self.chunks = chunks
    self.archive = archive
  }

  /// What is known of a folder that was written from a database.
  package struct Archive: Codable, Sendable, Equatable {
    /// ISO 8601: all rows are of this moment.
    package var takenAt: String
    /// The user there, when the rows were re-keyed.
    package var formerUser: String?
    /// The table admitted several rows of one type and start, of different sources.
    package var isKeyedBySource: Bool
    /// There was a schema `hk2pg`: its tables have chunks, where they had rows.
    package var hasOwnSchema: Bool
    /// Only the types and months that another database lacked.
    package var isPartial: Bool

    package init(
      takenAt: String, formerUser: String? = nil, isKeyedBySource: Bool, hasOwnSchema: Bool, isPartial: Bool
    ) {
      self.takenAt = takenAt
      self.formerUser = formerUser
      self.isKeyedBySource = isKeyedBySource
      self.hasOwnSchema = hasOwnSchema
      self.isPartial = isPartial
    }
  }

  package struct Export: Codable, Sendable, Equatable {
    /// File or folder name as given, without its path.
    package var name: String
    /// Size of what was opened (the zip, not the XML in it); 0 for stdin.
    package var byteCount: Int64
    /// XXH3-128 of what was opened.
    package var digest: String
    package var exportDate: String?
    package var newestCreation: String?
    package var locale: String?
    /// Something was left out by `--salvage`: such an export never removes rows.
    package var isSalvaged: Bool

    package init(
      name: String, byteCount: Int64, digest: String, exportDate: String? = nil, newestCreation: String? = nil,
      locale: String? = nil, isSalvaged: Bool = false
    ) {
      self.name = name
      self.byteCount = byteCount
      self.digest = digest
      self.exportDate = exportDate
      self.newestCreation = newestCreation
      self.locale = locale
      self.isSalvaged = isSalvaged
    }
  }

  package struct Options: Codable, Sendable, Equatable {
    /// `--raw-window` in local days; nil: all raw rows.
    package var rawWindowDays: Int?
    /// `--source-priority`: metric type ("" for all) to source names, best first.
    package var sourcePriority: [String: [String]]
    package init(rawWindowDays: Int? = nil, sourcePriority: [String: [String]] = [:]) {
      self.rawWindowDays = rawWindowDays
      self.sourcePriority = sourcePriority
    }
  }

  /// read = staged + repeats + superseded + withheld + rejected.
  package struct Samples: Codable, Sendable, Equatable {
    package var read = 0
    package var staged = 0
    package var repeats = 0
    package var superseded = 0
    package var withheld = 0
    package var rejected = 0
    /// Rows moved by 1 µs or more because another sample of the type has the same second.
    package var moved = 0
    package init() {}
  }

  package struct MetricType: Codable, Sendable, Equatable {
    package var metricType: String
    /// Raw rows staged, and those withheld by the raw window.
    package var rows: Int
    package var withheld: Int
    package var first: String
    package var last: String
    /// Exported unit to number of samples.
    package var exportedUnits: [String: Int]

    package init(
      metricType: String, rows: Int, withheld: Int = 0, first: String, last: String, exportedUnits: [String: Int]
    ) {
      self.metricType = metricType
      self.rows = rows
      self.withheld = withheld
      self.first = first
      self.last = last
      self.exportedUnits = exportedUnits
    }
  }

  package struct Problem: Codable, Sendable, Equatable {
    package var kind: ProblemKind
    package var count: Int
    package var firstOffset: Int64

    package init(kind: ProblemKind, count: Int, firstOffset: Int64) {
      self.kind = kind
      self.count = count
      self.firstOffset = firstOffset
    }
  }

  /// One file: a zstd frame around a PostgreSQL binary COPY stream.
  package struct Chunk: Codable, Sendable, Equatable {
    /// Published or `hk2pg` table the columns belong to, for instance `healthkit_metrics`, `hk2pg.sources`.
    package var table: String
    package var columns: [String]
    package var file: String
    package var rowCount: Int
    /// Of the COPY stream, and of the file.
    package var byteCount: Int
    package var compressedByteCount: Int
    /// XXH3-128 of the file.
    package var digest: String
    /// First and last metric type and start, for healthkit_metrics.
    package var firstType: String?
    package var lastType: String?
    package var firstStart: String?
    package var lastStart: String?

    package init(
      table: ChunkTable, columns: [String]? = nil, file: String, rowCount: Int, byteCount: Int,
      compressedByteCount: Int, digest: String
    ) {
      self.table = table.rawValue
      self.columns = columns ?? table.columns
      self.file = file
      self.rowCount = rowCount
      self.byteCount = byteCount
      self.compressedByteCount = compressedByteCount
      self.digest = digest
    }
  }
}

/// Tables a chunk may belong to, with the columns staging writes, in order.
package enum ChunkTable: String, CaseIterable, Sendable {
  case metrics = "healthkit_metrics"
  case dailySummaries = "healthkit_daily_summaries"
  /// Fingerprints of the staged raw rows: what `Loading` compares with the database.
  case groups = "hk2pg.groups"
  /// The same of groups whose rows are in no chunk, because the database the export was staged for held exactly these.
  case unchangedGroups = "hk2pg.unchanged_groups"
  case sources = "hk2pg.sources"
  case profiles = "hk2pg.profiles"
  case routePoints = "hk2pg.route_points"
  case ecgRecordings = "hk2pg.ecg_recordings"
  // In archives only:
  case userSettings = "hk2pg.user_settings"
  case typeUnits = "hk2pg.type_units"
  case imports = "hk2pg.imports"
  case problems = "hk2pg.problems"
  case prunedDays = "hk2pg.pruned_days"

  package var columns: [String] {
    switch self {
    case .metrics:
      ["id", "user_id", "metric_type", "value", "unit", "source_device", "started_at", "ended_at", "metadata"]
    case .dailySummaries:
      [
        "id", "user_id", "metric_type", "summary_date", "avg_value", "min_value", "max_value", "sum_value",
        "sample_count", "unit",
      ]
    case .groups, .unchangedGroups: ["metric_type", "source_device", "utc_day", "row_count", "fingerprint"]
    case .sources:
      [
        "user_id", "name", "class", "device_names", "models", "hardware", "versions", "first_sample_at",
        "last_sample_at", "sample_count",
      ]
    case .profiles: ["user_id", "characteristic", "value"]
    case .routePoints:
      [
        "user_id", "file_digest", "ordinal", "recorded_at", "longitude", "latitude", "elevation_m", "speed_mps",
        "course_deg", "horizontal_accuracy_m", "vertical_accuracy_m",
      ]
    case .ecgRecordings: ["user_id", "metric_id", "recorded_at", "sample_rate_hz", "lead", "unit", "voltages"]
    case .userSettings, .typeUnits, .imports, .problems, .prunedDays: archiveColumns.map(\.name)
    }
  }
}
