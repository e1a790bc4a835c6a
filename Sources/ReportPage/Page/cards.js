// A card: one chart with its name, its mean over the range, and how that compares with the stretch before.

function changeText(change, range) {
  if (change === null) return "";
  const percent = Math.abs(change * 100);
  const size = percent < 0.5 ? "as" : number(percent, percent < 9.5 ? 1 : 0) + " % " + (change > 0 ? "more than" : "less than");
  const arrow = percent < 0.5 ? "= " : change > 0 ? "▲ " : "▼ ";
  return arrow + size + " in the " + range.label.replace("1 year", "year") + " before";
}

function cardFrame(title, mean, sub, extra) {
  const host = el("div", { class: "chart" });
  const card = el("div", { class: "card" }, [
    el("div", { class: "card-head" }, [el("h3", {}, title), el("div", { class: "card-mean" }, mean)]),
    el("div", { class: "card-sub" }, sub),
    extra || null,
    host,
  ]);
  return { card, host };
}

function legend(layers) {
  return el("div", { class: "legend" }, layers.map((layer) => el("span", { class: "key" }, [el("span", { class: "swatch " + layer.color }), layer.label])));
}

/** Figures as the card of a series shows them. */
function formatOf(series) {
  const { unit, digits } = series.display;
  return (value) => withUnit(number(value, digits), unit);
}

function meanWords(series) { return series.measure === "total" ? "a day" : "mean"; }

/** One series, or the first of several with others beside it on the same scale. */
function seriesCard(range, series, options) {
  const axis = axisOf(range, range.by);
  const mean = meanOf(series, range.first, range.last);
  const format = formatOf(series);
  const isTotal = series.measure === "total";
  const layers = [];
  for (const [i, one] of [series].concat(options.beside || []).entries()) {
    const color = i === 0 ? options.color : options.besideColors[i - 1];
    const points = pointsOf(one, axis);
    const banded = options.band === false ? [] : points.filter((point) => point.low !== null);
    if (banded.some((point) => point.high > point.low)) layers.push({ kind: "band", points: banded, color, label: "Lowest to highest" });
    layers.push({ kind: isTotal ? "bar" : "line", points, color, label: (options.labels && options.labels[i]) || (i === 0 ? (isTotal && axis.by !== "day" ? "A day" : isTotal ? one.title : "Mean") : one.title), isSecond: i > 0 });
  }
  const shown = layers.filter((layer) => layer.points.length > 0);
  const few = mean ? (range.days > mean.count ? "figures on " + plural(mean.count, "day") : "") : "";
  const means = mean ? [format(mean.value), el("small", {}, " " + meanWords(series))] : "–";
  const { card, host } = cardFrame(options.title || series.title, means, [el("span", {}, changeText(changeOf(series, range, mean), range)), el("span", {}, few)], shown.length > 1 ? legend(shown) : null);
  if (shown.length === 0) {
    const last = series.day.d[series.day.d.length - 1];
    host.replaceWith(el("p", { class: "empty" }, `Nothing in these days. The latest figure is of ${dayText(last)}.`));
    return card;
  }
  chart(host, { title: options.title || series.title, axis, layers: shown, unit: series.display.unit, digits: series.display.digits, format, height: options.height });
  return card;
}

/** Parts on top of each other: stages of a night, activities of a week. */
function stackCard(range, options) {
  const { title, mean, sub, layers, axis, format, unit, total } = options;
  const shown = layers.filter((layer) => layer.points.length > 0);
  const { card, host } = cardFrame(title, mean, sub, legend(shown));
  card.classList.add("wide");
  if (shown.length === 0) host.replaceWith(el("p", { class: "empty" }, "Nothing in these days."));
  else chart(host, { title, axis, layers: shown, unit, digits: 1, format, total, height: 240 });
  return card;
}

/** A figure at a glance, leading to its section. */
function tile(range, series, options) {
  const mean = meanOf(series, range.first, range.last);
  if (!mean) return null;
  const parts = options.parts ? options.parts(mean.value) : [number(mean.value, series.display.digits), series.display.unit === "steps" ? "" : series.display.unit];
  return el("a", { class: "tile " + options.color, href: "#" + options.section, "data-section": options.section }, [
    el("div", { class: "tile-name" }, options.title || series.title),
    el("div", { class: "figure" }, [parts[0], el("small", {}, " " + [parts[1], series.measure === "total" ? options.per || "a day" : ""].filter(Boolean).join(" "))]),
    el("div", { class: "change" }, changeText(changeOf(series, range, mean), range)),
  ]);
}
