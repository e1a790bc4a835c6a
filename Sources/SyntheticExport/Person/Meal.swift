/// Meals and blood pressure: correlations whose members stand at the top level as well (export-format §7.6).
struct Meal {
  /// Seconds since 1970; all foods of a meal are saved with the same second.
  var start: Int
  var foods: [Int]
  /// Names the foods across exports.
  var identifiers: [String]

  static let names = [
    "Oat porridge", "Lentil stew", "Rye bread & butter", "Apple \"Elstar\"", "Grilled <trout>", "Müsli", "抹茶ラテ",
    "Pasta al pomodoro", "Yoghurt, plain", "Walnuts",
  ]
  static let nutrients: [(name: String, unit: String)] = [
    ("DietaryEnergyConsumed", "kcal"), ("DietaryCarbohydrates", "g"), ("DietaryProtein", "g"), ("DietaryFatTotal", "g"),
    ("DietarySodium", "mg"),
  ]

  /// Thousandths of the nutrient's unit; foods of one meal never share a value, so that each stays a sample of its own.
  func amount(food: Int, nutrient: Int) -> Int {
    let base = [182_000, 24_500, 8_250, 6_125, 310_000][nutrient]
    return base / 2 + base * (foods[food] + 1) / 8 + start / 60 % 37 * 10 + food
  }

  static func meals(_ layout: ExportLayout, _ day: Day) -> [Meal] {
    let count = layout.count(0.7, on: day, stream: Stream.meals)
    guard count > 0 else { return [] }
    var random = layout.random(Stream.meals, day.index)
    return (0..<count).map { index in
      let start = day.midnight + 25_200 + 43_200 * index / count + random.below(10_000 / count)
      let first = random.below(names.count)
      let foodCount = layout.detail == .sparse ? 2 : random.between(2, 4)
      return Meal(
        start: start, foods: (0..<foodCount).map { (first + 3 * $0) % names.count },
        identifiers: (0..<foodCount).map { _ in random.uuid() })
    }
  }
}

/// A cuff reading: a correlation of two records, or, now and then, two records that stand alone.
struct PressureReading {
  var start: Int
  var systolic: Int
  var diastolic: Int
  var isCorrelated: Bool

  static func readings(_ layout: ExportLayout, _ day: Day) -> [PressureReading] {
    let count = layout.count(0.4, on: day, stream: Stream.pressure)
    guard count > 0 else { return [] }
    var random = layout.random(Stream.pressure, day.index)
    return (0..<count).map { index in
      PressureReading(
        start: day.midnight + 28_800 + 40_000 * index / count + random.below(2000), systolic: random.around(108, 139),
        diastolic: random.around(64, 89), isCorrelated: day.index == 0 || !random.chance(1, of: 5))
    }
  }
}
