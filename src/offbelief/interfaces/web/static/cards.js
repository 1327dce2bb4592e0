// Cards, hands, fireworks and discards: pictures of a view, nothing more.

import { h } from "./dom.js";
import { COLOURS, cardWords, colourOf, isYou, pageSlot, rankOf, seatName } from "./words.js";

// The grid of what a card may be: a row for each colour, a column for each rank. Impossible cells are gone.
function pips(table, possible) {
  const allowed = new Set(possible);
  const rows = [];
  for (let colour = 0; colour < table.colours; colour++) {
    for (let rank = 0; rank < table.ranks; rank++) {
      const kind = colour * table.ranks + rank;
      rows.push(h("i", { class: allowed.has(kind) ? `pip c${colour}` : "pip gone" }, allowed.has(kind) ? `${rank + 1}` : ""));
    }
  }
  return h("span", { class: "pips", style: { "--ranks": table.ranks }, "aria-hidden": "true" }, rows);
}

function possibleWords(table, possible) {
  if (possible.length === 1) return `surely ${cardWords(table, possible[0])}`;
  const colours = [...new Set(possible.map((kind) => COLOURS[colourOf(table, kind)].name))];
  const ranks = [...new Set(possible.map((kind) => rankOf(table, kind) + 1))].sort();
  const colour = colours.length === table.colours ? "any colour" : colours.join(" or ");
  const rank = ranks.length === table.ranks ? "any rank" : ranks.join(" or ");
  return `${colour}, ${rank}`;
}

// What hints and counting say for certain: "R?" , "?3", "R3" or "".
function known(table, card) {
  const colours = new Set(card.possible.map((kind) => colourOf(table, kind)));
  const ranks = new Set(card.possible.map((kind) => rankOf(table, kind)));
  return { colour: colours.size === 1 ? [...colours][0] : null, rank: ranks.size === 1 ? [...ranks][0] : null };
}

export function drawCard(table, view, card, { slot, seat, selected, touched, arrow, onclick, key }) {
  const sure = known(table, card);
  const told = card.colour_told || card.rank_told;
  const open = card.kind !== null;
  const colour = open ? colourOf(table, card.kind) : sure.colour;
  const rank = open ? rankOf(table, card.kind) : sure.rank;
  const marks = open
    ? [
        view.critical.includes(card.kind) && "critical: last copy",
        view.useless.includes(card.kind) && "no longer useful",
        view.playable.includes(card.kind) && "playable now",
      ].filter(Boolean)
    : [];
  const words = [
    `card ${slot}`,
    open ? cardWords(table, card.kind) : "face down",
    ...marks,
    `${isYou(table, seat) ? "you" : "they"} know: ${possibleWords(table, card.possible)}`,
    told ? "hinted" : "not hinted",
  ].join("; ");
  return h(
    onclick ? "button" : "div",
    {
      type: onclick ? "button" : undefined,
      role: onclick ? undefined : "img",
      "data-key": key,
      "data-order": card.order,
      "data-kind": card.kind,
      class: [
        "card",
        open ? "face" : "back",
        colour !== null && `c${colour}`,
        told && "told",
        selected && "selected",
        touched && "touched",
        open && view.critical.includes(card.kind) && "critical",
        open && view.useless.includes(card.kind) && "useless",
      ],
      "aria-label": words,
      "aria-pressed": onclick ? String(Boolean(selected)) : undefined,
      title: words,
      onclick,
    },
    h("span", { class: "lane" }, arrow ? h("span", { class: ["arrow", arrow.colour] }, arrow.text) : ""),
    h(
      "span",
      { class: "body" },
      h(
        "span",
        { class: "head" },
        h("b", { class: "rank" }, rank === null ? "?" : `${rank + 1}`),
        h("span", { class: "letter" }, colour === null ? "?" : COLOURS[colour].letter),
        open && view.critical.includes(card.kind) ? h("span", { class: "bang", "aria-hidden": "true" }, "!") : "",
      ),
      pips(table, card.possible),
    ),
    h("span", { class: "slot", "aria-hidden": "true" }, `${slot}`),
  );
}

export function drawHand(table, view, seat, { selection, preview, onCard, note }) {
  const hand = view.hands[seat];
  const last = view.last;
  const cards = hand.map((card, index) => {
    const slot = pageSlot(hand.length, index);
    const hinted = last && last.target === seat && last.touched.includes(card.order);
    const arrow = hinted
      ? last.type === "colour"
        ? { text: COLOURS[last.value].letter, colour: `c${last.value}` }
        : { text: `${last.value + 1}`, colour: "rank" }
      : null;
    return drawCard(table, view, card, {
      slot,
      seat,
      arrow,
      selected: selection === card.order,
      touched: preview?.(card) ?? false,
      onclick: onCard ? () => onCard(card, index) : undefined,
      key: `card-${card.order}`,
    });
  });
  const acting = !view.over && !table.given_up && view.seat === seat;
  return h(
    "section",
    { class: ["hand", isYou(table, seat) && "own", acting && "acting"], "aria-label": `Hand: ${seatName(table, seat)}` },
    h(
      "h3",
      { class: "nameplate" },
      acting ? h("span", { class: "turn-mark", "aria-hidden": "true" }, "▶") : "",
      seatName(table, seat),
      note ? h("small", {}, note) : "",
    ),
    h(
      "div",
      { class: "row" },
      h("span", { class: "side" }, "newest"),
      h("div", { class: "cards", style: { "--cards": Math.max(hand.length, 1) } }, cards.reverse()),
      h("span", { class: "side" }, "oldest"),
    ),
  );
}

export function drawFireworks(table, view) {
  const last = view.last;
  return h(
    "section",
    { class: "fireworks", "aria-label": "Fireworks" },
    view.fireworks.map((height, colour) => {
      const next = colour * table.ranks + height;
      const stuck = height < table.ranks && view.useless.includes(next);
      const fresh = last?.type === "play" && last.scored && colourOf(table, last.kind) === colour;
      return h(
        "div",
        {
          class: ["stack", `c${colour}`, height === 0 && "empty", fresh && "fresh", height === table.ranks && "full"],
          role: "img",
          "aria-label": `${COLOURS[colour].name}: ${height} of ${table.ranks}${stuck ? ", cannot grow further" : ""}`,
        },
        h("b", {}, height === 0 ? "–" : `${height}`),
        h("span", { class: "letter" }, COLOURS[colour].letter),
        h(
          "span",
          { class: "steps", "aria-hidden": "true" },
          Array.from({ length: table.ranks }, (_, step) => h("i", { class: step < height ? "on" : stuck ? "lost" : "" })),
        ),
      );
    }),
  );
}

// The discard pile by colour and rank: how many are gone, how many there were, and what must not be lost.
export function drawDiscards(table, view) {
  const last = view.last;
  const freshKind = last && (last.type === "discard" || (last.type === "play" && !last.scored)) ? last.kind : null;
  const total = view.discards.reduce((sum, count) => sum + count, 0);
  const rows = [];
  for (let colour = 0; colour < table.colours; colour++) {
    const cells = [];
    for (let rank = 0; rank < table.ranks; rank++) {
      const kind = colour * table.ranks + rank;
      const gone = view.discards[kind];
      const copies = table.copies[rank];
      const critical = view.critical.includes(kind);
      const played = rank < view.fireworks[colour];
      const lost = gone >= copies && !played;
      const dots = "●".repeat(gone) + "○".repeat(copies - gone);
      cells.push(
        h(
          "td",
          {
            class: [
              `c${colour}`,
              gone > 0 && "some",
              critical && "critical",
              played && "played",
              lost && "lost",
              kind === freshKind && "fresh",
            ],
            title:
              `${cardWords(table, kind)}: ${gone} of ${copies} discarded` +
              (critical ? "; critical, the last copy" : played ? "; already played" : lost ? "; lost" : ""),
          },
          h("b", {}, `${rank + 1}`),
          h("span", { class: "dots" }, dots),
          critical ? h("span", { class: "bang" }, "!") : "",
          h("span", { class: "unseen" }, `${gone} of ${copies} discarded${critical ? ", critical" : ""}`),
        ),
      );
    }
    rows.push(
      h("tr", {}, h("th", { scope: "row", class: `c${colour}`, title: COLOURS[colour].name }, COLOURS[colour].letter), cells),
    );
  }
  return h(
    "section",
    { class: "panel discards" },
    h("h3", {}, "Discards ", h("small", {}, `${total} card${total === 1 ? "" : "s"}`)),
    h("table", {}, h("tbody", {}, rows)),
    h("p", { class: "legend" }, h("span", { class: "bang" }, "!"), " last copy of a card still needed"),
  );
}

export function drawTokens(table, view) {
  const strikes = table.max_lives - view.lives;
  const dots = (full, all, on, off) => on.repeat(full) + off.repeat(all - full);
  return h(
    "dl",
    { class: "tokens" },
    h("div", {}, h("dt", {}, "Score"), h("dd", { id: "score" }, h("b", {}, `${view.score}`), ` / ${table.max_score}`)),
    h("div", {}, h("dt", {}, "Best possible"), h("dd", {}, h("b", { class: view.best < table.max_score ? "dim" : "" }, `${view.best}`))),
    h(
      "div",
      {},
      h("dt", {}, "Hints"),
      h(
        "dd",
        { "aria-label": `${view.hints} of ${table.max_hints}` },
        h("b", {}, `${view.hints}`),
        h("span", { class: "beads hints", "aria-hidden": "true" }, dots(view.hints, table.max_hints, "●", "○")),
      ),
    ),
    h(
      "div",
      {},
      h("dt", {}, "Strikes"),
      h(
        "dd",
        { "aria-label": `${strikes} of ${table.max_lives}` },
        h("b", {}, `${strikes}`),
        h("span", { class: "beads strikes", "aria-hidden": "true" }, dots(strikes, table.max_lives, "✕", "○")),
      ),
    ),
    h(
      "div",
      {},
      h("dt", {}, view.turns_left === null ? "Deck" : "Turns left"),
      h("dd", {}, h("b", {}, view.turns_left === null ? `${view.deck}` : `${view.over ? 0 : view.turns_left}`)),
    ),
  );
}
