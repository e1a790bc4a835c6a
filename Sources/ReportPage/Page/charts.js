// Charts as plain SVG, drawn to the width they have. A chart is a list of layers over one axis of days:
//
//   {kind: "bar", points, color, label}     bars from zero; several are stacked in their order
//   {kind: "line", points, color, label}    with dots where there are few; `isSecond` draws it dashed
//   {kind: "band", points, color, label}    from the lowest to the highest sample

const FEW_POINTS = 45;

/** Round numbers that cover `low` to `high`: about `count` of them. */
function niceTicks(low, high, count) {
  const span = high - low || Math.abs(high) || 1;
  const rough = span / count;
  const power = Math.pow(10, Math.floor(Math.log10(rough)));
  const step = [1, 2, 2.5, 5, 10].map((factor) => factor * power).find((candidate) => candidate >= rough * 0.999);
  const ticks = [];
  for (let value = Math.floor(low / step + 1e-9); value <= Math.ceil(high / step - 1e-9); value++) ticks.push(value * step);
  return { ticks, digits: Math.max(0, -Math.floor(Math.log10(step) + 1e-9) + (step / power === 2.5 ? 1 : 0)) };
}

/** Where the axis of days has labels. */
function dayTicks(axis, width) {
  const span = axis.end - axis.start;
  const most = Math.max(2, Math.floor(width / 58));
  const ticks = [];
  if (span <= 120) {
    const step = 7 * Math.ceil(span / 7 / most);
    for (let day = axis.start + ((11 - ((axis.start + 7) % 7)) % 7); day < axis.end; day += step) {
      ticks.push({ day, label: civil(day).day + " " + MONTHS[civil(day).month] });
    }
    return ticks;
  }
  const months = span / 30.44;
  const step = [1, 2, 3, 6, 12, 24, 60, 120].find((candidate) => months / candidate <= most) || 120;
  const first = civil(axis.start);
  for (let index = Math.ceil((first.year * 12 + first.month) / step) * step; ; index += step) {
    const day = dayNumber(Math.floor(index / 12), index % 12, 1);
    if (day >= axis.end) return ticks;
    if (day >= axis.start) ticks.push({ day, label: index % 12 === 0 ? String(index / 12) : MONTHS[index % 12] });
  }
}

/** Least and greatest figure that has to be seen; zero belongs to bars. */
function valueRange(layers) {
  let [low, high] = [Infinity, -Infinity];
  const stacked = new Map();
  for (const layer of layers) {
    for (const point of layer.points) {
      if (layer.kind === "bar") {
        const top = (stacked.get(point.start) || 0) + point.value;
        stacked.set(point.start, top);
        [low, high] = [Math.min(low, 0), Math.max(high, top)];
      } else if (layer.kind === "band") {
        [low, high] = [Math.min(low, point.low), Math.max(high, point.high)];
      } else {
        [low, high] = [Math.min(low, point.value), Math.max(high, point.value)];
      }
    }
  }
  if (low > high) return { low: 0, high: 1 };
  if (low === high) return low === 0 ? { low: 0, high: 1 } : { low: Math.min(low, low * 0.98), high: Math.max(high, high * 1.02) };
  return { low, high };
}

/** Stretches of points without a hole: one that is longer than what is usual between two of them. */
function unbroken(points, by) {
  const gaps = points.slice(1).map((point, i) => point.start - points[i].start).sort((a, b) => a - b);
  const usual = gaps.length ? gaps[gaps.length >> 1] : 1;
  const longest = Math.max({ day: 4, week: 22, month: 95 }[by], usual * 4);
  const runs = [];
  points.forEach((point, i) => {
    if (i === 0 || point.start - points[i - 1].start > longest) runs.push([]);
    runs[runs.length - 1].push(point);
  });
  return runs;
}

/** A chart in `host`: `{title, axis, layers, unit, format, digits, height, maximum, note(start)}`. */
function chart(host, spec) {
  whenSized(host, (width) => host.replaceChildren(chartDrawing(spec, width)));
  return host;
}

function chartDrawing(spec, width) {
  const height = spec.height || 190;
  const range = valueRange(spec.layers);
  const { ticks, digits } = niceTicks(range.low, spec.maximum ? Math.min(range.high, spec.maximum) : range.high, height < 150 ? 3 : 4);
  const labels = ticks.map((tick) => number(tick, digits));
  const frame = { left: 10 + 6.6 * Math.max(...labels.map((label) => label.length)), right: width - 4, top: 20, bottom: height - 24 };
  const [low, high] = [ticks[0], ticks[ticks.length - 1]];
  const x = (day) => frame.left + ((day - spec.axis.start) / (spec.axis.end - spec.axis.start)) * (frame.right - frame.left);
  const y = (value) => frame.bottom - ((value - low) / (high - low || 1)) * (frame.bottom - frame.top);

  const root = svg("svg", { viewBox: `0 0 ${width} ${height}`, height, role: "img", tabindex: "0", "aria-label": spokenChart(spec) });
  if (spec.unit) root.append(svg("text", { x: 0, y: 10 }, spec.unit));
  ticks.forEach((tick, i) => {
    root.append(svg("line", { class: i === 0 ? "base" : "grid", x1: frame.left, x2: frame.right, y1: y(tick), y2: y(tick) }));
    root.append(svg("text", { x: frame.left - 6, y: y(tick) + 4, "text-anchor": "end" }, labels[i]));
  });
  for (const tick of dayTicks(spec.axis, frame.right - frame.left)) {
    const isAtEdge = x(tick.day) > frame.right - 22;
    root.append(svg("line", { class: "base", x1: x(tick.day), x2: x(tick.day), y1: frame.bottom, y2: frame.bottom + 4 }));
    root.append(svg("text", { x: isAtEdge ? frame.right : x(tick.day), y: height - 6, "text-anchor": isAtEdge ? "end" : "middle" }, tick.label));
  }
  const middle = (start) => x((start + periodEnd(start, spec.axis.by)) / 2);
  const base = new Map();
  for (const layer of spec.layers) drawLayer(root, layer, spec.axis, { x, y, middle, base });
  addCursor(root, spec, { ...frame, middle });
  return root;
}

function drawLayer(root, layer, axis, { x, y, middle, base }) {
  const group = svg("g", { class: layer.color });
  if (layer.kind === "bar") {
    for (const point of layer.points) {
      const from = base.get(point.start) || 0;
      base.set(point.start, from + point.value);
      const [left, right] = [x(point.start), x(periodEnd(point.start, axis.by))];
      const gap = right - left > 5 ? Math.min(4, (right - left) * 0.2) : (right - left) * 0.12;
      const top = y(from + point.value);
      const height = Math.max(0, y(from) - top);
      group.append(svg("rect", { class: "bar", x: (left + gap / 2).toFixed(2), y: top.toFixed(2), width: Math.max(0.5, right - left - gap).toFixed(2), height: height.toFixed(2), rx: Math.min(2, height / 2) }));
    }
  } else {
    for (const run of unbroken(layer.points, axis.by)) {
      const path = (value, points) => points.map((point, i) => `${i ? "L" : "M"}${middle(point.start).toFixed(1)} ${y(value(point)).toFixed(1)}`).join("");
      if (layer.kind === "band") {
        if (run.length === 1) {
          group.append(svg("rect", { class: "band", x: middle(run[0].start) - 2, width: 4, y: y(run[0].high), height: Math.max(1, y(run[0].low) - y(run[0].high)) }));
        } else {
          const back = path((point) => point.low, run.slice().reverse()).replace("M", "L");
          group.append(svg("path", { class: "band", d: path((point) => point.high, run) + back + "Z" }));
        }
        continue;
      }
      if (run.length > 1) group.append(svg("path", { class: layer.isSecond ? "line second" : "line", d: path((point) => point.value, run) }));
      if (layer.points.length <= FEW_POINTS || run.length === 1) {
        for (const point of run) group.append(svg("circle", { class: layer.isSecond ? "hollow" : "dot", cx: middle(point.start).toFixed(1), cy: y(point.value).toFixed(1), r: 3 }));
      }
    }
  }
  root.append(group);
}

/** The tip follows mouse, finger and arrow keys from period to period. */
function addCursor(root, spec, frame) {
  const starts = [...new Set(spec.layers.flatMap((layer) => layer.points.map((point) => point.start)))].sort((a, b) => a - b);
  if (starts.length === 0) return;
  const line = svg("line", { class: "cursor", y1: frame.top, y2: frame.bottom, visibility: "hidden" });
  root.append(line);
  let index = -1;
  const show = (next, clientY) => {
    index = Math.min(Math.max(next, 0), starts.length - 1);
    const at = frame.middle(starts[index]);
    const box = root.getBoundingClientRect();
    line.setAttribute("x1", at);
    line.setAttribute("x2", at);
    line.setAttribute("visibility", "visible");
    showTip(tipLines(spec, starts[index]), box.left + at, clientY === undefined ? box.top + 30 : clientY);
  };
  const hide = () => {
    index = -1;
    line.setAttribute("visibility", "hidden");
    hideTip();
  };
  const follow = (event) => {
    const position = event.clientX - root.getBoundingClientRect().left;
    let nearest = 0;
    starts.forEach((start, i) => {
      if (Math.abs(frame.middle(start) - position) < Math.abs(frame.middle(starts[nearest]) - position)) nearest = i;
    });
    show(nearest, event.clientY);
  };
  const keys = { ArrowLeft: () => index - 1, ArrowRight: () => index + 1, Home: () => 0, End: () => starts.length - 1 };
  root.addEventListener("pointermove", follow);
  root.addEventListener("pointerdown", follow);
  root.addEventListener("pointerleave", (event) => { if (event.pointerType === "mouse") hide(); });
  root.addEventListener("blur", hide);
  root.addEventListener("keydown", (event) => {
    if (event.key === "Escape") return hide();
    if (!keys[event.key]) return;
    event.preventDefault();
    show(index < 0 ? starts.length - 1 : keys[event.key]());
  });
}

function tipLines(spec, start) {
  const lines = [el("div", { class: "tip-head" }, periodText(start, spec.axis.by))];
  let total = 0;
  for (const layer of spec.layers.slice().reverse()) {
    const point = layer.points.find((candidate) => candidate.start === start);
    if (!point) continue;
    total += point.value;
    const value = layer.kind === "band" ? number(point.low, spec.digits) + "–" + withUnit(number(point.high, spec.digits), spec.unit) : spec.format(point.value);
    lines.push(tipLine(layer.color, layer.label, value));
  }
  if (spec.total) lines.push(tipLine(null, spec.total, spec.format(total)));
  return lines;
}

/** What the chart shows, for those who cannot see it. */
function spokenChart(spec) {
  const parts = spec.layers.filter((layer) => layer.kind !== "band" && layer.points.length > 0).map((layer) => {
    const sorted = layer.points.slice().sort((a, b) => a.value - b.value);
    const [least, most] = [sorted[0], sorted[sorted.length - 1]];
    const ends = sorted.length > 1 ? `from ${spec.format(least.value)} (${periodText(least.start, spec.axis.by)}) to ${spec.format(most.value)} (${periodText(most.start, spec.axis.by)})` : `${spec.format(least.value)} (${periodText(least.start, spec.axis.by)})`;
    return `${layer.label}: ${ends}`;
  });
  return `${spec.title}, by ${spec.axis.by}. ${parts.join(". ")}. Arrow keys read the single figures.`;
}
