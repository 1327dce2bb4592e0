// The front page: sit down at once, set up a table, go on with a saved game, or look at a recorded one.

import { action, h, toast } from "./dom.js";
import { hasKey } from "./settings.js";
import { COLOURS } from "./words.js";

export class Lobby {
  constructor({ onCreate, onOpen, onImport, onChange }) {
    Object.assign(this, { onCreate, onOpen, onImport, onChange });
    this.offer = null;
    this.setup = null;
    this.record = ""; // what stands in the field for recorded games: kept here, since the page is drawn anew at any time
  }

  async load() {
    const answer = await fetch("/api/lobby");
    this.offer = await answer.json();
    const favourite = this.offer.agents.find((agent) => agent.name === this.offer.favourite);
    this.favourite = favourite;
    const variant = favourite?.variant ?? "full-2p";
    this.setup ??= { variant, custom: "", seats: [], seed: "", open_hand: false, open_mind: false };
    this.fitSeats();
    this.onChange();
  }

  get agents() {
    return this.offer?.agents ?? [];
  }

  get variantName() {
    return this.setup.variant === "other" ? this.setup.custom.trim() : this.setup.variant;
  }

  get players() {
    const named = this.offer.variants.find((variant) => variant.name === this.variantName.split("+")[0]);
    const spelled = /^([2-5])p-/.exec(this.variantName);
    return named?.players ?? (spelled ? Number(spelled[1]) : 2);
  }

  fitting(variant) {
    return this.agents.filter((agent) => agent.variant === null || agent.variant === variant.split("+")[0]);
  }

  // As many seats as the variant has; who does not play it gives way to somebody who does.
  fitSeats() {
    const fitting = this.fitting(this.variantName);
    const names = fitting.map((agent) => agent.name);
    const partner = names.includes(this.offer.favourite) ? this.offer.favourite : (fitting.find((agent) => agent.kind !== "bot") ?? fitting[0]).name;
    const better = names.includes("bot:piers") && partner === "bot:random" ? "bot:piers" : partner;
    this.setup.seats = Array.from({ length: this.players }, (_, seat) => {
      const before = this.setup.seats[seat] ?? (seat === 0 ? "human" : better);
      return before === "human" || names.includes(before) ? before : better;
    });
  }

  change(change) {
    Object.assign(this.setup, change);
    this.fitSeats();
    this.onChange();
  }

  draw() {
    if (!this.offer) return h("p", { class: "loading" }, "Setting the table…");
    return h("div", { class: "lobby" }, this.drawHero(), this.drawSetup(), this.drawGames(), this.drawImport());
  }

  drawHero() {
    const agent = this.favourite;
    const variant = agent?.variant ?? "full-2p";
    const players = this.offer.variants.find((known) => known.name === variant)?.players ?? 2;
    const seats = ["human", ...Array.from({ length: players - 1 }, () => this.offer.favourite)];
    const words = h(
      "div",
      {},
      h("h1", {}, "Sit down and play Hanabi"),
      h(
        "p",
        {},
        "Your partner sees your cards and you see theirs. Agents trained by off-belief learning take a hint for what it says and nothing more, so you can play with one you have never met.",
      ),
      h(
        "p",
        { class: "buttons" },
        action(`Play with ${this.offer.favourite}`, { key: "quick", class: "primary", act: () => this.onCreate({ variant, seats }) }),
        action("Watch two of them", {
          key: "watch",
          act: () => this.onCreate({ variant, seats: seats.map(() => this.offer.favourite) }),
        }),
      ),
      agent?.score ? h("p", { class: "dim" }, `${agent.name} scores ${agent.score.toFixed(2)} with itself on average.`) : null,
    );
    const fan = h("div", { class: "fan", "aria-hidden": "true" }, COLOURS.map((_, colour) => h("span", { class: `c${colour}` }, `${colour + 1}`)));
    return h("section", { class: "hero" }, words, fan);
  }

  drawSetup() {
    const { setup } = this;
    const fitting = this.fitting(this.variantName);
    const seatSelect = (seat) =>
      h(
        "label",
        {},
        `Seat ${seat + 1}`,
        h(
          "select",
          {
            "data-key": `seat-${seat}`,
            onchange: (event) => this.change({ seats: setup.seats.map((who, place) => (place === seat ? event.target.value : who)) }),
          },
          h("option", { value: "human", selected: setup.seats[seat] === "human" }, "a person"),
          [
            ["zoo", "trained"],
            ["run", "your runs"],
            ["bot", "scripted"],
          ].map(([kind, label]) => {
            const names = fitting.filter((agent) => agent.kind === kind).map((agent) => agent.name);
            if (!names.length) return null;
            return h(
              "optgroup",
              { label },
              names.map((name) => h("option", { value: name, selected: setup.seats[seat] === name }, name)),
            );
          }),
        ),
      );
    const tick = (label, field, note) =>
      h(
        "label",
        { class: "tick" },
        h("input", {
          type: "checkbox",
          "data-key": field,
          checked: setup[field],
          onchange: (event) => this.change({ [field]: event.target.checked }),
        }),
        h("span", {}, label, h("small", {}, note)),
      );
    const people = setup.seats.filter((who) => who === "human").length;
    return h(
      "form",
      {
        class: "panel setup",
        onsubmit: (event) => {
          event.preventDefault();
          const seed = setup.seed.trim();
          if (seed && !/^\d{1,15}$/.test(seed)) return toast("A seed is a whole number, or empty for a random deal.");
          this.onCreate({
            variant: this.variantName,
            seats: setup.seats,
            seed: seed ? Number(seed) : null,
            open_hand: setup.open_hand,
            open_mind: setup.open_mind,
          });
        },
      },
      h("h2", {}, "Set up a table"),
      h(
        "div",
        { class: "fields" },
        h(
          "label",
          {},
          "Rules",
          h(
            "select",
            { "data-key": "variant", onchange: (event) => this.change({ variant: event.target.value }) },
            this.offer.variants.map(({ name, players }) =>
              h("option", { value: name, selected: setup.variant === name }, `${name} (${players} players)`),
            ),
            h("option", { value: "other", selected: setup.variant === "other" }, "other…"),
          ),
        ),
        setup.variant === "other"
          ? h(
              "label",
              {},
              "Spelled out",
              h("input", {
                type: "text",
                "data-key": "custom",
                placeholder: "3p-2c-3r-h3-i5-l3",
                value: setup.custom,
                oninput: (event) => this.change({ custom: event.target.value }),
              }),
            )
          : null,
        Array.from({ length: this.players }, (_, seat) => seatSelect(seat)),
        h(
          "label",
          {},
          "Seed",
          h("input", {
            type: "text",
            inputmode: "numeric",
            "data-key": "seed",
            placeholder: "random",
            value: setup.seed,
            oninput: (event) => (setup.seed = event.target.value),
          }),
        ),
      ),
      h(
        "div",
        { class: "ticks" },
        tick("Open hand", "open_hand", "you see your own cards"),
        tick("Open mind", "open_mind", "you see what agents think; they see your cards, so this tells of them"),
      ),
      people > 1 ? h("p", { class: "dim" }, `You sit at the first of ${people} seats for people; send the others the link of the table.`) : null,
      people === 0 ? h("p", { class: "dim" }, "Agents only: you watch, with every card open.") : null,
      h("p", { class: "buttons" }, h("button", { type: "submit", class: "primary", "data-key": "create" }, "Open the table")),
    );
  }

  drawGames() {
    const { games } = this.offer;
    const row = (game) => {
      const who = game.seats.map((name) => (name === "human" ? "you" : name.split("/").pop())).join(", ");
      const mine = hasKey(game.id);
      const state = game.done ? (game.recorded ? `recorded, ${game.score} points` : `${game.score} points`) : `turn ${game.turns + 1}`;
      return h(
        "li",
        { class: game.done ? "done" : "running" },
        h("span", { class: "what" }, h("b", {}, who), h("small", {}, `${game.variant}, ${state}`)),
        action(game.done ? "Look" : mine || game.seats.filter((name) => name === "human").length === 1 ? "Continue" : "Join", {
          key: `open-${game.id}`,
          act: () => this.onOpen(game.id),
        }),
      );
    };
    const running = games.filter((game) => !game.done);
    const done = games.filter((game) => game.done);
    return h(
      "section",
      { class: "panel games" },
      h("h2", {}, "Games on this machine"),
      games.length === 0 ? h("p", { class: "dim" }, "None yet. Every game is saved after every move.") : null,
      running.length ? h("ul", { class: "running" }, running.map(row)) : null,
      done.length ? h("details", { open: running.length === 0 }, h("summary", {}, `${done.length} finished`), h("ul", {}, done.map(row))) : null,
    );
  }

  drawImport() {
    return h(
      "section",
      { class: "panel import" },
      h("h2", {}, "Look at a recorded game"),
      h(
        "textarea",
        {
          "data-key": "import-text",
          rows: 3,
          "aria-label": "A recorded game",
          placeholder: "hanab.live JSON, a hanab.live/replay-json link, or one line of HLE-style JSON",
          oninput: (event) => (this.record = event.target.value),
        },
        this.record,
      ),
      h(
        "p",
        { class: "buttons" },
        action("Open it", { key: "import", act: () => this.onImport(this.record) }),
        h(
          "label",
          { class: "file" },
          "From a file ",
          h("input", {
            type: "file",
            accept: ".json,.jsonl,.txt",
            "data-key": "import-file",
            onchange: async (event) => {
              const file = event.target.files[0];
              if (file) this.onImport(await file.text());
            },
          }),
        ),
      ),
    );
  }
}
