// What the player may do at their turn: choose a card to play or discard, or a hint to give. Nothing is done by one slip:
// a hint is chosen, shown on the cards it touches, and then given.

import { action, h, toast } from "./dom.js";
import { COLOUR_KEYS, COLOURS, colourOf, hintMove, pageSlot, rankOf, refusalWords, seatName } from "./words.js";

export class Controls {
  constructor({ game, onMove, onChange }) {
    this.game = game; // where the shown position is found: {table, views, shown}
    this.onMove = onMove;
    this.onChange = onChange;
    this.reset();
  }

  reset() {
    this.card = null; // number of the chosen own card
    this.target = null; // seat that is to get a hint
    this.hint = null; // {type, value}
    this.pending = null; // "play" or "discard", waiting for the number of a card
  }

  get view() {
    return this.game.views[this.game.shown];
  }

  get isLive() {
    return this.game.shown === this.game.views.length - 1 && Boolean(this.view.refusals);
  }

  get partners() {
    const { table } = this.game;
    return Array.from({ length: table.players - 1 }, (_, place) => (table.seat + place + 1) % table.players);
  }

  get aim() {
    return this.target ?? this.partners[0];
  }

  refusal(move) {
    const reason = this.view.refusals[move];
    return reason === null ? null : refusalWords(reason);
  }

  // Whether a card of a partner would be touched by the chosen hint.
  touches(seat, card) {
    if (!this.isLive || !this.hint || seat !== this.aim || card.kind === null) return false;
    const { table } = this.game;
    const value = this.hint.type === "colour" ? colourOf(table, card.kind) : rankOf(table, card.kind);
    return value === this.hint.value;
  }

  chooseCard(order) {
    this.hint = null;
    this.card = this.card === order ? null : order;
    this.pending = null;
    this.onChange();
  }

  choosePartner(seat) {
    this.target = seat;
    this.card = null;
    this.pending = null;
    this.onChange();
  }

  chooseHint(type, value) {
    const move = hintMove(this.game.table, this.game.table.seat, this.aim, type, value);
    const reason = this.refusal(move);
    if (reason) return toast(reason);
    if (this.hint?.type === type && this.hint.value === value) return this.giveHint();
    this.card = null;
    this.pending = null;
    this.hint = { type, value };
    this.onChange();
  }

  giveHint() {
    if (!this.hint) return;
    this.make(hintMove(this.game.table, this.game.table.seat, this.aim, this.hint.type, this.hint.value));
  }

  useCard(type, slot) {
    const { table } = this.game;
    const move = type === "play" ? table.hand_size + slot : slot;
    const reason = this.refusal(move);
    if (reason) return toast(reason);
    this.make(move);
  }

  make(move) {
    this.reset();
    this.onMove(move);
  }

  // True if the key meant something here.
  press(key) {
    const { table } = this.game;
    if (key === "Escape") {
      const had = this.card !== null || this.hint !== null || this.pending !== null;
      this.reset();
      this.onChange();
      return had;
    }
    const meant = /^[1-5]$/.test(key) || COLOUR_KEYS.includes(key) || ["a", "d", "p", "Enter", "+", "-"].includes(key);
    if (!meant || table.seat === null || table.done) return false;
    if (!this.isLive) {
      if (key !== "Enter") toast(this.game.shown < this.game.views.length - 1 ? "You are looking back: press End to return to the game." : "It is not your turn.");
      return key !== "Enter";
    }
    if (this.pending && /^[1-5]$/.test(key)) {
      const hand = this.view.hands[table.seat];
      const slot = hand.length - Number(key);
      if (slot < 0) return toast(`You hold ${hand.length} cards.`), true;
      this.useCard(this.pending, slot);
      return true;
    }
    if (key === "a" || key === "+" || key === "d" || key === "-") {
      const type = key === "a" || key === "+" ? "play" : "discard";
      const index = this.view.hands[table.seat].findIndex((card) => card.order === this.card);
      if (index >= 0) this.useCard(type, index);
      else {
        this.hint = null;
        this.pending = type;
        this.onChange();
      }
      return true;
    }
    if (key === "p") {
      const place = this.partners.indexOf(this.aim);
      this.choosePartner(this.partners[(place + 1) % this.partners.length]);
      return true;
    }
    if (key === "Enter") {
      if (!this.hint) return false;
      this.giveHint();
      return true;
    }
    const colour = COLOUR_KEYS.indexOf(key);
    if (colour >= 0) {
      if (colour >= table.colours) return false;
      this.chooseHint("colour", colour);
    } else {
      if (Number(key) > table.ranks) return false;
      this.chooseHint("rank", Number(key) - 1);
    }
    return true;
  }

  draw() {
    if (!this.isLive) return null;
    const { table } = this.game;
    const hand = this.view.hands[table.seat];
    const index = hand.findIndex((card) => card.order === this.card);
    const slot = index >= 0 ? pageSlot(hand.length, index) : null;
    const cardAction = (type, shortcut) => {
      const move = index < 0 ? null : type === "play" ? table.hand_size + index : index;
      const allHints = type === "discard" && this.view.hints >= table.max_hints;
      const reason =
        index < 0
          ? allHints
            ? "No discarding while all hint tokens are there."
            : `First choose a card of yours: click it, or press ${shortcut} and its number.`
          : this.refusal(move);
      return action([`${type === "play" ? "Play" : "Discard"}${slot ? ` card ${slot}` : ""} `, h("kbd", {}, shortcut)], {
        key: `do-${type}`,
        class: ["do", type, this.pending === type && "armed"].filter(Boolean).join(" "),
        reason,
        act: () => this.useCard(type, index),
      });
    };
    const hintButton = (type, value) => {
      const move = hintMove(table, table.seat, this.aim, type, value);
      const chosen = this.hint?.type === type && this.hint.value === value;
      const label = type === "colour" ? COLOURS[value].letter : `${value + 1}`;
      return action(label, {
        key: `hint-${type}-${value}`,
        class: ["hint", type === "colour" ? `c${value}` : "rank", chosen && "chosen"].filter(Boolean).join(" "),
        "aria-pressed": String(chosen),
        "aria-label": `Hint ${type === "colour" ? COLOURS[value].name : value + 1} to ${seatName(table, this.aim)}`,
        title: `Hint ${type === "colour" ? COLOURS[value].name : value + 1} (key ${type === "colour" ? COLOUR_KEYS[value] : value + 1})`,
        reason: this.refusal(move),
        act: () => this.chooseHint(type, value),
      });
    };
    const hintWords = this.hint
      ? `Give hint ${this.hint.type === "colour" ? COLOURS[this.hint.value].name : this.hint.value + 1} to ${seatName(table, this.aim)} `
      : "Give hint ";
    return h(
      "section",
      { class: "controls", "aria-label": "Your move" },
      h(
        "div",
        { class: "group" },
        h("span", { class: "legend" }, this.pending ? `${this.pending === "play" ? "Play" : "Discard"} which card? Press its number.` : "Your card"),
        cardAction("play", "a"),
        cardAction("discard", "d"),
      ),
      h(
        "div",
        { class: "group hints" },
        table.players > 2
          ? h(
              "span",
              { class: "targets", role: "group", "aria-label": "Who gets the hint" },
              this.partners.map((seat) =>
                action(seatName(table, seat), {
                  key: `target-${seat}`,
                  class: ["target", seat === this.aim && "chosen"].filter(Boolean).join(" "),
                  "aria-pressed": String(seat === this.aim),
                  act: () => this.choosePartner(seat),
                }),
              ),
            )
          : h("span", { class: "legend" }, `Hint to ${seatName(table, this.aim)}`),
        h("span", { class: "choices" }, Array.from({ length: table.colours }, (_, value) => hintButton("colour", value))),
        h("span", { class: "choices" }, Array.from({ length: table.ranks }, (_, value) => hintButton("rank", value))),
        action([hintWords, h("kbd", {}, "Enter")], {
          key: "do-hint",
          class: "do give",
          reason: this.hint
            ? null
            : this.view.hints === 0
              ? "No hint token is left: discard a card to get one back."
              : "First choose a colour or a rank.",
          act: () => this.giveHint(),
        }),
      ),
    );
  }
}

