import Foundation

/// The command line of `synth-export`.
package enum SynthCommand {
  package static let help = """
    usage: synth-export SIZE [options] OUT

    Writes a made-up Apple Health export: the same arguments give the same bytes.

      SIZE               size of export.xml: 0.1MB, 500MB, 1GB, 10GB (also kB; reached within 5 %)
      OUT                FILE.xml, FILE.zip, or - for XML on standard output

      --seed N           another person, same habits (default 1)
      --truth FILE       write what is true: counts per type, figures per local day (JSON)
      --extra K          K new records on the morning after the last day, at the end of their types; every other
                         byte stays the same (also --records-more K)
      --start DATE       first local day (default: as many days before --end as a heavy user needs for SIZE)
      --end DATE         last local day (default 2026-01-14)
      --zone NAME        IANA zone of the person (default Europe/Berlin)
      --export-date "DATE TIME"
                         local date and time of ExportDate; its offset is written on every date
                         (default: 09:41:00 on the day after --end)
      --level N          zlib level of a zip, 1 to 9 (default 4)
      --no-side-files    export.xml only: no GPX, ECG and FHIR files (beside FILE.xml, or in the zip)
      --help

    Zones: \(ExportRequest.zoneNames.joined(separator: ", "))
    Exit codes: 0 written, 1 could not write, 2 usage
    """

  /// Runs the command and returns its exit code. `arguments` without the program's name.
  package static func run(_ arguments: [String]) -> Int32 {
    if arguments.contains("--help") || arguments.contains("-h") {
      print(help)
      return 0
    }
    do throws(SyntheticExportError) {
      let options = try SynthOptions(parsing: arguments)
      let export = try SyntheticExport(options.request)
      let truth =
        options.isZip
        ? try export.writeZip(path: options.output, level: options.level, sideFiles: options.sideFiles)
        : try export.writeXML(path: options.output, sideFiles: options.sideFiles)
      if let path = options.truthPath {
        let sink = try FileSink(creating: path)
        var file = SideFile(sink: sink)
        for line in truth.split(separator: "\n") {
          try file.makeRoom()
          file.buffer.append(text: line + "\n")
        }
        try file.flush()
      }
      return 0
    } catch {
      let (sentence, code) = explain(error)
      FileHandle.standardError.write(Data("synth-export: \(sentence)\n".utf8))
      return code
    }
  }

  private static func explain(_ error: SyntheticExportError) -> (String, Int32) {
    switch error {
    case .usage(let text): ("\(text); see --help", 2)
    case .cannotWrite(let path, let errno): ("cannot write \(path): \(unsafe String(cString: strerror(errno)))", 1)
    case .deflate(let status): ("zlib failed with status \(status)", 1)
    case .sizeOutOfReach(let asked, let nearest, let days):
      ("\(asked) bytes are out of reach in \(days) days (nearest: \(nearest)); change SIZE, --start or --end", 2)
    }
  }
}
