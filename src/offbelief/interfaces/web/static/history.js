// The list of moves and the way back and forth through them.

import { action, h } from "./dom.js";
import { moveSentence } from "./words.js";

export function drawReplay(game, { onTurn, onAuto, isPlaying, onCopy }) {
  const last = game.views.length - 1;
  const shown = game.shown;
  const step = (label, name, turn, reason) =>
    action(label, { key: `step-${name}`, "aria-label": name, title: name, class: "step", reason, act: () => onTurn(turn) });
  const first = shown === 0 ? "This is the first turn." : null;
  const end = shown === last ? "This is the last turn so far." : null;
  return h(
    "div",
    { class: "replay", role: "group", "aria-label": "Back and forth" },
    step("|◀", "First turn (Home)", 0, first),
    step("◀", "One turn back (left arrow)", shown - 1, first),
    h("input", {
      type: "range",
      min: 0,
      max: last,
      value: shown,
      "data-key": "slider",
      "aria-label": "Turn",
      "aria-valuetext": `turn ${shown} of ${last}`,
      oninput: (event) => onTurn(Number(event.target.value)),
    }),
    step("▶", "One turn on (right arrow)", shown + 1, end),
    step("▶|", "Last turn (End)", last, end),
    h("output", { class: "turn-number" }, `${shown} / ${last}`),
    game.table.done
      ? action(isPlaying ? "||" : "▶▶", {
          key: "auto",
          class: "step",
          "aria-label": isPlaying ? "Pause" : "Play the game back",
          title: isPlaying ? "Pause (space)" : "Play the game back (space)",
          act: onAuto,
        })
      : null,
    action("Link", { key: "permalink", class: "step wide", title: "Copy a link to this turn", act: onCopy }),
  );
}

export function drawHistory(game, { onTurn }) {
  const { table, views, shown } = game;
  const items = views.map((view, turn) => {
    const last = view.last;
    const colour =
      last === null ? null : last.type === "colour" ? last.value : last.kind === undefined ? null : Math.floor(last.kind / table.ranks);
    return h(
      "li",
      { class: [turn === shown && "shown", last && !last.scored && last.type === "play" && "strike"] },
      h(
        "button",
        {
          type: "button",
          "data-key": `turn-${turn}`,
          "aria-current": turn === shown ? "step" : undefined,
          onclick: () => onTurn(turn),
        },
        h("span", { class: "number" }, `${turn}`),
        h("span", { class: ["dot", colour === null ? "plain" : `c${colour}`] }, last?.type === "rank" ? `${last.value + 1}` : ""),
        h("span", {}, moveSentence(table, views, turn)),
      ),
    );
  });
  return h(
    "section",
    { class: "panel history" },
    h("h3", {}, "History"),
    h("ol", { start: 0, "data-scroll": "history" }, items),
  );
}
