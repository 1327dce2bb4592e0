// Words for cards, moves and seats.
//
// The library counts the cards of a hand from the oldest, beginning with 0. Players count from the newest, beginning with
// 1, and so does this page: on the left lies card 1, the newest.

export const COLOURS = [
  { letter: "R", name: "red" },
  { letter: "Y", name: "yellow" },
  { letter: "G", name: "green" },
  { letter: "W", name: "white" },
  { letter: "B", name: "blue" },
];
export const COLOUR_KEYS = ["q", "w", "e", "r", "t"];

export const colourOf = (table, kind) => Math.floor(kind / table.ranks);
export const rankOf = (table, kind) => kind % table.ranks;
export const cardName = (table, kind) => `${COLOURS[colourOf(table, kind)].letter}${rankOf(table, kind) + 1}`;
export const cardWords = (table, kind) => `${COLOURS[colourOf(table, kind)].name} ${rankOf(table, kind) + 1}`;

export const pageSlot = (handSize, slot) => handSize - slot;

export function seatName(table, seat) {
  if (seat === table.seat) return "You";
  const who = table.seats[seat];
  if (table.recorded) return who;
  const twin = table.seats.filter((other) => other === who).length > 1;
  const name = who === "human" ? "Player" : who.split("/").pop();
  return twin ? `${name} (seat ${seat + 1})` : name;
}

export const isYou = (table, seat) => seat === table.seat;

// What a move number means: HLE's order of moves.
export function readMove(table, move) {
  const { hand_size: size, players, colours, ranks } = table;
  if (move < size) return { type: "discard", slot: move };
  if (move < 2 * size) return { type: "play", slot: move - size };
  const hint = move - 2 * size;
  const colourHints = (players - 1) * colours;
  if (hint < colourHints) return { type: "colour", offset: Math.floor(hint / colours) + 1, value: hint % colours };
  const rank = hint - colourHints;
  return { type: "rank", offset: Math.floor(rank / ranks) + 1, value: rank % ranks };
}

export function hintMove(table, actor, target, type, value) {
  const offset = (target - actor + table.players) % table.players;
  const first = 2 * table.hand_size;
  return type === "colour"
    ? first + (offset - 1) * table.colours + value
    : first + (table.players - 1) * table.colours + (offset - 1) * table.ranks + value;
}

export function moveLabel(table, move, actor, handSize) {
  const meaning = readMove(table, move);
  if (meaning.slot !== undefined) return `${meaning.type} card ${pageSlot(handSize, meaning.slot)}`;
  const what = meaning.type === "colour" ? COLOURS[meaning.value].name : `${meaning.value + 1}s`;
  const target = (actor + meaning.offset) % table.players;
  return table.players === 2 ? `hint ${what}` : `hint ${what} to ${seatName(table, target)}`;
}

// What happened, from the view after the move and the one before.
export function moveSentence(table, views, turn) {
  const last = views[turn].last;
  if (!last) return "The cards are dealt.";
  const actor = seatName(table, last.actor);
  if (last.type === "play" || last.type === "discard") {
    const slot = pageSlot(views[turn - 1].hands[last.actor].length, last.slot);
    const token = last.token_gained ? ", a hint token returns" : "";
    if (last.type === "discard") return `${actor} discarded ${cardWords(table, last.kind)} (card ${slot})${token}`;
    const outcome = last.scored ? "it scores" : "a strike";
    return `${actor} played ${cardWords(table, last.kind)} (card ${slot}): ${outcome}${token}`;
  }
  const what = last.type === "colour" ? COLOURS[last.value].name : `${last.value + 1}`;
  const hand = views[turn].hands[last.target];
  const slots = hand.flatMap((card, index) => (last.touched.includes(card.order) ? [pageSlot(hand.length, index)] : []));
  const target = isYou(table, last.target) ? "you" : seatName(table, last.target);
  return `${actor} hinted ${what} to ${target}: card${slots.length > 1 ? "s" : ""} ${slots.sort().join(", ")}`;
}

// Sentences from the library name slots from the oldest, beginning with 0: say them as this page does.
export function inPageSlots(sentence, handSize) {
  return sentence.replace(/\bslots? (\d(?:, \d(?!\d*\.\d))*)/gi, (_, slots) => {
    const numbers = slots.split(", ").map((slot) => pageSlot(handSize, Number(slot)));
    return `card${numbers.length > 1 ? "s" : ""} ${numbers.sort().join(", ")}`;
  });
}

// Why a move is refused, said by the library for records and logs; here for the player who wonders.
export function refusalWords(sentence) {
  if (sentence.includes("hint tokens are there")) return "No discarding while all hint tokens are there.";
  if (sentence.includes("none left")) return "No hint token is left: discard a card to get one back.";
  if (sentence.includes("touches no card")) return "A hint must touch at least one card.";
  if (sentence.includes("needs a card in that slot")) return "There is no card in that place.";
  return sentence;
}
