// The page: one game at a time or the lobby, by the address after '#'. Keeps what the server said and draws it.

import { action, byId, h, refill, toast } from "./dom.js";
import { Controls } from "./controls.js";
import { drawDiscards, drawFireworks, drawHand, drawTokens } from "./cards.js";
import { drawHistory, drawReplay } from "./history.js";
import { Lobby } from "./lobby.js";
import { MindPanel } from "./mind.js";
import { keepKey, keyOf, prefer, preferences } from "./settings.js";
import { Wire } from "./wire.js";
import { moveSentence, seatName } from "./words.js";

const game = { table: null, views: [], shown: 0 };
let wanted = { id: null, turn: null }; // what the address asks for
let autoTimer = 0;
let paceTimer = 0;
let soonTimer = 0;
let endingHidden = false;
let endingSeen = false;

const wire = new Wire({ onMessage: hear, onState: lineChanged });
const lobby = new Lobby({
  onCreate: (message) => wire.say({ type: "create", ...message }, { keep: true }),
  onOpen: (id) => (location.hash = `#/game/${id}`),
  onImport: (text) => wire.say({ type: "import", text }, { keep: true }),
  onChange: draw,
});
const controls = new Controls({
  game,
  onMove: (move) => {
    if (!wire.say({ type: "play", turn: game.table.turn, move })) toast("The line to the server is down; it comes back by itself.");
    draw();
  },
  onChange: draw,
});
const mind = new MindPanel({
  game,
  say: (message) => wire.say(message),
  onTurn: showTurn,
  onChange: draw,
  agents: () => lobby.agents,
});

// ------------------------------------------------------------------------------------------------- what the server says

function lineChanged(state) {
  byId("link").textContent = state === "open" ? "" : "The line is down, trying again…";
  byId("link").className = `link ${state}`;
  if (state === "open" && wanted.id) join();
  if (state === "open") mind.minds.clear();
}

function hear(message) {
  if (message.type === "error") {
    toast(message.sentence);
    if (message.about === "join") location.hash = "#/";
    return draw();
  }
  if (message.type === "table") return heardTable(message);
  if (message.type === "turn") return heardTurn(message);
  if (["mind", "imagined", "compared"].includes(message.type) && message.id === game.table?.id) {
    mind.hear(message);
    draw();
  }
}

function heardTable({ table, views, key }) {
  const isNew = game.table?.id !== table.id;
  const wasLive = !isNew && game.shown >= game.views.length - 1;
  const ended = !isNew && table.done && !game.table.done;
  const known = isNew ? views.length : game.views.length;
  if (key) keepKey(table.id, key);
  game.table = table;
  game.views = views;
  if (isNew) {
    controls.reset();
    mind.reset();
    stopAuto();
    endingHidden = table.done;
    const start = table.recorded || (table.humans.length === 0 && !table.done) ? 0 : views.length - 1;
    const asked = wanted.id === table.id ? wanted.turn : null;
    game.shown = Math.min(asked ?? start, views.length - 1);
    if (wanted.id !== table.id) history.pushState(null, "", `#/game/${table.id}`);
    wanted = { id: table.id, turn: asked };
  } else if (wasLive && !ended) {
    game.shown = views.length - 1;
  } else {
    game.shown = Math.min(game.shown, views.length - 1);
  }
  if (ended) {
    endingHidden = false;
    mind.minds.clear();
    for (let turn = known; turn < views.length; turn++) announce(turn);
    if (wasLive) catchUp();
  }
  draw();
}

function heardTurn({ table, view }) {
  if (table.id !== game.table?.id) return;
  const wasLive = game.shown === game.views.length - 1 || paceTimer !== 0;
  game.table = table;
  game.views[view.turn] = view;
  game.views.length = view.turn + 1;
  announce(view.turn);
  if (wasLive && table.humans.length > 0) catchUp();
  drawSoon();
}

// Shows new positions one after the other, so that a player can follow what quick partners did.
function catchUp() {
  if (paceTimer) return;
  const behind = game.views.length - 1 - game.shown;
  if (behind <= 0) return;
  const next = game.views[game.shown + 1];
  const own = next.last?.actor === game.table.seat;
  paceTimer = setTimeout(
    () => {
      paceTimer = 0;
      if (game.shown < game.views.length - 1) game.shown += 1;
      controls.reset();
      draw();
      catchUp();
    },
    own ? 0 : Number(preferences.pace),
  );
}

function announce(turn) {
  const yours = turn === game.views.length - 1 && !game.table.done && game.views[turn].seat === game.table.seat;
  byId("said").append(h("p", {}, moveSentence(game.table, game.views, turn), yours ? ". Your turn." : "."));
  while (byId("said").childElementCount > 20) byId("said").firstElementChild.remove();
}

// --------------------------------------------------------------------------------------------------------- the address

function route() {
  const found = /^#\/game\/([0-9a-f]{16})(?:\/(\d+))?$/.exec(location.hash);
  wanted = { id: found?.[1] ?? null, turn: found?.[2] === undefined ? null : Number(found[2]) };
  if (!wanted.id) {
    if (game.table) wire.say({ type: "leave" });
    game.table = null;
    stopAuto();
    loadLobby();
    return draw();
  }
  if (game.table?.id === wanted.id) {
    if (wanted.turn !== null) showTurn(wanted.turn);
    return draw();
  }
  game.table = null; // the table of before, if any, is not the one that the address names
  stopAuto();
  join();
  draw();
}

function loadLobby() {
  lobby.load().catch(() => toast("The server does not answer."));
}

function join() {
  wire.say({ type: "join", table: wanted.id, key: keyOf(wanted.id) });
}

const permalink = () => `${location.origin}/#/game/${game.table.id}/${game.shown}`;

async function copyLink() {
  history.replaceState(null, "", `#/game/${game.table.id}/${game.shown}`);
  try {
    await navigator.clipboard.writeText(permalink());
    toast("The link to this turn is copied, and stands in the address bar.");
  } catch {
    toast("The link to this turn stands in the address bar.");
  }
}

// --------------------------------------------------------------------------------------------------- back and forth

function showTurn(turn) {
  clearTimeout(paceTimer);
  paceTimer = 0;
  game.shown = Math.max(0, Math.min(turn, game.views.length - 1));
  controls.reset();
  if (game.table.done) history.replaceState(null, "", `#/game/${game.table.id}/${game.shown}`);
  draw();
}

function stopAuto() {
  clearInterval(autoTimer);
  autoTimer = 0;
}

function toggleAuto() {
  if (autoTimer) {
    stopAuto();
    return draw();
  }
  if (game.shown === game.views.length - 1) game.shown = 0;
  endingHidden = true;
  autoTimer = setInterval(() => {
    if (game.shown >= game.views.length - 1) stopAuto();
    showTurn(game.shown + 1);
  }, 900);
  draw();
}

// ------------------------------------------------------------------------------------------------------------- drawing

// For moves that come in quick succession, as from a table of agents: one picture for all of them.
function drawSoon() {
  soonTimer ||= setTimeout(draw, 30);
}

function draw() {
  clearTimeout(soonTimer);
  soonTimer = 0;
  document.body.classList.toggle("letters", preferences.letters);
  if (!wanted.id) {
    byId("where").textContent = "";
    return refill(byId("page"), lobby.draw());
  }
  if (!game.table) return refill(byId("page"), h("p", { class: "loading" }, "Going to the table…"));
  const { table } = game;
  byId("where").textContent = `${table.variant}${table.recorded ? `, recorded game ${table.name}` : ""}`;
  const view = game.views[game.shown];
  const order = Array.from({ length: table.players }, (_, place) => ((table.seat ?? 0) + place) % table.players);
  const others = table.seat === null ? order : order.slice(1);
  const hand = (seat) =>
    drawHand(table, view, seat, {
      selection: controls.isLive && seat === table.seat ? controls.card : null,
      preview: (card) => controls.touches(seat, card),
      onCard: controls.isLive
        ? seat === table.seat
          ? (card) => controls.chooseCard(card.order)
          : () => controls.choosePartner(seat)
        : null,
      note: seat === table.seat ? (view.hands[seat].some((card) => card.kind !== null) && !table.done ? "open hand" : "") : "",
    });
  const panel = mind.draw();
  refill(
    byId("page"),
    h(
      "div",
      { class: ["table", panel && "with-mind"] },
      h(
        "div",
        { class: "board" },
        drawTokens(table, view),
        drawBanner(view),
        drawFireworks(table, view),
        h("div", { class: "hands" }, others.map(hand)),
        table.seat === null ? null : hand(table.seat),
        controls.draw(),
        drawReplay(game, { onTurn: showTurn, onAuto: toggleAuto, isPlaying: autoTimer !== 0, onCopy: copyLink }),
      ),
      h("div", { class: "aside" }, drawEnding(), drawHistory(game, { onTurn: showTurn }), drawDiscards(table, view), drawSwitches()),
      panel,
    ),
  );
  keepInSight(document.querySelector(".history ol"), document.querySelector(".history .shown"));
  const ending = byId("ending");
  if (ending && !endingSeen) ending.scrollIntoView({ block: "nearest" }); // on a phone it lies below the board
  endingSeen = Boolean(ending);
}

// Scrolls a list, and nothing around it, until an entry can be seen.
function keepInSight(list, entry) {
  const top = entry.offsetTop - list.offsetTop;
  if (top < list.scrollTop) list.scrollTop = top;
  else if (top + entry.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = top + entry.offsetHeight - list.clientHeight;
}

function drawBanner(view) {
  const { table, views, shown } = game;
  const words = shown > 0 ? moveSentence(table, views, shown) : "The cards are dealt.";
  const past = shown < views.length - 1;
  let now;
  let kind = "";
  if (view.over || (table.given_up && !past)) {
    now = table.given_up && !view.over ? "Given up" : `Over: ${view.end}`;
    kind = "over";
  } else if (table.recorded && !past) {
    now = "The record ends here";
    kind = "over";
  } else if (past && !paceTimer) {
    now = `Turn ${shown + 1}: ${view.seat === table.seat ? "you" : seatName(table, view.seat)} to move`;
    kind = table.done ? "" : "past";
  } else if (view.seat === table.seat) {
    now = "Your turn";
    kind = "yours";
  } else {
    const waiting = table.humans.includes(view.seat) ? "to move" : "is thinking";
    now = h("span", { class: "thinking" }, `${seatName(table, view.seat)} ${waiting}`);
    kind = "waiting";
  }
  return h(
    "div",
    { class: ["banner", kind] },
    h("b", { id: "turn" }, now),
    h("span", { class: "last" }, words),
    past && !table.done && !paceTimer
      ? action(["Back to the game ", h("kbd", {}, "End")], { key: "back", act: () => showTurn(views.length - 1) })
      : null,
  );
}

function drawSwitches() {
  const { table } = game;
  const running = !table.done && table.seat !== null;
  const tick = (label, note, checked, reason, change, key) =>
    h(
      "label",
      { class: ["tick", reason && "off"], title: reason ?? "" },
      h("input", { type: "checkbox", role: "switch", checked, disabled: Boolean(reason), "data-key": key, onchange: (event) => change(event.target.checked) }),
      h("span", {}, label, h("small", {}, reason ?? note)),
    );
  const several = table.can_switch ? null : "several people play: fixed when the table was opened";
  return h(
    "section",
    { class: "panel switches" },
    h("h3", {}, "Table"),
    running
      ? [
          tick("Open hand", "you see your own cards", table.open_hand, several, (open_hand) => wire.say({ type: "switch", open_hand, open_mind: table.open_mind }), "open-hand"),
          tick("Open mind", "what the agent believes and values; it sees your cards, so this tells of them", table.open_mind, several, (open_mind) => wire.say({ type: "switch", open_hand: table.open_hand, open_mind }), "open-mind"),
        ]
      : null,
    tick("Letters on cards", "colours can be told apart without seeing colours", preferences.letters, null, (letters) => {
      prefer({ letters });
      draw();
    }, "letters"),
    table.seed !== null && !table.done ? h("p", { class: "dim" }, `Seed ${table.seed}`) : null,
    h(
      "p",
      { class: "buttons" },
      running && table.humans.length > 1 ? action("Copy the table's link", { key: "invite", act: invite }) : null,
      running
        ? action("Give up and look", {
            key: "give-up",
            act: () => {
              if (confirm("End this game now and open all cards?")) wire.say({ type: "give_up" });
            },
          })
        : null,
      table.done && endingHidden ? action("Result and downloads", { key: "show-ending", act: () => ((endingHidden = false), draw()) }) : null,
    ),
  );
}

async function invite() {
  const address = `${location.origin}/#/game/${game.table.id}`;
  try {
    await navigator.clipboard.writeText(address);
    toast("The link is copied: whoever opens it takes the next free seat.");
  } catch {
    toast(`Whoever opens ${address} takes the next free seat.`);
  }
}

function drawEnding() {
  const { table, views, shown } = game;
  if (!table.done || endingHidden || (shown < views.length - 1 && paceTimer)) return null;
  const last = views[views.length - 1];
  const address = (what) => `/api/games/${table.id}/${what}`;
  return h(
    "section",
    { class: "panel ending", id: "ending" },
    h("h2", {}, h("b", { class: "big" }, `${last.score}`), ` of ${table.max_score} points`),
    h("p", {}, last.end ? `It is over: ${last.end}.` : table.given_up ? "You gave up; all cards are open now." : "The record ends here."),
    table.seed !== null ? h("p", {}, "Seed ", h("code", {}, `${table.seed}`)) : null,
    h(
      "p",
      { class: "buttons" },
      table.recorded ? null : action("Same deal again", { key: "again", class: "primary", act: () => wire.say({ type: "again" }) }),
      action("New game", { key: "new", act: () => (location.hash = "#/") }),
      action("Step through", { key: "step-through", act: () => ((endingHidden = true), showTurn(0)) }),
    ),
    h(
      "p",
      { class: "downloads" },
      h("a", { href: address("record"), download: "" }, "Record (HLE JSON)"),
      table.has_hanablive
        ? [
            h("a", { href: address("hanablive"), download: "" }, "hanab.live JSON"),
            h("button", { type: "button", class: "as-link", "data-key": "hanablive", onclick: openHanabLive }, "Open in hanab.live ↗"),
          ]
        : null,
    ),
  );
}

async function openHanabLive() {
  const answer = await (await fetch(`/api/games/${game.table.id}/link`)).json();
  if (answer.error) return toast(answer.error);
  window.open(answer.url, "_blank", "noopener,noreferrer");
}

// ---------------------------------------------------------------------------------------------------------------- keys

const KEYS = [
  ["a, then 1-5", "play that card (1 is the newest, on the left)"],
  ["d, then 1-5", "discard that card"],
  ["1-5", "choose a rank to hint"],
  ["q w e r t", "choose a colour to hint"],
  ["p", "the next partner gets the hint"],
  ["Enter", "give the chosen hint"],
  ["Esc", "think again"],
  ["← →", "one turn back or on"],
  ["Home End", "first turn, last turn"],
  ["Space", "play a finished game back"],
  ["m", "go to the agent's mind"],
  ["?", "this list"],
];

function showHelp() {
  const dialog = byId("help");
  dialog.replaceChildren(
    h("h2", { id: "help-title" }, "Keys"),
    h("dl", { class: "keys" }, KEYS.map(([key, meaning]) => h("div", {}, h("dt", {}, h("kbd", {}, key)), h("dd", {}, meaning)))),
    h("p", { class: "buttons" }, h("button", { type: "button", onclick: () => dialog.close() }, "Close")),
  );
  dialog.showModal();
}

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
  const tag = event.target.tagName;
  const slides = tag === "INPUT" && event.target.type === "range";
  if (tag === "TEXTAREA" || tag === "SELECT" || (tag === "INPUT" && !slides && event.target.type !== "checkbox")) return;
  if (event.key === "?") return showHelp();
  if (!game.table || !wanted.id) return;
  const isButton = tag === "BUTTON" || tag === "A" || tag === "SUMMARY" || (tag === "INPUT" && !slides);
  if (isButton && (event.key === "Enter" || event.key === " ")) return; // the button's own key
  const turns = { ArrowLeft: game.shown - 1, ArrowRight: game.shown + 1, Home: 0, End: game.views.length - 1 };
  if (event.key in turns) {
    event.preventDefault();
    return showTurn(turns[event.key]);
  }
  if (event.key === " " && game.table.done) {
    event.preventDefault();
    return toggleAuto();
  }
  if (event.key === "m") {
    const panel = byId("mind");
    if (panel) panel.scrollIntoView({ block: "start" });
    else toast("The mind is closed: switch on 'Open mind', or finish the game first.");
    return;
  }
  if (controls.press(event.key)) event.preventDefault();
});

byId("help-button").addEventListener("click", showHelp);
window.addEventListener("hashchange", route);
route();
if (wanted.id) loadLobby(); // at a table it is the list of agents to compare with that is needed
