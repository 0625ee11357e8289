// Scores over time. The chart is the timeline: a click or a drag goes to that place in the game.

const chart = document.getElementById("chart");
const scoreOf = (state, seat) => (state.scores || state.points)[seat];
const EDGE = 8; // left and right, half of the slider's thumb
let scale = null;

function drawChart() {
  const width = chart.clientWidth, height = chart.clientHeight, last = Math.max(states.length - 1, 1);
  if (!width || !height) return;
  const most = Math.max(4, ...states.map((state) => Math.max(...seats.map((seat) => scoreOf(state, seat)))));
  const x = (frame) => EDGE + ((width - 2 * EDGE) * frame) / last;
  const y = (points) => height - 10 - ((height - 18) * points) / most;
  const svg = make("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img", "aria-label": chartInWords() });
  const final = states.findIndex((state) => state.final !== null);
  if (final >= 0) svg.append(make("rect", { class: "final", x: x(final), y: 0, width: width - EDGE - x(final), height: height - 8 }, make("title", {}, "final round")));
  const step = most > 40 ? 20 : most > 16 ? 10 : 5;
  for (let points = 0; points <= most; points += step) {
    svg.append(make("line", { class: "grid", x1: EDGE, x2: width - EDGE, y1: y(points), y2: y(points) }));
    if (points && height > 60) svg.append(make("text", { class: "grid-words", x: EDGE + 2, y: y(points) - 3 }, String(points)));
  }
  framesOf("trade").forEach((frame) => svg.append(make("line", { class: "trade", x1: x(frame), x2: x(frame), y1: height - 7, y2: height - 2 })));
  seats.forEach((seat) => svg.append(make("path", { class: `score seat-${seat}`, d: pathOf(seat, x, y) })));
  events.filter((event) => event.e === "city" || event.e === "monument").forEach((event) =>
    svg.append(make("circle", { class: `mark ${event.e} seat-${event.s}`, cx: x(event.f), cy: y(scoreOf(states[event.f], event.s)), r: event.e === "city" ? 3 : 4.5 })));
  const cursor = make("g", { class: "cursor" }, make("line", { y1: 0, y2: height }));
  const dots = seats.map((seat) => make("circle", { class: `seat-${seat}`, r: 4.5 }));
  cursor.append(...dots);
  svg.append(cursor);
  chart.replaceChildren(svg);
  scale = { x, y, last, width, cursor, dots };
}

function pathOf(seat, x, y) {
  let path = "", before = null;
  states.forEach((state, frame) => {
    const points = scoreOf(state, seat);
    if (points === before) return;
    path += before === null ? `M${x(frame).toFixed(1)} ${y(points).toFixed(1)}` : `H${x(frame).toFixed(1)}V${y(points).toFixed(1)}`;
    before = points;
  });
  return `${path}H${x(Math.max(states.length - 1, 1)).toFixed(1)}`;
}

function chartInWords() {
  const what = everything ? "Scores with the pairs in hand" : "Points of cities and monuments";
  const end = states.at(-1);
  return `${what} over the game; at its end ${seats.map((seat) => `${named(seat)} ${scoreOf(end, seat)}`).join(", ")}`;
}

function renderChart(frame, state) {
  if (!scale) return;
  const at = scale.x(frame).toFixed(1);
  const line = scale.cursor.querySelector("line");
  line.setAttribute("x1", at);
  line.setAttribute("x2", at);
  scale.dots.forEach((dot, seat) => {
    dot.setAttribute("cx", at);
    dot.setAttribute("cy", scale.y(scoreOf(state, seat)).toFixed(1));
  });
}

function frameAt(event) {
  const place = (event.clientX - chart.getBoundingClientRect().left - EDGE) / (scale.width - 2 * EDGE);
  return Math.round(Math.min(Math.max(place, 0), 1) * (states.length - 1));
}
