// What the page shows, section by section. Each returns its element, or null where nothing is stored for it.

function section(id, title, children) { return el("section", { id, "aria-label": title }, [el("h2", {}, title)].concat(children)); }

const SLEEP = "HKCategoryTypeIdentifierSleepAnalysis";
const STAGES = [["AsleepDeep", "Deep", "deep"], ["AsleepCore", "Core", "core"], ["AsleepREM", "REM", "rem"], ["AsleepUnspecified", "Asleep, no stage", "unspecified"]];
const stage = (name) => SERIES.get("HKCategoryValueSleepAnalysis" + name);
const STAND = SERIES.get("HKCategoryTypeIdentifierAppleStandHour");
const WORKOUTS = SERIES.get("HKWorkoutTypeIdentifier");

/** Series that a section of their own shows; the others come under "More". */
const placed = new Set(["HKWorkoutTypeIdentifier", SLEEP]);

function cardsOf(range, list, isSmall) {
  const cards = list.filter((entry) => entry[0]).map(([series, options]) => seriesCard(range, series, options));
  return cards.length === 0 ? null : el("div", { class: isSmall ? "cards small" : "cards" }, cards);
}

function glance(range) {
  const asHours = (minutes) => [hours(minutes), ""];
  const tiles = [
    [quantity("StepCount"), { section: "activity", color: "blue" }],
    [quantity("ActiveEnergyBurned"), { section: "activity", color: "orange" }],
    [quantity("RestingHeartRate"), { section: "heart", color: "purple" }],
    [quantity("HeartRateVariabilitySDNN"), { section: "heart", color: "green" }],
    [SERIES.get(SLEEP), { section: "sleep", color: "core", title: "Asleep", per: "a night", parts: asHours }],
    [quantity("BodyMass"), { section: "body", color: "gold" }],
  ].filter((entry) => entry[0]).map(([series, options]) => tile(range, series, options)).filter(Boolean);
  return tiles.length === 0 ? null : el("section", { id: "glance", "aria-label": "At a glance" }, el("div", { class: "tiles" }, tiles));
}

// Activity

const ACTIVITY = [
  [quantity("StepCount"), { color: "blue" }], [quantity("ActiveEnergyBurned"), { color: "orange" }],
  [quantity("DistanceWalkingRunning"), { color: "blue" }], [quantity("AppleExerciseTime"), { color: "green" }],
  [STAND, { color: "purple" }], [quantity("FlightsClimbed"), { color: "gold" }],
  [quantity("DistanceCycling"), { color: "green" }], [quantity("DistanceSwimming"), { color: "blue" }],
  [quantity("BasalEnergyBurned"), { color: "grey" }], [quantity("PushCount"), { color: "blue" }],
];

function activity(range) {
  const cards = cardsOf(range, ACTIVITY);
  const rings = FACTS.rings ? ringsCard(range) : null;
  if (!cards && !rings) return null;
  const grid = cards || el("div", { class: "cards" });
  if (rings) grid.prepend(rings);
  return section("activity", "Activity", grid);
}

const RINGS = [["move", "Move", "orange"], ["exercise", "Exercise", "green"], ["stand", "Stand", "blue"]];

/** How often each ring was closed, and over time: the share of days in each period on which it was. */
function ringsCard(range) {
  const axis = axisOf(range, range.by === "day" ? "week" : range.by);
  const [from, to] = [lowerBound(FACTS.rings.d, range.first), lowerBound(FACTS.rings.d, range.last + 1)];
  const gauges = [];
  const layers = [];
  for (const [key, label, color] of RINGS) {
    const days = FACTS.rings[key].slice(from, to).filter((percent) => percent !== null);
    if (days.length === 0) continue;
    const closed = days.filter((percent) => percent >= 100).length;
    gauges.push(el("div", { class: "ring" }, [gauge(closed / days.length, color, label), el("div", {}, [el("strong", {}, label), el("small", {}, `closed on ${number(closed, 0)} of ${plural(days.length, "day")}`)])]));
    layers.push({ kind: "line", color, label, points: ringPoints(key, axis), isSecond: key === "stand" });
  }
  const host = el("div", { class: "chart" });
  const card = el("div", { class: "card wide" }, [el("div", { class: "card-head" }, [el("h3", {}, "Activity rings"), el("span", { class: "card-sub" }, `days with a closed ring, by ${axis.by}`)]), el("div", { class: "rings" }, gauges), host]);
  if (layers.length === 0) host.replaceWith(el("p", { class: "empty" }, "No rings in these days."));
  else chart(host, { title: "Days with a closed ring", axis, layers, unit: "%", digits: 0, format: (value) => number(value, 0) + " %", height: 150 });
  return card;
}

function ringPoints(key, axis) {
  const periods = new Map();
  for (let i = lowerBound(FACTS.rings.d, axis.start); i < FACTS.rings.d.length && FACTS.rings.d[i] < axis.end; i++) {
    const percent = FACTS.rings[key][i];
    if (percent === null) continue;
    const start = periodStart(FACTS.rings.d[i], axis.by);
    const period = periods.get(start) || { days: 0, closed: 0 };
    period.days++;
    if (percent >= 100) period.closed++;
    periods.set(start, period);
  }
  return [...periods].map(([start, period]) => ({ start, value: (100 * period.closed) / period.days }));
}

function gauge(share, color, label) {
  const length = 2 * Math.PI * 34;
  const arc = share > 0 ? svg("circle", { class: "arc " + color, cx: 42, cy: 42, r: 34, "stroke-width": 10, "stroke-dasharray": `${(share * length).toFixed(1)} ${length.toFixed(1)}`, transform: "rotate(-90 42 42)" }) : null;
  return svg("svg", { viewBox: "0 0 84 84", role: "img", "aria-label": `${label}: ${number(share * 100, 0)} % of days` }, [
    svg("circle", { class: "track", cx: 42, cy: 42, r: 34, "stroke-width": 10 }), arc,
    svg("text", { x: 42, y: 49, "text-anchor": "middle" }, number(share * 100, 0) + "%"),
  ]);
}

// Heart, sleep, body

const HEART = [
  [quantity("HeartRate"), { color: "orange" }],
  [quantity("RestingHeartRate"), { color: "purple" }],
  [quantity("HeartRateVariabilitySDNN"), { color: "green" }],
  [quantity("WalkingHeartRateAverage"), { color: "blue" }], [quantity("VO2Max"), { color: "blue" }],
  [quantity("HeartRateRecoveryOneMinute"), { color: "gold" }], [quantity("OxygenSaturation"), { color: "blue" }],
  [quantity("RespiratoryRate"), { color: "green" }], [quantity("AtrialFibrillationBurden"), { color: "orange" }],
];

function heart(range) {
  const cards = cardsOf(range, HEART);
  return cards ? section("heart", "Heart and breathing", cards) : null;
}

function sleep(range) {
  const asleep = SERIES.get(SLEEP);
  const inBed = stage("InBed");
  if (!asleep && !inBed) return null;
  const axis = axisOf(range, range.by);
  if (!asleep) return section("sleep", "Sleep", cardsOf(range, [[inBed, { color: "unspecified" }]]));
  const nights = new Map(pointsOf(asleep, axis).map((point) => [point.start, point.count]));
  // A stage's mean is over the nights that have it; on top of each other they must be over all nights.
  const spread = (series) => pointsOf(series, axis).filter((point) => nights.has(point.start))
    .map((point) => ({ start: point.start, value: (point.value * point.count) / nights.get(point.start) / 60 }));
  const layers = STAGES.concat([["Awake", "Awake", "awake"]]).filter(([name]) => stage(name))
    .map(([name, label, color]) => ({ kind: "bar", points: spread(stage(name)), color, label }));
  if (layers.every((layer) => layer.points.length === 0)) layers.push({ kind: "bar", points: spread(asleep), color: "core", label: "Asleep" });
  const mean = meanOf(asleep, range.first, range.last);
  const bed = inBed ? meanOf(inBed, range.first, range.last) : null;
  const card = stackCard(range, {
    title: axis.by === "day" ? "Sleep stages" : `Sleep stages, a night by ${axis.by}`, axis, layers, unit: "hours", format: (value) => hours(value * 60),
    mean: mean ? [hours(mean.value), el("small", {}, " asleep a night")] : "–",
    sub: [el("span", {}, changeText(changeOf(asleep, range, mean), range)), el("span", {}, (bed ? hours(bed.value) + " in bed · " : "") + (mean ? plural(mean.count, "night") : ""))],
  });
  return section("sleep", "Sleep", [
    el("div", { class: "cards" }, [card].concat(sleepExtras(range))),
    el("p", { class: "note" }, "A night belongs to the day of waking up. Its stages come from one source, the one that knows stages."),
  ]);
}

const SLEEP_EXTRAS = [[quantity("AppleSleepingWristTemperature"), { color: "orange" }], [quantity("AppleSleepingBreathingDisturbances"), { color: "purple" }]];
function sleepExtras(range) { return SLEEP_EXTRAS.filter((entry) => entry[0]).map(([series, options]) => seriesCard(range, series, options)); }

const BODY = [
  [quantity("BodyMass"), { color: "gold" }], [quantity("BodyFatPercentage"), { color: "orange" }],
  [quantity("BodyMassIndex"), { color: "green" }], [quantity("LeanBodyMass"), { color: "blue" }],
  [quantity("BloodPressureSystolic"), {
    color: "purple", title: "Blood pressure", beside: [quantity("BloodPressureDiastolic")].filter(Boolean), besideColors: ["blue"],
    labels: ["Systolic", "Diastolic"], band: false,
  }],
  [quantity("BloodGlucose"), { color: "orange" }], [quantity("BodyTemperature"), { color: "orange" }],
  [quantity("WaistCircumference"), { color: "green" }],
];

function body(range) {
  const cards = cardsOf(range, BODY);
  return cards ? section("body", "Weight and body", cards) : null;
}

// Workouts

function workouts(range) {
  if (!WORKOUTS && !FACTS.workouts) return null;
  const children = [];
  if (WORKOUTS) children.push(el("div", { class: "cards" }, workoutCard(range)));
  if (FACTS.workouts) children.push(workoutTable(range));
  return section("workouts", "Workouts", children);
}

const WORKOUT_COLORS = ["blue", "orange", "green", "purple", "gold"];
const ACTIVITIES = FACTS.series.filter((series) => series.id.startsWith("HKWorkoutActivityType"))
  .map((series) => ({ series, minutes: series.day.v.reduce((sum, value) => sum + value, 0) }))
  .sort((a, b) => b.minutes - a.minutes || (a.series.id < b.series.id ? -1 : 1)).map((entry) => entry.series);
for (const series of ACTIVITIES) placed.add(series.id);

function workoutCard(range) {
  const axis = axisOf(range, range.by === "day" && range.days > 45 ? "week" : range.by);
  const totals = (series) => pointsOf(series, axis).map((point) => ({ start: point.start, value: (point.value * point.count) / 60 }));
  const layers = ACTIVITIES.slice(0, 5).map((series, i) => ({ kind: "bar", points: totals(series), color: WORKOUT_COLORS[i], label: activityTitle(series.id) }));
  const rest = new Map();
  for (const point of ACTIVITIES.slice(5).flatMap(totals)) rest.set(point.start, (rest.get(point.start) || 0) + point.value);
  if (rest.size > 0) layers.push({ kind: "bar", points: [...rest].map(([start, value]) => ({ start, value })).sort((a, b) => a.start - b.start), color: "grey", label: "Others" });
  if (ACTIVITIES.length === 0) layers.push({ kind: "bar", points: totals(WORKOUTS), color: "blue", label: "Workouts" });
  const mean = meanOf(WORKOUTS, range.first, range.last);
  const minutes = mean ? mean.value * mean.count : 0;
  return stackCard(range, {
    title: `Hours of workouts by ${axis.by}`, axis, layers, unit: "hours", format: (value) => hours(value * 60), total: "Together",
    mean: mean ? [hours(minutes / (range.days / 7)), el("small", {}, " a week")] : "–",
    sub: [el("span", {}, ""), el("span", {}, mean ? `${hours(minutes)} on ${plural(mean.count, "day")}` : "")],
  });
}

const WORKOUT_ROWS = 25;

function workoutTable(range) {
  const list = FACTS.workouts;
  const indexes = list.day.map((_, i) => i).filter((i) => list.day[i] >= range.first && list.day[i] <= range.last);
  if (indexes.length === 0) return el("p", { class: "note" }, "No single workouts are stored for these days.");
  const columns = [["Start", "tight"], ["Activity", "name"], ["Duration", "number"], ["Distance", "number"], ["Energy", "number"], ["Source", "name"]];
  const rows = indexes.slice(0, WORKOUT_ROWS).map((i) => [
    momentText({ day: list.day[i], minute: list.minute[i] }), activityTitle(list.activity[i]), hours(list.seconds[i] / 60),
    list.meters[i] ? number(list.meters[i] / 1000, 2) + " km" : "–",
    list.kilocalories[i] ? number(list.kilocalories[i], 0) + " kcal" : "–", list.source[i],
  ]);
  const count = indexes.length > WORKOUT_ROWS ? `the latest ${WORKOUT_ROWS}` : plural(indexes.length, "workout");
  return el("details", { id: "workout-list" }, [
    el("summary", {}, ["Single workouts", el("small", {}, count)]), records(columns, rows),
    el("p", { class: "note" }, "A workout that two apps recorded stands here twice; the chart counts its time once."),
  ]);
}

// More

for (const [series, options] of [...ACTIVITY, ...HEART, ...SLEEP_EXTRAS, ...BODY]) {
  for (const one of [series].concat(options.beside || [])) if (one) placed.add(one.id);
}
for (const name of ["AsleepDeep", "AsleepCore", "AsleepREM", "AsleepUnspecified", "Awake", "InBed"]) placed.add("HKCategoryValueSleepAnalysis" + name);

const GROUPS = [
  ["mobility", "Mobility", "green", /^HKQuantityTypeIdentifier(Walking|Running|Stair|Six|AppleWalking|Cycling|Rowing|PhysicalEffort|.*EffortScore|NumberOfTimesFallen|Swimming|.*Speed|AppleMoveTime|AppleStandTime)/],
  ["surroundings", "Hearing and surroundings", "purple", /Audio|Sound|Daylight|UVExposure|Underwater|WaterTemperature/],
  ["nutrition", "Nutrition", "gold", /Dietary|Alcohol/],
  ["events", "Symptoms and events", "orange", /^HKCategoryType/],
  ["others", "Everything else", "blue", /./],
];

function more(range) {
  const rest = FACTS.series.filter((series) => !placed.has(series.id)).sort((a, b) => (a.title < b.title ? -1 : 1));
  if (rest.length === 0) return null;
  const taken = new Set();
  const groups = [];
  for (const [id, title, color, pattern] of GROUPS) {
    const members = rest.filter((series) => !taken.has(series.id) && pattern.test(series.id));
    for (const series of members) taken.add(series.id);
    if (members.length > 0) groups.push(moreGroup(range, id, title, color, members));
  }
  return section("more", "More", groups);
}

/** Cards are made when somebody looks: there may be a hundred of them. */
function moreGroup(range, id, title, color, members) {
  const fillIn = () => { if (!group.querySelector(".cards")) group.append(cardsOf(range, members.map((series) => [series, { color, height: 140 }]), true)); };
  const group = el("details", { id: "more-" + id, on: { toggle: () => { OPEN[group.open ? "add" : "delete"](group.id); if (group.open) fillIn(); } } }, el("summary", {}, [title, el("small", {}, plural(members.length, "metric"))]));
  return group;
}

/** Details that are open stay open when the range changes. */
const OPEN = new Set();
