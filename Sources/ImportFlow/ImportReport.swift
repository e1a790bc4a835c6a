package import Foundation
package import HealthModel

/// What one import did: the facts behind the text on stdout and behind `--report FILE.json` (keys in snake_case).
package struct ImportReport: Codable, Sendable {
  package var hk2pgVersion: String
  /// import, stage, load or inspect.
  package var command: String
  package var export: Export
  package var user: String?
  package var zone: Zone?
  /// Host, port, database and role without secrets; nil when no database took part.
  package var database: String?
  package var samples = Samples()
  package var changes = Changes()
  package var types: [MetricType] = []
  package var sources: [Source] = []
  package var sourceRanking: [String] = []
  package var problems: [Problem] = []
  /// Elements and attributes no catalogue knows, kept as they are, with their count.
  package var unknownNames: [String: Int] = [:]
  /// Files beside the XML; nil when only chunks were there.
  package var sideFiles: SideFiles?
  package var summaries = Summaries()
  package var sizes = Sizes()
  package var timing = Timing()
  /// The ledger's earlier import of the same file, when there was nothing to do.
  package var sameAsImport: Earlier?
  package var truthCheck: TruthCheck?
  /// Sentences the user should read: what was kept and why, what was not removed and which flag would.
  package var notes: [String] = []

  package struct Export: Codable, Sendable {
    package var name: String
    package var byteCount: Int64
    package var digest: String?
    package var exportDate: Date?
    package var newestCreation: Date?
    package var locale: String?
    package var isSalvaged = false
  }

  package struct Zone: Codable, Sendable {
    package var name: String
    /// Where it was taken from: `--timezone`, `hk2pg.user_settings`, `HKTimeZone in the export`, `this machine`.
    package var origin: String
  }

  /// read = written + already_there + repeats + superseded + aside_for_live + withheld + rejected (DESIGN §7.1).
  package struct Samples: Codable, Sendable {
    package var read = 0
    package var written = 0
    package var alreadyThere = 0
    package var repeats = 0
    package var superseded = 0
    package var asideForLive = 0
    package var withheld = 0
    package var rejected = 0

    package var isBalanced: Bool {
      read == written + alreadyThere + repeats + superseded + asideForLive + withheld + rejected
    }
  }

  /// What happened to rows of ours in the table, beyond the new ones.
  package struct Changes: Codable, Sendable {
    /// Rows of samples that were already there, rewritten because something differed (a renamed source, a value).
    package var changed = 0
    package var removed = 0
    /// Rows the export lacks, kept (DESIGN §3.9).
    package var keptMissing = 0
    /// Samples stored 1 µs or more after their second, since another one of the type has it.
    package var moved = 0
  }

  package struct MetricType: Codable, Sendable {
    package var metricType: String
    package var rows: Int
    package var withheld: Int
    package var first: Date
    package var last: Date
    package var units: [String: Int]
  }

  package struct Source: Codable, Sendable {
    package var name: String
    /// watch, phone or other.
    package var deviceClass: String
    package var samples: Int
    package var first: Date?
    package var last: Date?
  }

  package struct Problem: Codable, Sendable {
    package var kind: ProblemKind
    package var severity: ProblemKind.Severity
    package var count: Int
    /// Byte offset of the first one in the export's XML.
    package var firstOffset: Int64
  }

  /// How many files the export has, and from how many of them rows came.
  package struct SideFiles: Codable, Sendable, Equatable {
    package var routes = Count()
    package var electrocardiograms = Count()
    package var clinicalRecords = Count()

    package struct Count: Codable, Sendable, Equatable {
      package var found = 0
      package var used = 0
      package init(found: Int = 0, used: Int = 0) {
        self.found = found
        self.used = used
      }
    }

    package init() {}
  }

  package struct Summaries: Codable, Sendable {
    package var days = 0
    package var written = 0
    package var unchanged = 0
  }

  package struct Sizes: Codable, Sendable {
    /// Of the two tables with their indexes, and of the database; nil when no database took part.
    package var tableBytes: Int64?
    package var databaseBytes: Int64?
    /// Expected bytes with all raw rows, and with raw rows of the last 30 days only.
    package var forecastAllBytes: Int64?
    package var forecastWindowBytes: Int64?
    /// Raw rows behind these two.
    package var forecastAllRows: Int?
    package var forecastWindowRows: Int?
    package var stagedBytes: Int64?
  }

  package struct Timing: Codable, Sendable {
    package var seconds: Double = 0
    package var stageSeconds: Double = 0
    package var loadSeconds: Double = 0
    package var samplesPerSecond: Double = 0
    package var peakMemoryBytes: Int64 = 0
  }

  package struct Earlier: Codable, Sendable {
    package var importNumber: Int
    package var finishedAt: Date
    package var written: Int
  }

  package struct TruthCheck: Codable, Sendable {
    package var daysCompared: Int
    package var daysWithinOnePercent: Int
    package var worst: [Day]

    package struct Day: Codable, Sendable {
      package var metricType: String
      package var day: String
      package var ours: Double
      package var theirs: Double
    }
  }

  package init(command: String, hk2pgVersion: String, export: Export) {
    self.command = command
    self.hk2pgVersion = hk2pgVersion
    self.export = export
  }
}
