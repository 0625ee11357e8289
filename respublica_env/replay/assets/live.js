// Playing in the page: a person's decisions go to the server that the page came from, which answers with what happened.

let live = data.live; // seat, at, asked, moves, over: what is to be decided now
const move = document.getElementById("move");
let tab = null, waiting = false;
app.classList.add("live");

// What happened is played, up to the person's next decision.
function receive(answer, run) {
  const shown = frame;
  extend(answer);
  cutTalk(answer.from);
  buildTalk();
  lines.forEach(({ item, from }) => { if (from > shown) item.hidden = true; });
  live = answer.live;
  JUMPS.forEach((one) => (one.frames = framesOf(one.kind)));
  scrub.max = states.length - 1;
  drawChart();
  go(Math.min(shown, states.length - 1));
  if (run && frame < states.length - 1) play();
}

async function ask(address, options) {
  waiting = true;
  renderMove();
  let problem = "";
  try {
    const response = await fetch(address, options);
    const answer = await response.json();
    if (answer.frames) receive(answer, true);
    problem = answer.problem || "";
  } catch {
    problem = "The server does not answer. Is it still running?";
  }
  waiting = false;
  renderMove(problem);
}

// Another tab may have played on.
async function refresh() {
  if (waiting) return;
  try {
    const answer = await (await fetch(`state?frames=${states.length}`)).json();
    if (!waiting && answer.live.at !== live.at) receive(answer, true);
  } catch { /* the next decision will say so */ }
}
const decide = (action) => ask("act", { method: "POST", headers: { "Content-Type": "application/json" },
  body: JSON.stringify({ action, at: live.at, frames: states.length }) });

function option(one, words, ...inside) {
  const made = make("button", { type: "button", "data-action": one.id, "aria-label": words, title: words, disabled: waiting }, ...inside);
  made.addEventListener("click", () => decide(one.id));
  return made;
}

// Terms as a grid: a row for each kind, a button for each count.
function terms(moves) {
  const kinds = [...new Set(moves.map((one) => one.kind))];
  return make("div", { class: "terms" }, ...kinds.map((kind) => make("div", { class: "kind" }, sign(kind), make("span", {}, data.kinds[kind]),
    make("span", { class: "counts" }, ...moves.filter((one) => one.kind === kind).map((one) => option(one, one.words, String(one.count)))))));
}

const LEADS = { offer: "I would give", seek: "I would like", and: "and", or: "or" };
const ANNOUNCED = { offer: "I offer", seek: "I seek" };
const lead = (type) => (states.at(-1).phase === "ANNOUNCE" && ANNOUNCED[type]) || LEADS[type];

function choices() {
  const spoken = Object.keys(LEADS).filter((type) => live.moves.some((one) => one.type === type));
  if (!spoken.includes(tab)) tab = spoken[0] || null;
  const others = live.moves.filter((one) => !(one.type in LEADS));
  const parts = [make("div", { class: "others" }, ...others.map((one) => {
    const drawn = one.type === "give" || one.type === "convert" ? sign(one.kind) : one.type === "accept" ? disc(one.seat) : null;
    return option(one, one.words, drawn, make("span", {}, one.words));
  }))];
  if (spoken.length > 1) {
    parts.push(make("div", { class: "tabs", role: "group", "aria-label": "What to say" }, ...spoken.map((type) => {
      const made = make("button", { type: "button", "data-tab": type, "aria-pressed": String(type === tab) }, lead(type));
      made.addEventListener("click", () => { tab = type; renderMove(); });
      return made;
    })));
  } else if (spoken.length) parts.push(make("p", { class: "lead" }, lead(spoken[0])));
  if (tab) parts.push(terms(live.moves.filter((one) => one.type === tab)));
  return parts;
}

function renderMove(problem = "") {
  const last = frame === states.length - 1;
  move.hidden = false;
  const title = !last ? (live.over ? "The end is to come" : "Your decision is to come") : live.over ? "The game is over" : "Your decision";
  const parts = [make("h2", {}, title)];
  if (problem) parts.push(make("p", { class: "problem", role: "alert" }, problem));
  if (last && live.over) parts.push(make("p", {}, "Step through it with the buttons below."));
  else if (!last) {
    const skip = make("button", { type: "button", class: "skip" }, live.over ? "To the end" : "To your decision");
    skip.addEventListener("click", () => { pause(); go(states.length - 1); });
    parts.push(skip);
  } else parts.push(make("p", {}, live.asked), ...choices());
  move.replaceChildren(...parts);
  move.setAttribute("aria-busy", String(waiting));
}

new MutationObserver(() => renderMove()).observe(app, { attributes: true, attributeFilter: ["data-frame"] });
addEventListener("focus", refresh);
if (!location.hash) go(states.length - 1);
renderMove();
