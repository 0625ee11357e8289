// Stepping, playing, jumping: buttons, keys, the slider, and the place in the address.

const app = document.getElementById("app");
const scrub = document.getElementById("scrub");
const PAUSE = 1100, PAUSE_AT = { trade: 2200, city: 2000, monument: 2200, turn: 900, pass: 700, over: 4000 }; // ms, by event
const SPEEDS = [0.5, 1, 2, 4];
let frame = -1, speed = 1, timer = 0, noting = 0;

function go(to, moving = false) {
  const next = Math.min(Math.max(Math.round(to) || 0, 0), states.length - 1), before = frame;
  frame = next;
  const state = states[frame];
  renderTable(state);
  renderAdvice(frame); // it decides how much room is left for the talk
  renderTalk(frame);
  renderChart(frame, state);
  document.getElementById("caption").textContent = caption(frame) || "The cards are dealt";
  scrub.value = frame;
  scrub.style.setProperty("--done", `${(100 * frame) / Math.max(states.length - 1, 1)}%`);
  scrub.setAttribute("aria-valuetext", `${frame} of ${states.length - 1}: ${document.getElementById("title").textContent}`);
  Object.assign(app.dataset, { frame, frames: states.length, phase: state.phase, turn: state.turn });
  if (state.k !== undefined) app.dataset.decision = state.k;
  if (moving && frame === before + 1) animate(frame, speed);
  else sky.replaceChildren();
  renderJumps();
  clearTimeout(noting);
  noting = setTimeout(noteAddress, 250); // browsers refuse many changes in a short time
  if (timer && frame === states.length - 1) pause();
}

function noteAddress() {
  clearTimeout(noting);
  history.replaceState(null, "", frame ? `#${frame}` : location.pathname + location.search);
}

function play() {
  if (frame === states.length - 1) go(0);
  timer = 1;
  buttons.play.setAttribute("aria-pressed", "true");
  buttons.play.setAttribute("aria-label", "Pause");
  schedule();
}

function schedule() {
  const here = events.filter((event) => event.f === frame).map((event) => PAUSE_AT[event.e] || PAUSE);
  timer = setTimeout(() => {
    go(frame + 1, true);
    if (timer) schedule();
  }, Math.max(PAUSE * 0.8, ...here) / speed);
}

function pause() {
  clearTimeout(timer);
  timer = 0;
  buttons.play.setAttribute("aria-pressed", "false");
  buttons.play.setAttribute("aria-label", "Play");
}

const stopAnd = (act) => () => { pause(); act(); };
const forward = stopAnd(() => go(frame + 1, true));
const backward = stopAnd(() => go(frame - 1));

// -- jumps from one trade, city, monument or turn to the next

const JUMPS = [
  { key: "t", kind: "trade", words: "trade", many: "trades", draw: () => sign(data.kinds.length > data.types.length ? data.types.length + 2 : 0) },
  { key: "c", kind: "city", words: "city", many: "cities", draw: () => icon("city") },
  { key: "m", kind: "monument", words: "monument", many: "monuments", draw: () => icon("temple") },
  { key: "n", kind: "turn", words: "turn", many: "turns", draw: () => make("span", { class: "turn-sign", "aria-hidden": "true" }, "↻") },
];

function jump(kind, direction) {
  const frames = framesOf(kind);
  const next = direction > 0 ? frames.find((one) => one > frame) : frames.filter((one) => one < frame).at(-1);
  pause();
  if (next === undefined) return;
  const near = direction > 0 && next > 0;
  if (near) go(next - 1);
  go(next, near);
}

const PATHS = {
  first: "M7 6v12M18 6l-8 6 8 6z", previous: "M16 6l-8 6 8 6z", play: "M8 5l11 7-11 7z", pause: "M8 5v14M16 5v14",
  next: "M8 6l8 6-8 6z", last: "M17 6v12M6 6l8 6-8 6z",
};
const glyph = (name) => make("svg", { viewBox: "0 0 24 24", class: `glyph shows-${name}`, "aria-hidden": "true" }, make("path", { d: PATHS[name] }));
const buttons = {};

function button(name, label, act, ...inside) {
  const made = make("button", { type: "button", class: name, "aria-label": label, title: label }, ...inside);
  made.addEventListener("click", act);
  buttons[name] = made;
  return made;
}

function buildControls() {
  const steps = make("div", { class: "steps", role: "group", "aria-label": "Steps" },
    button("first", "To the deal (Home)", stopAnd(() => go(0)), glyph("first")),
    button("previous", "Back (←)", backward, glyph("previous")),
    button("play", "Play", () => (timer ? pause() : play()), glyph("play"), glyph("pause")),
    button("next", "Forward (→)", forward, glyph("next")),
    button("last", "To the end (End)", stopAnd(() => go(states.length - 1)), glyph("last")));
  const jumps = make("div", { class: "jumps", role: "group", "aria-label": "Jumps" }, ...JUMPS.map((one) => {
    one.count = make("b");
    one.frames = framesOf(one.kind);
    return make("div", { class: `jump ${one.kind}` },
      button(`before-${one.kind}`, `Previous ${one.words} (${one.key.toUpperCase()})`, () => jump(one.kind, -1), "‹"),
      make("span", { class: "what" }, one.draw(), make("span", { class: "words" }, one.many), one.count),
      button(`next-${one.kind}`, `Next ${one.words} (${one.key})`, () => jump(one.kind, 1), "›"));
  }));
  const pick = make("select", { id: "speed", "aria-label": "Speed" }, ...SPEEDS.map((one) => make("option", { value: one, selected: one === 1 }, `${one}×`)));
  pick.addEventListener("change", () => (speed = Number(pick.value)));
  document.getElementById("controls").append(steps, jumps, make("label", { class: "speed" }, "speed ", pick));
}

function renderJumps() {
  for (const one of JUMPS) {
    const frames = one.frames, passed = frames.filter((at) => at <= frame).length;
    one.count.textContent = `${passed}/${frames.length}`;
    buttons[`next-${one.kind}`].disabled = passed === frames.length;
    buttons[`before-${one.kind}`].disabled = !frames.some((at) => at < frame);
  }
  buttons.previous.disabled = buttons.first.disabled = frame === 0;
  buttons.next.disabled = buttons.last.disabled = frame === states.length - 1;
}

// -- keys

const KEYS = { ArrowRight: forward, ArrowLeft: backward, Home: stopAnd(() => go(0)), End: stopAnd(() => go(states.length - 1)),
  " ": () => (timer ? pause() : play()), d: switchTheme, "?": () => document.getElementById("keys").showModal() };
const HELP = [["→ ←", "one step"], ["Space", "play or pause"], ["Home End", "the deal, the end"], ["T C M N", "next trade, city, monument, turn"],
  ["Shift + T C M N", "the one before"], ["D", "dark or light"], ["?", "these keys"]];

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.target.closest("dialog, select, textarea, input:not([type=range])")) return;
  if (event.key === " " && event.target.closest("button")) return;
  const one = JUMPS.find(({ key }) => key === event.key.toLowerCase());
  const act = one ? () => jump(one.kind, event.shiftKey ? -1 : 1) : KEYS[event.key.length === 1 ? event.key.toLowerCase() : event.key];
  if (!act) return;
  event.preventDefault();
  act();
});

// -- dark and light

function switchTheme() {
  const root = document.documentElement;
  const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
  root.dataset.theme = dark ? "light" : "dark";
  try { localStorage.setItem("respublica-theme", root.dataset.theme); } catch { /* a page from a file may have no storage */ }
}
try { if (["dark", "light"].includes(localStorage.getItem("respublica-theme"))) document.documentElement.dataset.theme = localStorage.getItem("respublica-theme"); } catch { /* as above */ }

document.getElementById("theme").append(make("svg", { viewBox: "0 0 24 24", class: "glyph", "aria-hidden": "true" },
  make("path", { d: "M12 3a9 9 0 1 0 0 18z" }), make("circle", { cx: 12, cy: 12, r: 8.5, fill: "none" })));
document.getElementById("theme").addEventListener("click", switchTheme);
document.getElementById("help").addEventListener("click", () => document.getElementById("keys").showModal());
document.getElementById("keys-list").append(...HELP.flatMap(([keys, words]) => [make("dt", {}, keys), make("dd", {}, words)]));

// -- slider and chart

scrub.addEventListener("input", () => { pause(); go(Number(scrub.value)); });
chart.addEventListener("pointerdown", (event) => { chart.setPointerCapture(event.pointerId); pause(); go(frameAt(event)); });
chart.addEventListener("pointermove", (event) => { if (chart.hasPointerCapture(event.pointerId)) go(frameAt(event)); });
addEventListener("pagehide", noteAddress);
addEventListener("hashchange", () => { pause(); go(Number(location.hash.slice(1))); });

buildControls();
scrub.max = states.length - 1;
new ResizeObserver(() => { drawChart(); renderChart(frame, states[frame]); }).observe(chart);
drawChart();
go(Number(location.hash.slice(1)));
app.classList.add("ready");
