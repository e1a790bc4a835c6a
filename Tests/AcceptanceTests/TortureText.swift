/// Made-up pieces of exports. Nobody in them exists.
enum TortureText {
  /// An export with `body` in it. The body begins behind `head`, in line 4.
  static func export(_ body: String, doctype: String = "") -> String { head(doctype) + body + "</HealthData>\n" }

  static func export(bytes body: [UInt8]) -> [UInt8] { Array(head("").utf8) + body + Array("</HealthData>\n".utf8) }

  static func head(_ doctype: String) -> String {
    "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\(doctype)<HealthData locale=\"en_US\">\n"
      + " <ExportDate value=\"2024-06-01 12:00:00 +0200\"/>\n"
  }

  static let times =
    #"startDate="2024-05-01 10:00:00 +0200" endDate="2024-05-01 10:01:00 +0200""#

  /// One record of steps as iOS writes it; its row is `row`.
  static let record =
    #" <Record type="HKQuantityTypeIdentifierStepCount" sourceName="Watch" unit="count" "# + times
    + #" value="12"/>"# + "\n"
  static let row = "Q:StepCount|12|count|Watch|2024-05-01T08:00:00Z|2024-05-01T08:01:00Z|"

  /// A point a second, from the second `first` of 2024-05-01T08:00:00Z on.
  static func gpx(seconds: [Int], exported: String = "2024-06-01T10:00:00Z", extra: String = "") -> String {
    let points = seconds.map { second in
      let clock = "08:0\(second / 60):\(second % 60 < 10 ? "0" : "")\(second % 60)"
      return """
        <trkpt lon="\(8 + Double(second) / 1000)" lat="50"><ele>101.5</ele><time>2024-05-01T\(clock)Z</time>\
        <extensions><speed>2.5</speed><course>-1</course><hAcc>3</hAcc><vAcc>2</vAcc></extensions></trkpt>
        """
    }
    return """
      <?xml version="1.0" encoding="UTF-8"?>
      <gpx version="1.1" creator="Apple Health Export" xmlns="http://www.topografix.com/GPX/1/1">
      <metadata><time>\(exported)</time></metadata>
      <trk><name>Route</name><trkseg>\(points.joined(separator: "\n"))\(extra)</trkseg></trk></gpx>

      """
  }

  static func route(_ file: String, from: String, to: String) -> String {
    #" <Workout workoutActivityType="HKWorkoutActivityTypeWalking" duration="2" durationUnit="min" sourceName="Watch" "#
      + #"startDate="2024-05-01 \#(from) +0200" endDate="2024-05-01 \#(to) +0200"><WorkoutRoute sourceName="Watch" "#
      + #"startDate="2024-05-01 \#(from) +0200" endDate="2024-05-01 \#(to) +0200"><FileReference path="\#(file)"/>"#
      + "</WorkoutRoute></Workout>\n"
  }

  static func clinical(_ type: String, _ file: String) -> String {
    #" <ClinicalRecord type="\#(type)" identifier="\#(file)" sourceName="Clinic" sourceURL="https://clinic.example/1" "#
      + #"fhirVersion="4.0.1" receivedDate="2024-05-02 09:00:00 +0200" resourceFilePath="/clinical-records/\#(file)"/>"#
      + "\n"
  }

  /// An electrocardiogram as a German phone writes it: BOM, `Name` without a comma, decimal commas.
  static let germanECG =
    "\u{FEFF}Name\nGeburtstag,\"12.06.1984\"\nAufzeichnungsdatum,2024-05-03 07:00:00 +0200\nKlassifizierung,Sinusrhythmus\n"
    + "Symptome,\nSoftwareversion,2.10\nGerät,\"Watch6,7\"\nMessrate,\"512,5\u{A0}Hertz\"\n\n\nAbleitung,Ableitung I\n"
    + "Einheit,µV\n\n-265,868\n12,5\n0\n1\n"
}
