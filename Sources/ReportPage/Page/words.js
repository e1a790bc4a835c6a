"use strict";

// How figures, days and names read. Everything is English and without locale, so that a page looks the same everywhere.

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];
const WEEKDAYS = ["Sun", "Mon", "Tue", "Wed", "Thu", "Fri", "Sat"];

/** Titles where the words of the identifier say it badly. */
const TITLES = {
  hrv: "Heart rate variability",
  "vo2-max": "VO₂ max",
  "distance-walking-running": "Walking and running distance",
  "distance-cycling": "Cycling distance",
  "distance-swimming": "Swimming distance",
  "distance-wheelchair": "Wheelchair distance",
  "active-energy-burned": "Active energy",
  "basal-energy-burned": "Resting energy",
  "apple-exercise-time": "Exercise",
  "apple-stand-time": "Standing time",
  "apple-stand-hour": "Stand hours",
  "apple-move-time": "Move time",
  "oxygen-saturation": "Blood oxygen",
  "apple-sleeping-wrist-temperature": "Wrist temperature, asleep",
  "apple-sleeping-breathing-disturbances": "Breathing disturbances, asleep",
  "apple-walking-steadiness": "Walking steadiness",
  "walking-heart-rate-average": "Walking heart rate",
  "heart-rate-recovery-one-minute": "Heart rate recovery, one minute",
  "body-mass-index": "Body mass index",
  "body-fat-percentage": "Body fat",
  "walking-asymmetry-percentage": "Walking asymmetry",
  "walking-double-support-percentage": "Double support time",
  "six-minute-walk-test-distance": "Six-minute walk",
  "environmental-audio-exposure": "Sound around",
  "headphone-audio-exposure": "Headphone sound",
  "number-of-alcoholic-beverages": "Alcoholic drinks",
  "uv-exposure": "UV exposure",
};

function titleOf(name) {
  if (TITLES[name]) return TITLES[name];
  const words = name.replace(/^dietary-/, "").replace(/-/g, " ");
  return words.charAt(0).toUpperCase() + words.slice(1);
}

/** `HKWorkoutActivityTypeTraditionalStrengthTraining` is "Traditional strength training". */
function activityTitle(identifier) {
  const words = identifier.replace(/^HKWorkoutActivityType/, "").replace(/([a-z])(?=[A-Z])/g, "$1 ");
  return words === "" ? "Workout" : words.charAt(0).toUpperCase() + words.slice(1).toLowerCase();
}

/** Factor and unit in which a series is shown; `digits` are those after the point. */
function displayOf(series) {
  const name = series.name;
  switch (series.unit) {
    case "count": {
      const nouns = { steps: "steps", "apple-stand-hour": "hours", "flights-climbed": "floors" };
      return { scale: 1, unit: nouns[name] || "", digits: name === "body-mass-index" ? 1 : 0 };
    }
    case "count/min":
      return { scale: 1, unit: name === "respiratory-rate" ? "breaths/min" : /heart/.test(name) ? "bpm" : "/min", digits: 0 };
    case "%": return { scale: 100, unit: "%", digits: 1 };
    case "m":
      if (/^distance-/.test(name) && name !== "distance-swimming") return { scale: 0.001, unit: "km", digits: 1 };
      return { scale: 1, unit: "m", digits: /distance/.test(name) ? 0 : 2 };
    case "m/s": return { scale: 3.6, unit: "km/h", digits: 1 };
    case "dBASPL": return { scale: 1, unit: "dB", digits: 0 };
    case "degC": return { scale: 1, unit: "°C", digits: 1 };
    case "mL/min·kg": return { scale: 1, unit: "mL/(kg·min)", digits: 1 };
    case "appleEffortScore": return { scale: 1, unit: "of 10", digits: 1 };
    case "kcal": case "ms": case "W": case "mg/dL": case "mmHg": case "min": case "mg": return { scale: 1, unit: series.unit, digits: 0 };
    default: return { scale: 1, unit: series.unit, digits: 1 };
  }
}

function number(value, digits) {
  const text = Math.abs(value).toFixed(digits);
  const [whole, decimals] = text.split(".");
  const grouped = whole.replace(/\B(?=(\d{3})+$)/g, ",");
  const sign = value < 0 && Number(text) !== 0 ? "−" : "";
  return sign + grouped + (decimals ? "." + decimals : "");
}

function withUnit(text, unit) { return unit === "" ? text : unit === "%" ? text + " %" : text + " " + unit; }

/** Minutes as `7 h 05`, or `45 min`. */
function hours(minutes) {
  const whole = Math.round(minutes);
  if (whole < 60) return whole + " min";
  if (whole >= 6000) return number(whole / 60, 0) + " h";
  return Math.floor(whole / 60) + " h " + String(whole % 60).padStart(2, "0");
}

// Days are numbers: days since 1970-01-01.

function civil(day) {
  const date = new Date(day * 86400000);
  return { year: date.getUTCFullYear(), month: date.getUTCMonth(), day: date.getUTCDate(), weekday: date.getUTCDay() };
}

function dayNumber(year, month, day) { return Math.round(Date.UTC(year, month, day) / 86400000); }

function dayText(day) {
  const { year, month, day: date } = civil(day);
  return date + " " + MONTHS[month] + " " + year;
}

function weekdayText(day) { return WEEKDAYS[civil(day).weekday] + " " + dayText(day); }

function daysText(first, last) {
  const [a, b] = [civil(first), civil(last)];
  if (first === last) return dayText(first);
  const start = a.day + (a.month === b.month && a.year === b.year ? "" : " " + MONTHS[a.month]) + (a.year === b.year ? "" : " " + a.year);
  return start + " – " + dayText(last);
}

function periodText(start, by) {
  if (by === "day") return weekdayText(start);
  if (by === "week") return "Week " + daysText(start, start + 6);
  const { year, month } = civil(start);
  return MONTHS[month] + " " + year;
}

function momentText(moment) {
  const clock = String(Math.floor(moment.minute / 60)).padStart(2, "0") + ":" + String(moment.minute % 60).padStart(2, "0");
  return dayText(moment.day) + ", " + clock;
}

function plural(count, noun) { return number(count, 0) + " " + noun + (count === 1 ? "" : "s"); }
