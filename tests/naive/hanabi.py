"""The slow judge of Hanabi's rules: plain Python, lists and sets, written to be read beside the rule book.

It shares nothing with the kernels but the settings of `HanabiVariant` and, in `as_record`, the layout that it fills.
"""

from dataclasses import dataclass, field

import numpy as np

from offbelief.games.hanabi.state import HANABI_STATE
from offbelief.games.hanabi.variant import HanabiVariant

NONE = 255


@dataclass
class Card:
    colour: int
    rank: int
    deal_index: int
    possible_colours: set[int]
    possible_ranks: set[int]
    colour_told: bool = False
    rank_told: bool = False


@dataclass
class LastMove:
    actor: int = NONE
    type: int = NONE  # 0 play, 1 discard, 2 colour hint, 3 rank hint
    target: int = NONE
    colour: int = NONE
    rank: int = NONE
    touched: set[int] = field(default_factory=set)
    slot: int = NONE
    card: int = NONE
    scored: bool = False
    token_gained: bool = False


class NaiveHanabi:
    """One game, from a deck given as (colour, rank) pairs in drawing order."""

    def __init__(self, variant: HanabiVariant, deck: list[tuple[int, int]], start_seat: int = 0):
        self.variant = variant
        self.deck = list(deck)
        self.drawn = 0
        self.hands: list[list[Card]] = [[] for _ in range(variant.players)]
        self.fireworks = [0] * variant.colours
        self.discards: list[tuple[int, int]] = []
        self.hint_tokens = variant.hint_tokens
        self.lives = variant.lives
        self.start_seat = self.seat = start_seat
        self.turn = 0
        self.turns_left = variant.players
        self.end = 0  # 0 running, 1 out of lives, 2 full score, 3 out of cards, 4 turn cap
        self.last = LastMove()
        for seat in range(variant.players):
            for _ in range(variant.hand_size):
                self.draw(seat)

    def draw(self, seat: int) -> None:
        colour, rank = self.deck[self.drawn]
        every_colour, every_rank = set(range(self.variant.colours)), set(range(self.variant.ranks))
        self.hands[seat].append(Card(colour, rank, self.drawn, every_colour, every_rank))
        self.drawn += 1

    @property
    def score(self) -> int:
        if self.end == 1 and self.variant.third_strike_scores == "zero":
            return 0
        return sum(self.fireworks)

    def all_moves(self) -> list[tuple[str, int, int]]:
        """Every move in HLE's order as (what, seats after the actor, slot or colour or rank)."""
        variant = self.variant
        others = range(1, variant.players)
        return (
            [("discard", 0, slot) for slot in range(variant.hand_size)]
            + [("play", 0, slot) for slot in range(variant.hand_size)]
            + [("colour", other, colour) for other in others for colour in range(variant.colours)]
            + [("rank", other, rank) for other in others for rank in range(variant.ranks)]
        )

    def is_legal(self, what: str, other: int, value: int) -> bool:
        if self.end:
            return False
        target = self.hands[(self.seat + other) % self.variant.players]
        if what == "play":
            return value < len(target)
        if what == "discard":
            return value < len(target) and self.hint_tokens < self.variant.hint_tokens
        if what == "colour":
            return self.hint_tokens > 0 and any(card.colour == value for card in target)
        return self.hint_tokens > 0 and any(card.rank == value for card in target)

    def legal_moves(self) -> list[int]:
        return [number for number, move in enumerate(self.all_moves()) if self.is_legal(*move)]

    def return_token(self) -> bool:
        if self.hint_tokens < self.variant.hint_tokens:
            self.hint_tokens += 1
            return True
        return False

    def step(self, number: int) -> int:
        """Make a move; returns the change of the score."""
        what, other, value = self.all_moves()[number]
        assert self.is_legal(what, other, value)
        points_before = self.score
        was_empty = self.drawn == len(self.deck)
        actor = self.seat
        target = (actor + other) % self.variant.players
        if what in ("play", "discard"):
            card = self.hands[actor].pop(value)
            kind = card.colour * self.variant.ranks + card.rank
            self.last = LastMove(actor=actor, type=0 if what == "play" else 1, slot=value, card=kind)
            if what == "discard":
                self.discards.append((card.colour, card.rank))
                self.last.token_gained = self.return_token()
            elif self.fireworks[card.colour] == card.rank:
                self.fireworks[card.colour] += 1
                self.last.scored = True
                if self.fireworks[card.colour] == self.variant.ranks:
                    self.last.token_gained = self.return_token()
            else:
                self.discards.append((card.colour, card.rank))
                self.lives -= 1
        else:
            self.hint_tokens -= 1
            self.last = LastMove(actor=actor, type=2 if what == "colour" else 3, target=target)
            if what == "colour":
                self.last.colour = value
            else:
                self.last.rank = value
            for slot, card in enumerate(self.hands[target]):
                if what == "colour" and card.colour == value:
                    card.possible_colours, card.colour_told = {value}, True
                    self.last.touched.add(slot)
                elif what == "colour":
                    card.possible_colours.discard(value)
                elif card.rank == value:
                    card.possible_ranks, card.rank_told = {value}, True
                    self.last.touched.add(slot)
                else:
                    card.possible_ranks.discard(value)

        self.turn += 1
        if was_empty:
            self.turns_left -= 1
        if self.lives == 0:
            self.end = 1
        elif sum(self.fireworks) == self.variant.colours * self.variant.ranks:
            self.end = 2
        elif self.turns_left == 0:
            self.end = 3
        elif self.variant.turn_cap is not None and self.turn >= self.variant.turn_cap:
            self.end = 4
        if not self.end and not was_empty and what in ("play", "discard"):
            self.draw(actor)
        self.seat = (actor + 1) % self.variant.players
        return self.score - points_before

    def possible_kinds(self, seat: int) -> list[set[int]]:
        """For each card of a hand the kinds that hints leave possible."""
        return [
            {colour * self.variant.ranks + rank for colour in card.possible_colours for rank in card.possible_ranks}
            for card in self.hands[seat]
        ]

    def unseen(self, seat: int | None) -> list[int]:
        """Cards by kind in the deck and the hands that a seat does not see; None sees no hand."""
        cards = self.deck[self.drawn :]
        for other, hand in enumerate(self.hands):
            if seat is None or other == seat:
                cards = cards + [(card.colour, card.rank) for card in hand]
        kinds = [colour * self.variant.ranks + rank for colour, rank in cards]
        return [kinds.count(kind) for kind in range(self.variant.colours * self.variant.ranks)]

    def as_record(self) -> np.void:
        """The game in the layout of HANABI_STATE, with `stream` and `restarts` left at 0."""
        states = np.zeros(1, dtype=HANABI_STATE)
        game = states[0]
        ranks = self.variant.ranks
        game["turn"] = self.turn
        game["acting_seat"] = self.seat
        game["start_seat"] = self.start_seat
        game["hint_tokens"] = self.hint_tokens
        game["lives"] = self.lives
        game["cards_drawn"] = self.drawn
        game["turns_left"] = self.turns_left
        game["score"] = self.score
        game["is_over"] = self.end != 0
        game["end_reason"] = self.end
        game["fireworks"][: self.variant.colours] = self.fireworks
        game["hands"] = NONE
        game["deal_indices"] = NONE
        for seat, hand in enumerate(self.hands):
            game["hand_sizes"][seat] = len(hand)
            for slot, card in enumerate(hand):
                game["hands"][seat, slot] = card.colour * ranks + card.rank
                game["deal_indices"][seat, slot] = card.deal_index
                game["possible_colours"][seat, slot] = sum(2**colour for colour in card.possible_colours)
                game["possible_ranks"][seat, slot] = sum(2**rank for rank in card.possible_ranks)
                game["colour_told"][seat, slot] = card.colour_told
                game["rank_told"][seat, slot] = card.rank_told
        last = self.last
        game["last_actor"], game["last_type"], game["last_target"] = last.actor, last.type, last.target
        game["last_colour"], game["last_rank"] = last.colour, last.rank
        game["last_touched"] = sum(2**slot for slot in last.touched)
        game["last_slot"], game["last_card"] = last.slot, last.card
        game["last_scored"], game["last_token_gained"] = last.scored, last.token_gained
        for colour, rank in self.discards:
            game["discards"][colour * ranks + rank] += 1
        game["deck"] = NONE
        game["deck"][: len(self.deck)] = [colour * ranks + rank for colour, rank in self.deck]
        return game


def naive_twin(variant: HanabiVariant, game: np.void) -> NaiveHanabi:
    """Begin a naive game with the deck and first seat of a freshly dealt record."""
    deck = [divmod(int(kind), variant.ranks) for kind in game["deck"][: variant.deck_size]]
    return NaiveHanabi(variant, deck, int(game["start_seat"]))
