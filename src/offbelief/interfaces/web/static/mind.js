// What an agent believes and values at the shown turn: heat-maps, bars, a sentence; two agents side by side; and the
// imagined transition that off-belief learning learns from.

import { action, h } from "./dom.js";
import { COLOURS, cardName, cardWords, inPageSlots, moveLabel, pageSlot, seatName } from "./words.js";

export class MindPanel {
  constructor({ game, say, onTurn, onChange, agents }) {
    Object.assign(this, { game, say, onTurn, onChange, agents });
    this.reset();
  }

  reset() {
    this.minds = new Map(); // "turn agent" -> answer, or null while it is on its way
    this.imagined = null;
    this.sample = 0;
    this.agent = null;
    this.other = "";
    this.compared = null;
  }

  // Agents that play this variant, those at the table first.
  get choices() {
    const { table } = this.game;
    const fit = this.agents().filter((agent) => agent.variant === null || agent.variant === table.variant.split("+")[0]).map((agent) => agent.name);
    const seated = table.seats.filter((who) => fit.includes(who));
    return [...new Set([...seated, ...fit])];
  }

  get isOpen() {
    const { table } = this.game;
    return table.open_mind || table.done || table.humans.length === 0;
  }

  // The agent that moves at the shown turn, if one does; else the first at the table.
  get chosenAgent() {
    if (this.agent) return this.agent;
    const { table, views, shown } = this.game;
    const acting = table.seats[views[shown].seat];
    return this.choices.includes(acting) ? acting : this.choices[0];
  }

  hear(message) {
    if (message.type === "mind") this.minds.set(`${message.turn} ${message.agent}`, message);
    if (message.type === "imagined") this.imagined = message;
    if (message.type === "compared") this.compared = message;
  }

  ask(agent) {
    const { shown } = this.game;
    const name = `${shown} ${agent}`;
    const found = this.minds.get(name);
    if (found === undefined) {
      // A move may have been made since: only positions with their move are final answers.
      this.minds.set(name, null);
      this.say({ type: "mind", turn: shown, agent });
    } else if (found && found.judged === null && shown < this.game.views.length - 1) {
      this.minds.delete(name);
      return this.ask(agent);
    }
    return found;
  }

  draw() {
    const { table, views, shown } = this.game;
    if (!this.isOpen) return null;
    const heading = h("h3", {}, "The agent's mind");
    const body = [];
    if (this.choices.length === 0) {
      body.push(h("p", {}, `No agent here plays ${table.variant}.`));
    } else {
      body.push(this.drawChoice());
      if (this.other) body.push(this.drawCompared());
      if (views[shown].over) body.push(h("p", { class: "dim" }, "The game is over here. Step back to see what the agent thought."));
      else body.push(this.drawTurn());
    }
    return h("section", { class: "panel mind", id: "mind" }, heading, body);
  }

  drawChoice() {
    const select = (label, value, options, onchange) =>
      h(
        "label",
        {},
        label,
        h(
          "select",
          { "data-key": `select-${label}`, onchange: (event) => onchange(event.target.value) },
          options.map(([name, text]) => h("option", { value: name, selected: name === value }, text)),
        ),
      );
    const names = this.choices.map((name) => [name, name]);
    return h(
      "div",
      { class: "choice" },
      select("Agent", this.chosenAgent, names, (name) => {
        this.agent = name;
        this.imagined = null;
        this.compare();
        this.onChange();
      }),
      select("Beside", this.other, [["", "nobody"], ...names], (name) => {
        this.other = name;
        this.compare();
        this.onChange();
      }),
    );
  }

  compare() {
    this.compared = null;
    if (this.other) {
      this.agent = this.chosenAgent;
      this.say({ type: "compare", agent: this.agent, other: this.other });
    }
  }

  drawTurn() {
    const { table, views, shown } = this.game;
    const view = views[shown];
    const agent = this.chosenAgent;
    const found = this.ask(agent);
    const beside = this.other ? this.ask(this.other) : null;
    const who = seatName(table, view.seat);
    const title = h(
      "p",
      { class: "whose" },
      table.seats[view.seat] === agent ? `${agent}, to move at turn ${shown + 1}` : `${agent} in the place of ${who === "You" ? "you" : who}, turn ${shown + 1}`,
    );
    if (!found) return [title, h("p", { class: "dim thinking" }, "thinking")];
    return [
      title,
      h("p", { class: "sentence" }, this.sentence(found.mind.sentence)),
      found.judged && found.judged.move !== found.mind.chosen
        ? h(
            "p",
            { class: "judged" },
            h("b", {}, `${who === "You" ? "You chose" : `${who} chose`} ${this.label(found.judged.move)}`),
            found.judged.rank ? ` (number ${found.judged.rank} of ${found.mind.moves.length})` : "",
            ". ",
            this.sentence(found.judged.sentence),
          )
        : null,
      h(
        "div",
        { class: ["columns", beside && "two"] },
        this.drawBars(agent, found),
        this.other ? (beside ? this.drawBars(this.other, beside) : h("p", { class: "dim thinking" }, "thinking")) : null,
      ),
      this.drawBelief(found.mind),
      this.drawImagined(agent, found),
    ];
  }

  handSize() {
    const view = this.game.views[this.game.shown];
    return view.hands[view.seat].length;
  }

  label(move) {
    const { table, views, shown } = this.game;
    return moveLabel(table, move, views[shown].seat, this.handSize());
  }

  sentence(text) {
    const { table } = this.game;
    const named = text.replace(/\bseat (\d)/gi, (_, seat) => seatName(table, Number(seat)));
    return inPageSlots(named, this.handSize());
  }

  drawBars(agent, found) {
    const { mind, judged } = found;
    const values = mind.moves.map((move) => move.value).filter((value) => value !== null);
    const high = Math.max(...values);
    const low = Math.min(...values);
    const span = high - low || 1;
    return h(
      "div",
      { class: "bars" },
      h("h4", {}, agent, values.length ? h("small", {}, " points expected from here") : h("small", {}, " follows rules, without values")),
      h(
        "ol",
        {},
        mind.moves
          .filter((move) => move.value !== null || move.move === mind.chosen)
          .map((move) => {
            const chosen = move.move === mind.chosen;
            const made = judged?.move === move.move;
            const share = move.value === null ? 1 : 0.04 + (0.96 * (move.value - low)) / span;
            const marks = `${chosen ? ", its choice" : ""}${made ? ", the move made" : ""}`;
            return h(
              "li",
              { class: [chosen && "chosen", made && "made"], "aria-label": `${this.label(move.move)}: ${move.value?.toFixed(2) ?? "no value"}${marks}` },
              h("span", { class: "mark", "aria-hidden": "true" }, chosen ? "★" : made ? "●" : ""),
              h("span", { class: "label" }, this.label(move.move)),
              move.value === null ? null : h("span", { class: "track" }, h("span", { class: "bar", style: { width: `${(100 * share).toFixed(1)}%` } })),
              h("span", { class: "value" }, move.value === null ? "" : move.value.toFixed(2)),
            );
          }),
      ),
      h("p", { class: "legend" }, "★ its choice", judged ? "  ● the move made" : ""),
    );
  }

  drawBelief(mind) {
    const { table, views, shown } = this.game;
    const hand = views[shown].hands[mind.seat];
    const maps = hand
      .map((card, index) => {
        const chances = mind.belief[index];
        const cells = [];
        for (let colour = 0; colour < table.colours; colour++) {
          for (let rank = 0; rank < table.ranks; rank++) {
            const kind = colour * table.ranks + rank;
            const chance = chances[kind];
            const percent = Math.round(100 * chance);
            cells.push(
              h(
                "i",
                {
                  class: ["cell", `c${colour}`, card.kind === kind && "true"],
                  style: { "--chance": Math.sqrt(chance).toFixed(3) },
                  title: `${cardWords(table, kind)}: ${(100 * chance).toFixed(1)} %`,
                },
                percent >= 10 ? `${percent}` : "",
              ),
            );
          }
        }
        const best = chances.indexOf(Math.max(...chances));
        const slot = pageSlot(hand.length, index);
        return h(
          "figure",
          { "aria-label": `Card ${slot}: most likely ${cardWords(table, best)}, ${Math.round(100 * chances[best])} %` },
          h(
            "span",
            { class: "heat", style: { "--ranks": table.ranks } },
            h("i", { class: "axis" }, ""),
            Array.from({ length: table.ranks }, (_, rank) => h("i", { class: "axis" }, `${rank + 1}`)),
            Array.from({ length: table.colours }, (_, colour) => [
              h("i", { class: ["axis", `c${colour}`] }, COLOURS[colour].letter),
              cells.slice(colour * table.ranks, (colour + 1) * table.ranks),
            ]),
          ),
          h("figcaption", {}, `card ${slot}`, card.kind === null ? "" : ` (${cardName(table, card.kind)})`),
        );
      })
      .reverse();
    const whose = mind.seat === table.seat ? "your own cards" : "its own cards";
    return h(
      "div",
      { class: "belief" },
      h("h4", {}, `Belief about ${whose}`, h("small", {}, ` ${mind.belief_kind}, in percent`)),
      h("div", { class: "maps" }, maps),
    );
  }

  drawImagined(agent, found) {
    const { table, views, shown } = this.game;
    const view = views[shown];
    const hidden = !table.done && !table.open_hand && table.humans.length > 0 && view.seat !== table.seat;
    const ask = (sample) => {
      this.sample = sample;
      this.say({ type: "imagine", turn: shown, agent, sample });
    };
    const shownHere = this.imagined && this.imagined.turn === shown && this.imagined.agent === agent;
    const reason = hidden ? "What a partner imagines shows your cards: open your hand, or finish the game first." : null;
    const content = [
      h("h4", {}, "Imagine", h("small", {}, " one fictitious transition, as in training")),
      h(
        "p",
        { class: "buttons" },
        action(shownHere ? "Another sample" : "Draw a hand from the belief and play on", {
          key: "imagine",
          reason,
          act: () => ask(shownHere ? this.sample + 1 : 0),
        }),
      ),
    ];
    if (shownHere) content.push(this.drawTransition(this.imagined.imagined, found));
    return h("div", { class: "imagined" }, content);
  }

  drawTransition(dream) {
    const { table, views, shown } = this.game;
    const hand = views[shown].hands[dream.seat];
    const number = (value) => (value === null ? "–" : value.toFixed(2));
    const cards = dream.hand
      .map((kind, index) =>
        h(
          "span",
          { class: ["mini", `c${Math.floor(kind / table.ranks)}`, hand[index]?.kind === kind && "true"], title: cardWords(table, kind) },
          cardName(table, kind),
        ),
      )
      .reverse();
    const steps = dream.steps.map((step, index) =>
      h(
        "li",
        {},
        h("b", {}, `${seatName(table, step.seat)}: `),
        index === 0 ? this.label(step.move) : moveLabel(table, step.move, step.seat, views[shown].hands[step.seat].length),
        h("span", { class: "reward" }, ` reward ${step.reward >= 0 ? "+" : ""}${step.reward.toFixed(0)}`),
      ),
    );
    return h(
      "div",
      { class: "dream" },
      h("p", {}, `${seatName(table, dream.seat)} imagine${dream.seat === table.seat ? "" : "s"} holding `, cards),
      h("ol", {}, steps),
      dream.is_over ? h("p", {}, "The imagined game ends there.") : h("p", {}, `Its next turn is worth ${number(dream.value)}.`),
      h(
        "p",
        { class: "target-line" },
        "Target ",
        h("b", {}, number(dream.target)),
        ` = rewards + ${dream.discount} per move × value; it expected `,
        h("b", {}, number(dream.estimate)),
        ".",
      ),
    );
  }

  drawCompared() {
    const { shown } = this.game;
    const found = this.compared;
    if (!found) return h("p", { class: "dim thinking" }, "comparing");
    const turns = found.turns.map((turn) => turn.turn);
    const next = turns.find((turn) => turn > shown);
    const previous = turns.findLast((turn) => turn < shown);
    const here = found.turns.find((turn) => turn.turn === shown);
    const none = "They agree at every turn.";
    const jump = (label, key, turn, reason) => action(label, { key, reason: turn === undefined ? reason : null, act: () => this.onTurn(turn) });
    return h(
      "div",
      { class: "compared" },
      h("h4", {}, `${found.agent} beside ${found.other}`),
      h("p", {}, `They choose different moves at ${turns.length} of ${found.asked} turns.`),
      here
        ? h("p", { class: "sentence" }, `Here ${found.agent} would ${this.label(here.move_a)}, ${found.other} would ${this.label(here.move_b)}${here.is_tie ? " (a tie)" : ""}.`)
        : h("p", { class: "dim" }, "Here they agree."),
      h(
        "p",
        { class: "buttons" },
        jump("First disagreement", "disagree-first", turns[0], none),
        jump("Previous", "disagree-previous", previous, "There is none before this turn."),
        jump("Next", "disagree-next", next, "There is none after this turn."),
      ),
    );
  }
}
