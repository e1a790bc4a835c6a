/// Who writes samples: one invented person's devices and apps. Every name here is made up.
enum Source: Int, CaseIterable {
  case watch, phone, pedometer, sleepApp, foodLog, scale, cuff, glucoseMeter, chestStrap, cyclingApp, mindfulnessApp
  case sleepSchedule, handEntry

  /// As exported: real names have curly apostrophes, U+00A0, emoji, ampersands and trailing spaces.
  var name: String {
    switch self {
    case .watch: "Robin’s Apple\u{A0}Watch"
    case .phone: "Robin’s iPhone"
    case .pedometer: "Pacewell"
    case .sleepApp: "Slumberly 🌙"
    case .foodLog: "Plate & Fork"
    case .scale: "Balancia "
    case .cuff: "CuffWell \"Home\""
    case .glucoseMeter: "Glucolog"
    case .chestStrap: "PulseLine"
    case .cyclingApp: "Velora"
    case .mindfulnessApp: "Stillpoint"
    case .sleepSchedule: "Clock"
    case .handEntry: "Health"
    }
  }

  /// Version written in each era of the export; the last one goes on for ever. Empty: the attribute is missing.
  var versions: [String] {
    switch self {
    case .watch: ["9.6.3", "10.1.1", "10.6", "11.2", "11.5", "26.1"]
    case .phone, .handEntry: ["16.6.1", "17.1.2", "17.6.1", "18.2", "18.5", "26.1"]
    case .pedometer: ["4.2", "4.11.3"]
    case .sleepApp: ["2023.11", "2024.4", "2025.2"]
    case .foodLog: ["812", "903"]
    case .scale: ["7.0.1"]
    case .cuff: ["1.4 (22)"]
    case .glucoseMeter: ["3.9.0"]
    case .chestStrap: ["5.1"]
    case .cyclingApp: ["31.0", "44.2"]
    case .mindfulnessApp: ["2.0"]
    case .sleepSchedule: []
    }
  }

  /// What follows the heap address in the device text, already escaped; nil: no device attribute.
  func device(era: Int) -> String? {
    switch self {
    case .watch:
      // A new watch in the middle: its records keep the name, the hardware changes.
      let hardware = era < 3 ? "Watch6,2" : "Watch7,2"
      return device(
        "Apple Watch", "Apple Inc.", "Watch", hardware, Source.last(versions, era),
        "creation date:202\(3 + era / 2)-0\(1 + era)-14 06:53:\(20 + era) +0000")
    case .phone:
      let hardware = era < 2 ? "iPhone13,2" : "iPhone16,1"
      return device("iPhone", "Apple Inc.", "iPhone", hardware, Source.last(versions, era), nil)
    case .scale: return device("Balancia Floor", "Balancia", "BF-2", "2.1", "118", "localIdentifier:7C2A-11")
    case .cuff: return device("CuffWell, upper arm", "CuffWell & Co", "CW:300", "1", "4.0", nil)
    case .glucoseMeter: return device("Glucolog Meter", "Glucolog", "G1", "1.0", "2.2", nil)
    case .chestStrap: return device("PulseLine Strap", "PulseLine", "PL9", "9", "1.3", nil)
    default: return nil
    }
  }

  func version(era: Int) -> String? { versions.isEmpty ? nil : Source.last(versions, era) }

  private static func last(_ list: [String], _ era: Int) -> String { list[min(era, list.count - 1)] }

  private func device(
    _ name: String, _ manufacturer: String, _ model: String, _ hardware: String, _ software: String, _ rest: String?
  ) -> String {
    let text =
      ">, name:\(name), manufacturer:\(manufacturer), model:\(model), hardware:\(hardware), software:\(software)"
      + (rest.map { ", \($0)" } ?? "") + ">"
    return escaped(text)
  }
}

/// Text as it stands in an attribute of the export.
func escaped(_ text: String) -> String {
  var result = ""
  for character in text.unicodeScalars {
    switch character {
    case "&": result += "&amp;"
    case "<": result += "&lt;"
    case ">": result += "&gt;"
    case "\"": result += "&quot;"
    default: result.unicodeScalars.append(character)
    }
  }
  return result
}
