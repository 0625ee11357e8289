// The table: supply, and a row for each seat with all that it has and says.

const PHASES = ["ANNOUNCE", "EXTEND", "RESPOND", "ACCEPT", "HAND_OVER", "CONVERT", "DRAW", "FINAL_CONVERT"];
const SPEAKING = ["ANNOUNCE", "EXTEND", "RESPOND"];
const spoken = (phase) => phase.replace("_", " ").toLowerCase();
const places = { seats: [], decks: [], monuments: null, cities: null }; // elements that cards fly from and to
document.documentElement.style.setProperty("--types", data.types.length);
document.documentElement.style.setProperty("--players", n);
if (data.types.length > 10) document.getElementById("app").classList.add("many-types");

function slot(k, kind = "slot") {
  const count = make("span", { class: "count" });
  const pile = make("span", { class: "pile" }, card(k));
  const place = make("span", { class: "place" }, drawing(`place-${isPopulation(k) ? 0 : 1}`, "card"), make("i", {}, "?"));
  const gives = make("span", { class: "gives" });
  const box = make("span", { class: `${kind} ${isPopulation(k) ? "population" : "technology"}`, title: data.types[k] }, place, pile, count, gives);
  return { box, pile, count, gives, shown: null };
}

function buildSeat(seat) {
  const part = { slots: data.types.map((_, k) => slot(k)) };
  part.name = make("h2", {}, make("bdi", {}, named(seat)));
  part.agent = make("p", { class: "agent" }, make("bdi", {}, data.agents[seat] || ""));
  part.points = make("b");
  part.detail = make("small");
  part.backs = [0, 1].map((b) => make("b"));
  part.hidden = make("p", { class: "backs" }, back(0, "mini"), part.backs[0], back(1, "mini"), part.backs[1]);
  part.chips = make("p", { class: "chips" });
  part.bubble = make("p", { class: "bubble" });
  part.hand = make("div", { class: "hand", role: "img" }, ...part.slots.map((one) => one.box));
  part.built = make("div", { class: "built", role: "img" });
  part.row = make("section", { class: `seat seat-${seat}`, "data-seat": seat, "aria-label": named(seat) },
    make("div", { class: "who" },
      make("div", { class: "person" }, disc(seat), make("div", { class: "names" }, part.name, data.agents[seat] ? part.agent : null)),
      make("p", { class: "points" }, part.points, part.detail), part.hidden, part.chips, part.bubble),
    part.hand, part.built);
  document.getElementById("seats").append(part.row);
  return part;
}

function buildFelt() {
  const felt = document.getElementById("felt");
  places.next = [];
  for (const b of [0, 1]) {
    const one = { count: make("span", { class: "count" }), words: make("small", {}, ["population", "technology"][b]) };
    one.pile = make("span", { class: "pile" }, back(b));
    one.box = make("span", { class: `slot ${b ? "technology" : "population"}` },
      make("span", { class: "place" }, drawing(`place-${b}`, "card")), one.pile, one.count);
    places.decks.push(one);
    felt.append(make("div", { class: "deck" }, one.box, one.words));
    if (!everything) continue;
    const next = make("span", { class: "slot next" });
    places.next.push(next);
    felt.append(make("div", { class: "deck next" }, next, make("small", {}, "next")));
  }
  places.cities = make("div", { class: "tiles" });
  places.monuments = make("div", { class: "tiles" });
  places.cityWords = make("small");
  places.monumentWords = make("small");
  felt.append(make("div", { class: "supply" }, places.cities, places.cityWords));
  felt.append(make("div", { class: "supply monuments" }, places.monuments, places.monumentWords));
}

function buildHeads() {
  places.heads = data.types.map((name, k) => {
    const out = make("b"), left = make("b");
    const head = make("span", { class: isPopulation(k) ? "population" : "technology", title: name }, sign(k), out, left);
    return { head, out, left };
  });
  document.getElementById("heads").append(
    make("p", { class: "labels" }, make("span", {}, "out of the game"), everything ? make("span", {}, "in the decks") : null),
    make("div", { class: "hand" }, ...places.heads.map((one) => one.head)), make("p", { class: "labels end" }, "built"));
}

const tile = (name, points, times) =>
  make("span", { class: "tile" }, icon(name), make("b", {}, String(points)), times > 1 ? make("i", {}, `×${times}`) : null);

function renderSlot(one, count, { whole, giving }) {
  const shown = `${count} ${whole} ${giving}`;
  if (one.shown === shown) return;
  one.shown = shown;
  one.box.dataset.n = Math.min(count, 4);
  one.box.classList.toggle("sure", !whole && count > 0);
  one.box.classList.toggle("unknown", !whole && count === 0);
  one.box.classList.toggle("giving", giving > 0);
  one.count.textContent = whole ? (count > 1 ? count : "") : count ? `${count}+` : "";
  one.gives.textContent = giving ? `gives ${giving}` : "";
}

function renderWords(bubble, said, first, aboutTo) {
  bubble.replaceChildren();
  bubble.hidden = said === null && !aboutTo;
  if (said === "pass") bubble.append("passes");
  else if (said !== null) {
    bubble.append(make("span", { class: "verb" }, VERBS[said.form][Number(first)]));
    said.terms.forEach((term, i) => {
      if (i) bubble.append(make("span", { class: "verb" }, said.link));
      bubble.append(make("span", { class: "term" }, sign(term[1]), make("b", {}, termInWords(term))));
    });
  }
  if (aboutTo) bubble.append(make("span", { class: "dots" }, "…"));
}

function renderSeat(seat, state) {
  const part = places.seats[seat], hand = state[`hand${seat}`], chosen = state[`chosen${seat}`];
  const whole = everything || data.viewer === seat;
  const winners = state.phase === "OVER" && state.scores ? seats.filter((s) => state.scores[s] === Math.max(...state.scores)) : [];
  hand.forEach((count, k) => renderSlot(part.slots[k], count, { whole, giving: chosen ? chosen[k] : 0 }));
  const known = whole ? cardsInWords(hand) : hand.some(Boolean) ? `surely ${cardsInWords(hand)}` : "nothing is known";
  const backs = state[`backs${seat}`];
  part.hand.setAttribute("aria-label", `Hand of ${named(seat)}, ${counted(backs[0] + backs[1], "card")}: ${known}`);
  backs.forEach((count, b) => (part.backs[b].textContent = count));
  const [cities, ...monuments] = state[`built${seat}`];
  part.built.replaceChildren(...(cities ? [tile("city", data.cityPoints, cities)] : []), ...monuments.map((points) => tile("temple", points, 1)));
  part.built.setAttribute("aria-label", `${counted(cities, "city", "cities")}, ${counted(monuments.length, "monument")}`);
  const score = state.scores ? state.scores[seat] : state.points[seat], pairs = score - state.points[seat];
  part.points.textContent = score;
  part.detail.textContent = pairs ? `${state.points[seat]} built, ${pairs} in pairs` : score === 1 ? "point" : "points";
  const chips = [];
  if (state.active === seat) chips.push(["active", "active"]);
  if (state.partner === seat) chips.push(["trades", "trades"]);
  if (state.player === seat) chips.push(["decides", "to decide"]);
  if (winners.includes(seat)) chips.push(["winner", winners.length > 1 ? "shares the win" : "winner"]);
  if (data.viewer === seat) chips.push(["looks", "viewer"]);
  part.chips.replaceChildren(...chips.map(([kind, words]) => make("span", { class: `chip ${kind}` }, words)));
  const speaks = state.player === seat && SPEAKING.includes(state.phase);
  renderWords(part.bubble, state[`said${seat}`], state.active === seat, speaks);
  part.row.classList.toggle("is-active", state.active === seat);
  part.row.classList.toggle("to-decide", state.player === seat || winners.includes(seat));
  part.row.classList.toggle("in-trade", state.partner !== null && (state.partner === seat || state.active === seat));
  Object.assign(part.row.dataset, { hand: hand.join(","), points: state.points[seat], score, built: state[`built${seat}`].join(",") });
}

function renderFelt(state) {
  state.decks.forEach((count, b) => {
    const one = places.decks[b], next = state.next && state.next[b];
    one.box.dataset.n = Math.min(count, 4);
    one.count.textContent = count;
    if (!everything) return;
    places.next[b].replaceChildren(next === null ? drawing(`place-${b}`, "card") : card(next));
    places.next[b].title = next === null ? "" : data.types[next];
  });
  places.cities.replaceChildren(...(state.cities ? [tile("city", data.cityPoints, state.cities)] : []));
  places.cityWords.textContent = `${state.cities} of ${counted(data.numCities, "city", "cities")}`;
  places.monuments.replaceChildren(...state.pile.map((points) => tile("temple", points, 1)));
  places.monumentWords.textContent = `${state.pile.length} of ${counted(data.numMonuments, "monument")}`;
  places.heads.forEach((one, k) => {
    one.out.textContent = state.spent[k];
    one.left.textContent = state.left ? state.left[k] : "";
    one.head.setAttribute("aria-label", `${data.types[k]}: ${state.spent[k]} out of the game${state.left ? `, ${state.left[k]} in the decks` : ""}`);
  });
}

function renderTitle(state) {
  const title = document.getElementById("title");
  const over = state.phase === "OVER";
  const last = events.at(-1);
  title.textContent = over && last && last.e === "over" ? sentence(last)
    : state.phase === "FINAL_CONVERT" ? `After ${counted(state.turn, "turn")}: ${named(state.active)} builds`
    : `Turn ${state.turn + 1}: ${named(state.active)} is active`;
  document.querySelectorAll("#phases li").forEach((item, i) => {
    item.classList.toggle("now", PHASES[i] === state.phase);
    item.setAttribute("aria-current", PHASES[i] === state.phase ? "step" : "false");
  });
  if (state.final !== null && !over) title.append(make("span", { class: "chip final" }, `final round, ${counted(state.final, "turn")} left`));
  if (state.stalled) title.append(make("span", { class: "chip final" }, "stalled"));
}

function renderTable(state) {
  renderTitle(state);
  renderFelt(state);
  seats.forEach((seat) => renderSeat(seat, state));
}

buildFelt();
buildHeads();
places.seats = seats.map(buildSeat);
document.getElementById("phases").append(...PHASES.map((phase) => make("li", {}, spoken(phase))));
document.getElementById("viewer").textContent = everything ? "all hands shown"
  : data.spectator ? "seen by a spectator" : `seen by ${named(data.viewer)}`;
