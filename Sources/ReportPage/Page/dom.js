// Elements. Text goes in as text nodes alone: nothing that the database holds is ever read as HTML.

const SVG = "http://www.w3.org/2000/svg";

function fill(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name === "on") for (const [event, handler] of Object.entries(value)) node.addEventListener(event, handler);
    else node.setAttribute(name, value === true ? "" : value);
  }
  for (const child of [].concat(children === undefined ? [] : children)) {
    if (child !== null && child !== undefined) node.append(child);
  }
  return node;
}

function el(name, attributes, children) { return fill(document.createElement(name), attributes, children); }
function svg(name, attributes, children) { return fill(document.createElementNS(SVG, name), attributes, children); }

/**
 * A table; on a phone each row becomes a block with its first cell as heading. Columns are `[title, kind]`, with `number`,
 * `tight`, `name` or `span` as kind; `name`, `wide` and `span` take the whole width of a block.
 */
function records(columns, rows) {
  const head = columns.map(([title, kind]) => el("th", { scope: "col", class: kind }, title));
  const body = rows.map((cells) => el("tr", {}, cells.map((cell, i) => el("td", { class: columns[i][1], "data-label": columns[i][0] }, cell))));
  return el("div", { class: "scroll" }, el("table", {}, [el("thead", {}, el("tr", {}, head)), el("tbody", {}, body)]));
}

/** Calls `draw(width)` now and whenever the node gets another width. */
function whenSized(node, draw) {
  let last = 0;
  new ResizeObserver(() => {
    const width = Math.floor(node.clientWidth);
    if (width > 0 && width !== last) {
      last = width;
      draw(width);
    }
  }).observe(node);
}

// The tip: one for the page, beside the pointer, never outside of the window.

function showTip(lines, x, y) {
  const tip = document.getElementById("tip");
  tip.replaceChildren(...lines);
  tip.hidden = false;
  const box = tip.getBoundingClientRect();
  const left = Math.min(Math.max(8, x - box.width / 2), window.innerWidth - box.width - 8);
  const above = y - box.height - 14;
  tip.style.left = left + "px";
  tip.style.top = (above < 8 ? y + 18 : above) + "px";
}

function hideTip() { document.getElementById("tip").hidden = true; }

function tipLine(swatch, label, value) {
  return el("div", { class: "tip-line" }, [
    swatch ? el("span", { class: "swatch " + swatch }) : null,
    el("span", { class: "tip-label" }, label),
    el("span", { class: "tip-value" }, value),
  ]);
}
