// The game as data: states by frame, events in order, and the words for both.

const data = JSON.parse(document.getElementById("data").textContent);
const n = data.players.length;
const everything = data.viewer === null;
const states = []; // by frame: what the table shows
const events = []; // in order; an event shows from its frame `f` on

// Frames hold only what is new in them; the last one of before may come again.
function extend(chunk) {
  states.length = chunk.from;
  while (events.length && events.at(-1).f >= chunk.from) events.pop();
  for (const frame of chunk.frames) states.push(Object.assign({}, states[states.length - 1], frame));
  events.push(...chunk.events);
}
extend(data);

const seats = [...Array(n).keys()];
const named = (seat) => data.players[seat];
const isPopulation = (k) => k < data.population;
const counted = (count, one, many) => `${count} ${count === 1 ? one : many || one + "s"}`;
const joined = (words) => (words.length < 2 ? words.join("") : `${words.slice(0, -1).join(", ")} and ${words.at(-1)}`);
const framesOf = (...kinds) => events.filter((event) => kinds.includes(event.e)).map((event) => event.f);

// An element: attributes, then children, of which strings become text and never markup.
function make(tag, attributes = {}, ...children) {
  const svg = ["svg", "use", "g", "path", "circle", "line", "rect", "text", "polyline", "title"].includes(tag);
  const element = svg ? document.createElementNS("http://www.w3.org/2000/svg", tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (value === true) element.setAttribute(name, "");
    else if (value !== false && value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.filter((child) => child !== null && child !== undefined));
  return element;
}

const drawing = (name, kind, box = "0 0 70 94") =>
  make("svg", { class: kind, viewBox: box, "aria-hidden": "true", focusable: "false" }, make("use", { href: `#${name}` }));
const card = (k, kind = "card") => drawing(`card-${k}`, kind);
const back = (b, kind = "card") => drawing(`back-${b}`, kind);
const sign = (kind) => drawing(`kind-${kind}`, "sign", "0 0 32 32");
const icon = (name) => drawing(name, "icon", "0 0 32 32");

// A seat's disc: its number on its colour.
const disc = (seat) => make("span", { class: `disc seat-${seat}`, "aria-hidden": "true" }, String(seat));

function cardsInWords(counts) {
  return counts.map((count, k) => (count ? `${count} ${data.types[k]}` : "")).filter(Boolean).join(", ") || "nothing";
}

// What a seat says, in words.
const VERBS = { offer: ["would give", "offers"], seek: ["would like", "seeks"] };
const termInWords = ([count, kind]) => `${count} ${data.kinds[kind]}`;

function saidInWords(said, first) {
  if (said === "pass") return "passes";
  return `${VERBS[said.form][Number(first)]} ${said.terms.map(termInWords).join(` ${said.link} `)}`;
}

// An event in a sentence.
function sentence(event) {
  const who = event.s === undefined ? "" : named(event.s);
  switch (event.e) {
    case "turn": return `Turn ${event.n}: ${who}`;
    case "say": return `${who} ${VERBS[event.form][Number(event.first)]} ${termInWords(event.term)}`;
    case "more": return `${who} adds: ${event.link} ${termInWords(event.term)}`;
    case "pass": return event.first ? `${who} does not trade` : `${who} passes`;
    case "accept": return `${who} takes the answer of ${named(event.to)}`;
    case "decline": return `${who} takes no answer`;
    case "trade": {
      if (!event.cards) return `${who} and ${named(event.to)} exchange their cards`;
      const [given, got] = event.cards.map(cardsInWords);
      return `${who} gives ${given} to ${named(event.to)} and gets ${got}`;
    }
    case "city": return `${who} turns ${data.setSize} ${data.types[event.k]} into a city for ${counted(event.points, "point")}`;
    case "monument": return `${who} turns ${data.setSize} ${data.types[event.k]} into a monument for ${counted(event.points, "point")}`;
    case "draw": {
      const [population, technology] = event.backs;
      if (population + technology === 0) return `${who} draws nothing`;
      if (event.cards) return `${who} draws ${cardsInWords(event.cards)}`;
      const parts = [population ? `${population} population` : "", technology ? `${technology} technology` : ""];
      return `${who} draws ${joined(parts.filter(Boolean))}`;
    }
    case "final": return "The technology deck is empty: everybody has one more turn";
    case "stall": return `After ${event.n} turns without a final round, the game stalls`;
    case "build": return "Everybody may build once more";
    case "over": {
      const most = counted(Math.max(...event.scores), "point");
      return `The game is over: ${joined(event.winners.map(named))} ${event.winners.length > 1 ? "share the win" : "won"} with ${most}`;
    }
    case "left": return "The game was left here";
    case "broken": return "The record breaks off here";
  }
  return "";
}
