// Cards that change hands fly; nothing moves for those who ask for less motion.

const still = matchMedia("(prefers-reduced-motion: reduce)");
const sky = make("div", { class: "sky", "aria-hidden": "true" });
document.body.append(sky);
const middleOf = (element) => {
  const box = element.getBoundingClientRect();
  return { x: box.left + box.width / 2, y: box.top + box.height / 2, width: box.width };
};

function fly(drawn, from, to, order, duration) {
  const start = middleOf(from), end = middleOf(to), size = Math.max(34, Math.min(64, Math.max(start.width, end.width)));
  if (!start.width || !end.width) return;
  const flyer = make("div", { class: "flyer" }, drawn);
  flyer.style.width = `${size}px`;
  sky.append(flyer);
  const half = size / 2, tall = (size * 94) / 140;
  const at = ({ x, y }, lift = 0, turn = 0, grow = 1) => `translate(${x - half}px, ${y - tall - lift}px) rotate(${turn}deg) scale(${grow})`;
  const between = { x: (start.x + end.x) / 2, y: (start.y + end.y) / 2 };
  const flight = flyer.animate(
    [
      { transform: at(start), opacity: 0.2 },
      { opacity: 1, offset: 0.15 },
      { transform: at(between, 26, order % 2 ? 5 : -5, 1.12), offset: 0.5 },
      { opacity: 1, offset: 0.85 },
      { transform: at(end), opacity: 0 },
    ],
    { duration, delay: order * 70, easing: "cubic-bezier(.45,.05,.3,1)", fill: "both" },
  );
  flight.onfinish = flight.oncancel = () => flyer.remove();
}

function flyCards(counts, from, to, first, duration) {
  let order = first;
  counts.forEach((count, k) => {
    for (let i = 0; i < Math.min(count, 3); i++) fly(card(k), from(k), to(k), order++, duration);
  });
  return order;
}

const slotOf = (seat) => (k) => places.seats[seat].slots[k].box;
const backsOf = (seat) => () => places.seats[seat].hidden;

// Let the events of a frame, which the table shows already, be seen to happen.
function animate(frame, speed) {
  sky.replaceChildren();
  if (still.matches || document.hidden) return;
  const duration = 620 / speed;
  for (const event of events.filter((one) => one.f === frame)) {
    if (event.e === "trade") {
      const hidden = event.cards === null, ends = [event.s, event.to];
      [0, 1].forEach((i) => {
        const from = ends[i], to = ends[1 - i];
        if (hidden) fly(back(0), backsOf(from)(), backsOf(to)(), i, duration);
        else flyCards(event.cards[i], slotOf(from), slotOf(to), i, duration);
      });
    } else if (event.e === "draw") {
      const deck = (k) => places.decks[isPopulation(k) ? 0 : 1].box;
      if (event.cards) flyCards(event.cards, deck, slotOf(event.s), 0, duration);
      else event.backs.forEach((count, b) => count && fly(back(b), places.decks[b].box, backsOf(event.s)(), b, duration));
    } else if (event.e === "city" || event.e === "monument") {
      const built = places.seats[event.s].built;
      for (let i = 0; i < 3; i++) fly(card(event.k), slotOf(event.s)(event.k), built, i, duration);
      const last = event.e === "city" ? built.firstElementChild : built.lastElementChild;
      last.animate([{ transform: "scale(.4)", opacity: 0 }, { transform: "scale(1.25)", opacity: 1, offset: 0.7 }, { transform: "scale(1)" }],
        { duration, delay: duration * 0.5, fill: "backwards" });
    } else if (event.e === "say" || event.e === "pass" || event.e === "more") {
      places.seats[event.s].bubble.animate([{ transform: "translateY(4px) scale(.96)", opacity: 0.2 }, { transform: "none", opacity: 1 }], { duration: 220 / speed, easing: "ease-out" });
    }
  }
}
