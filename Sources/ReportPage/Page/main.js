// Range and theme, kept in the address: report.html#range=1y&theme=dark

const THEMES = [["auto", "◐", "as the system"], ["light", "☀", "light"], ["dark", "☾", "dark"]];

const state = { range: "90d", theme: "auto" };

function readAddress() {
  const parts = new URLSearchParams(location.hash.slice(1));
  if (RANGES.some((range) => range.id === parts.get("range"))) state.range = parts.get("range");
  if (THEMES.some(([id]) => id === parts.get("theme"))) state.theme = parts.get("theme");
}

function writeAddress() { history.replaceState(null, "", "#" + new URLSearchParams(state)); }

const systemIsDark = matchMedia("(prefers-color-scheme: dark)");

function applyTheme() {
  const isDark = state.theme === "dark" || (state.theme === "auto" && systemIsDark.matches);
  document.documentElement.dataset.theme = isDark ? "dark" : "light";
  const [, sign, words] = THEMES.find(([id]) => id === state.theme);
  const button = document.getElementById("theme");
  button.textContent = sign;
  button.setAttribute("aria-label", "Colours: " + words);
  button.title = "Colours: " + words;
}

function rangeButtons() {
  const host = document.getElementById("ranges");
  const choose = (id) => {
    state.range = id;
    writeAddress();
    render();
    host.querySelector("[aria-checked=true]").focus();
  };
  host.replaceChildren(...RANGES.map((range, i) => el("button", {
    type: "button", role: "radio", "data-range": range.id, "aria-checked": String(range.id === state.range), tabindex: range.id === state.range ? "0" : "-1",
    on: {
      click: () => choose(range.id),
      keydown: (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (step) choose(RANGES[(i + step + RANGES.length) % RANGES.length].id);
      },
    },
  }, range.label)));
}

const SECTIONS = [["activity", activity], ["heart", heart], ["sleep", sleep], ["workouts", workouts], ["weight and body", body], ["other metrics", more], ["sources", coverage], ["imports", imports]];

function render() {
  const range = rangeOf(state.range);
  const place = window.scrollY;
  const isOpen = (id) => OPEN.has(id);
  hideTip();
  rangeButtons();
  const missing = [];
  const parts = [lead(range), glance(range)];
  for (const [name, make] of SECTIONS) {
    const made = make(range);
    if (made) parts.push(made);
    else missing.push(name);
  }
  const page = document.getElementById("page");
  page.replaceChildren(...parts.filter(Boolean), foot(missing));
  page.dataset.range = range.id;
  for (const details of page.querySelectorAll("details")) {
    if (isOpen(details.id)) details.open = true;
    details.addEventListener("toggle", () => OPEN[details.open ? "add" : "delete"](details.id));
  }
  // A tile leads to its section without losing range and theme from the address.
  for (const link of page.querySelectorAll("[data-section]")) {
    link.addEventListener("click", (event) => {
      event.preventDefault();
      document.getElementById(link.dataset.section).scrollIntoView();
    });
  }
  window.scrollTo(0, place);
}

document.getElementById("theme").addEventListener("click", () => {
  const index = THEMES.findIndex(([id]) => id === state.theme);
  state.theme = THEMES[(index + 1) % THEMES.length][0];
  writeAddress();
  applyTheme();
});
systemIsDark.addEventListener("change", applyTheme);
window.addEventListener("hashchange", () => { readAddress(); applyTheme(); render(); });
window.addEventListener("scroll", hideTip, { passive: true });

readAddress();
applyTheme();
render();
