// Where the data comes from: sources over time, and what imports did.

const KINDS = { watch: ["Watch", "blue"], phone: ["Phone", "orange"], other: ["App or device", "green"] };

function coverage() {
  if (!FACTS.sources || FACTS.sources.length === 0) return null;
  const dated = FACTS.sources.filter((source) => source.first !== null && source.first !== undefined);
  const first = Math.min(...dated.map((source) => source.first));
  const last = Math.max(...dated.map((source) => source.last));
  const rows = FACTS.sources.map((source) => {
    const [kind, color] = KINDS[source.kind] || KINDS.other;
    const isDated = source.first !== null && source.first !== undefined;
    return [
      source.name === "" ? "(without a name)" : source.name, kind, number(source.samples, 0),
      isDated ? dayText(source.first) : "–", isDated ? dayText(source.last) : "–", isDated ? spanBar(source, color, first, last) : null,
    ];
  });
  const columns = [["Source", "name"], ["Kind", "tight"], ["Samples", "number"], ["First", "tight"], ["Last", "tight"], [dated.length ? daysText(first, last) : "", "span"]];
  return section("sources", "Sources", [
    el("div", { class: "card" }, records(columns, rows)),
    el("p", { class: "note" }, "Samples are those of the newest export that has the source. Where sources overlap, daily figures count each stretch of time once."),
  ]);
}

/** From the first sample to the last, among all sources. */
function spanBar(source, color, first, last) {
  const span = Math.max(1, last - first);
  const left = ((source.first - first) / span) * 300;
  const width = Math.max(3, ((source.last - source.first) / span) * 300);
  return svg("svg", { viewBox: "0 0 300 20", preserveAspectRatio: "none", role: "img", "aria-label": `from ${dayText(source.first)} to ${dayText(source.last)}` }, [
    svg("line", { class: "grid", x1: 0, x2: 300, y1: 10, y2: 10 }),
    svg("rect", { class: "bar " + color, x: Math.min(left, 300 - width).toFixed(1), y: 5, width: width.toFixed(1), height: 10 }),
  ]);
}

const SEVERITIES = [["repaired", "Repaired on the way in"], ["kept", "Kept, though unusual"], ["notLoaded", "Not loaded"], ["rejected", "Rejected"], ["salvaged", "Left out by --salvage"]];

function severityCount(one, severity) { return one.problems.filter((problem) => problem.severity === severity).reduce((sum, problem) => sum + problem.count, 0); }

function imports() {
  if (!FACTS.imports || FACTS.imports.length === 0) return null;
  const figure = (value) => (value === null || value === undefined ? "–" : number(value, 0));
  const rows = FACTS.imports.map((one) => [
    one.name, momentText(one.finishedAt), one.exportDate ? dayText(one.exportDate.day) : "–", figure(one.read), figure(one.written),
    number(severityCount(one, "repaired"), 0), number(severityCount(one, "rejected"), 0) + (one.isSalvaged ? " *" : ""),
  ]);
  const columns = [["File", "name"], ["Imported", "tight wide"], ["Exported", "tight wide"], ["Samples read", "number"], ["Written", "number"], ["Repaired", "number"], ["Rejected", "number"]];
  const children = [el("div", { class: "card" }, records(columns, rows))];
  if (FACTS.imports.some((one) => one.isSalvaged)) children.push(el("p", { class: "note" }, "* A torn file: what was whole of it is loaded."));
  const newest = FACTS.imports[0];
  children.push(newest.problems.length === 0 ? el("p", { class: "note" }, "The newest import had nothing to repair and nothing to reject.") : problemCard(newest));
  return section("imports", "Imports", children);
}

function problemCard(one) {
  const groups = SEVERITIES.map(([severity, heading]) => {
    const problems = one.problems.filter((problem) => problem.severity === severity);
    if (problems.length === 0) return null;
    return el("div", { class: "card" }, [el("h3", {}, heading), el("ul", { class: "problems" }, problems.map((problem) => el("li", {}, [el("b", {}, number(problem.count, 0)), el("span", {}, problem.words)])))]);
  }).filter(Boolean);
  return el("div", {}, [el("p", { class: "note" }, `What the newest import noticed in ${one.name}:`), el("div", { class: "cards" }, groups)]);
}

function lead(range) {
  const raw = FACTS.series.reduce((sum, series) => Math.max(sum, series.rawDays), 0);
  const parts = [el("strong", {}, daysText(range.first, range.last)), `, by ${range.by}. Days of ${FACTS.zone}.`];
  if (range.last < FACTS.today) parts.push(` The newest figure is ${plural(FACTS.today - range.last, "day")} older than this report.`);
  if (raw > 0) parts.push(` Up to ${plural(raw, "day")} of a metric ${raw === 1 ? "is" : "are"} summed up from raw rows, all others are stored summaries.`);
  return el("p", { class: "lead" }, parts);
}

function foot(missing) {
  const lines = [];
  if (missing.length > 0) lines.push(`Left out, because the database holds none of it: ${missing.join(", ")}.`);
  lines.push(`Written ${momentText(FACTS.writtenAt)} (${FACTS.zone}) by hk2pg ${FACTS.version} for user ${FACTS.user}.` + (FACTS.newestExport ? ` Newest export: ${momentText(FACTS.newestExport)}.` : ""));
  lines.push("This file holds health data and asks the network for nothing. Its charts are its own SVG; no library is in it.");
  lines.push("Weeks begin on Monday. Figures of weeks and months are means of their days with a figure (or of all samples, where a metric is a mean), hours of workouts are sums.");
  return el("footer", {}, lines.map((line) => el("p", {}, line)));
}
