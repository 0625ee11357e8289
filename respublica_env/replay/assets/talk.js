// What was said and done, as a conversation; and what an agent thinks of the decision to come.

const talk = document.getElementById("talk");
const lines = []; // { item, from }: an entry, and the frame from which it shows

function piles(counts) {
  const shown = make("span", { class: "cards" });
  counts.forEach((count, k) => {
    if (count) shown.append(make("span", { class: "few", title: `${count} ${data.types[k]}` }, sign(k), count > 1 ? make("b", {}, `×${count}`) : null));
  });
  return shown;
}

function hiddenPiles(backs) {
  const shown = make("span", { class: "cards" });
  backs.forEach((count, b) => {
    if (count) shown.append(make("span", { class: "few" }, back(b, "mini"), count > 1 ? make("b", {}, `×${count}`) : null));
  });
  return shown;
}

const given = (from, to, counts) =>
  make("span", { class: "given" }, disc(from), make("span", { class: "arrow", "aria-hidden": "true" }, "→"), disc(to), piles(counts));

const speaker = (event) => make("span", { class: "speaker" }, disc(event.s), named(event.s));
const term = (values) => make("span", { class: "term" }, sign(values[1]), make("b", {}, termInWords(values)));

function entry(event) {
  const item = make("li", { class: event.e, "data-f": event.f });
  if (event.s !== undefined) item.classList.add(`seat-${event.s}`);
  switch (event.e) {
    case "turn":
      item.append(make("span", {}, `Turn ${event.n}`), disc(event.s), make("b", {}, named(event.s)));
      break;
    case "say":
      item.classList.add(event.first ? "first" : "answer");
      item.append(disc(event.s), make("p", { class: "bubble" }, make("span", { class: "verb" }, VERBS[event.form][Number(event.first)]), term(event.term)));
      item.setAttribute("aria-label", sentence(event));
      break;
    case "pass":
      item.append(disc(event.s), event.first ? "does not trade" : "passes");
      item.classList.add(event.first ? "first" : "answer");
      break;
    case "trade":
      item.append(make("b", { class: "what" }, "Cards change hands"));
      if (event.cards) item.append(given(event.s, event.to, event.cards[0]), given(event.to, event.s, event.cards[1]));
      else item.append(make("span", { class: "given" }, disc(event.s), "⇄", disc(event.to), "unseen"));
      item.setAttribute("aria-label", sentence(event));
      break;
    case "city":
    case "monument":
      item.append(disc(event.s), icon(event.e === "city" ? "city" : "temple"),
        make("span", {}, `builds a ${event.e} of ${data.types[event.k]}`), make("b", {}, `+${event.points}`));
      break;
    case "draw":
      item.append(disc(event.s), event.backs[0] + event.backs[1] ? "draws" : "draws nothing",
        event.cards ? piles(event.cards) : hiddenPiles(event.backs));
      item.setAttribute("aria-label", sentence(event));
      break;
    case "accept":
      item.append(disc(event.s), "takes the answer of", disc(event.to));
      item.setAttribute("aria-label", sentence(event));
      break;
    case "decline":
      item.append(disc(event.s), "takes no answer");
      break;
    default:
      item.append(sentence(event));
  }
  return item;
}

let told = 0; // events that have an entry
function buildTalk() {
  for (; told < events.length; told++) {
    const event = events[told];
    if (event.e === "more") {
      const bubble = lines.at(-1).item.querySelector(".bubble");
      const more = make("span", { class: "more" }, make("span", { class: "verb" }, event.link), term(event.term));
      bubble.append(more);
      lines.push({ item: more, from: event.f });
      continue;
    }
    const item = entry(event);
    talk.append(item);
    lines.push({ item, from: event.f });
  }
}

// Take back the entries from a frame on: they come again.
function cutTalk(from) {
  while (lines.length && lines.at(-1).from >= from) lines.pop().item.remove();
  heard = Math.min(heard, lines.length);
  told = events.findIndex((event) => event.f >= from);
  if (told < 0) told = events.length;
}

let heard = 0; // entries that show
function renderTalk(frame) {
  const before = heard;
  while (heard < lines.length && lines[heard].from <= frame) lines[heard++].item.hidden = false;
  while (heard > 0 && lines[heard - 1].from > frame) lines[--heard].item.hidden = true;
  talk.scrollTop = talk.scrollHeight;
  if (before === heard && before) return;
  talk.querySelectorAll(".just").forEach((item) => item.classList.remove("just"));
  for (let i = heard - 1; i >= 0 && lines[i].from === frame; i--) lines[i].item.classList.add("just");
}

function hideAll() {
  lines.forEach(({ item }) => (item.hidden = true));
  heard = 0;
}

// What happened last: a card chosen to be handed over is told only when the cards change hands.
function caption(frame) {
  const last = events.findLast((event) => event.f <= frame);
  const now = last ? events.filter((event) => event.f === last.f) : [];
  const main = now.filter((event) => event.e !== "turn");
  return (main.length ? main : now).map(sentence).join(". ") || "";
}

function renderAdvice(frame) {
  const panel = document.getElementById("advice");
  if (!data.adviser) return;
  panel.hidden = false;
  panel.replaceChildren(make("h2", {}, "What ", make("bdi", {}, data.adviser), " would do"));
  const decisions = data.advice[frame] || [];
  if (!decisions.length) panel.append(make("p", { class: "none" }, "No decision of its kind here."));
  decisions.forEach((decision) => {
    const number = decision.value === null ? null : make("b", {}, decision.value.toFixed(2));
    const value = number && make("span", { class: "value" }, ...(data.valueUnit ? [number, ` ${data.valueUnit}`] : ["value ", number]));
    panel.append(make("p", { class: "place" }, disc(decision.seat), make("span", {}, spoken(decision.phase)), value));
    const list = make("ol", {});
    decision.likely.forEach(([action, chance]) => {
      const taken = action === decision.taken;
      const bar = make("span", { class: "bar" });
      bar.style.setProperty("--chance", chance);
      list.append(make("li", { class: taken ? "taken" : "" }, bar, make("span", { class: "words" }, data.words[action]),
        taken ? make("span", { class: "chip decides" }, "taken") : null, make("b", {}, `${(100 * chance).toFixed(chance < 0.1 ? 1 : 0)} %`)));
    });
    panel.append(list);
  });
}

buildTalk();
hideAll();
