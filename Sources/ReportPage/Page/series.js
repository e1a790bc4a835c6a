// The embedded figures, unpacked, and which of them a range shows.

const FACTS = JSON.parse(document.getElementById("data").textContent);

/** First days are stored as steps from one to the next. */
function unpackDays(steps) {
  let day = 0;
  return steps.map((step) => (day += step));
}

for (const series of FACTS.series) {
  for (const by of ["day", "week", "month"]) series[by].d = unpackDays(series[by].d);
  series.title = titleOf(series.name);
  series.display = displayOf(series);
}
if (FACTS.rings) FACTS.rings.d = unpackDays(FACTS.rings.d);

const SERIES = new Map(FACTS.series.map((series) => [series.id, series]));

function quantity(name) { return SERIES.get("HKQuantityTypeIdentifier" + name); }

/** First and last day with anything. */
const EXTENT = (() => {
  let [first, last] = [Infinity, -Infinity];
  for (const list of FACTS.series.map((series) => series.day.d).concat(FACTS.rings ? [FACTS.rings.d] : [])) {
    if (list.length === 0) continue;
    first = Math.min(first, list[0]);
    last = Math.max(last, list[list.length - 1]);
  }
  return first <= last ? { first, last } : { first: FACTS.today, last: FACTS.today };
})();

const RANGES = [
  { id: "30d", label: "30 days", days: 30, by: "day" },
  { id: "90d", label: "90 days", days: 90, by: "day" },
  { id: "1y", label: "1 year", days: 365, by: "week" },
  { id: "all", label: "All", days: null, by: "month" },
];

/** The days that a choice means. They end with the newest figure, which may be older than today. */
function rangeOf(id) {
  const choice = RANGES.find((range) => range.id === id) || RANGES[1];
  const last = EXTENT.last;
  const first = choice.days ? Math.max(EXTENT.first, last - choice.days + 1) : EXTENT.first;
  const days = last - first + 1;
  const by = choice.days ? choice.by : days > 730 ? "month" : days > 180 ? "week" : "day";
  return { id: choice.id, label: choice.label, isAll: !choice.days, days, by, first, last };
}

function periodStart(day, by) {
  if (by === "day") return day;
  if (by === "week") return day - ((day + 3) % 7);
  const { year, month } = civil(day);
  return dayNumber(year, month, 1);
}

/** First day after the period. */
function periodEnd(start, by) {
  if (by === "day") return start + 1;
  if (by === "week") return start + 7;
  const { year, month } = civil(start);
  return dayNumber(year, month + 1, 1);
}

/** Days from the first period's first to the last period's last. */
function axisOf(range, by) {
  const start = periodStart(range.first, by);
  return { start, end: periodEnd(periodStart(range.last, by), by), by };
}

function lowerBound(list, value) {
  let [low, high] = [0, list.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (list[middle] < value) low = middle + 1;
    else high = middle;
  }
  return low;
}

/** Points of a series whose period starts on the axis: `{start, value, low, high, count}`, scaled for display. */
function pointsOf(series, axis) {
  const all = series[axis.by];
  const scale = series.display.scale;
  const points = [];
  for (let i = lowerBound(all.d, axis.start); i < all.d.length && all.d[i] < axis.end; i++) {
    // The spread is kept of the last periods alone.
    const spread = all.lo ? i - (all.d.length - all.lo.length) : -1;
    points.push({
      start: all.d[i], value: all.v[i] * scale,
      low: spread < 0 ? null : all.lo[spread] * scale, high: spread < 0 ? null : all.hi[spread] * scale, count: all.n ? all.n[i] : 1,
    });
  }
  return points;
}

/** Mean of the days from `first` to `last` that have a figure; null: there is none. */
function meanOf(series, first, last) {
  const { d, v } = series.day;
  let [sum, count] = [0, 0];
  for (let i = lowerBound(d, first); i < d.length && d[i] <= last; i++) {
    sum += series.measure === "level" ? Math.pow(10, v[i] / 10) : v[i];
    count++;
  }
  if (count === 0) return null;
  const mean = series.measure === "level" ? 10 * Math.log10(sum / count) : sum / count;
  return { value: mean * series.display.scale, count };
}

/** Change against the stretch of the same length before; null where that has too few days to compare. */
function changeOf(series, range, mean) {
  if (range.isAll || !mean) return null;
  const before = meanOf(series, range.first - range.days, range.first - 1);
  if (!before || before.count < mean.count / 2 || before.value === 0) return null;
  return mean.value / before.value - 1;
}
