"""What goes on in an agent's mind at a turn of Hanabi: what it believes, what its moves are worth to it, and why.

- `read_mind`: the belief over its own hand, the value of every legal move, the chosen one, and a sentence made from
  these numbers.
- `judge_move`: the same for somebody else's move, valued by the agent.
- `disagreements`: where two agents would go different ways in one game.
- `imagine_transition`: the fictitious transition that off-belief learning learns from, made visible.

Everything is computed from what the acting seat sees, so nothing here gives its hidden cards away. One game at a time,
for people; `offbelief.learning.fictitious` does the imagining in batches for training, and pictures are drawn by the
interfaces. Values come from `q_values_of` alone, beliefs from `belief_of` alone: an agent that values or believes in
another way is taught there. Agents with a memory must be reminded of the game before (`reminding.remind`).
"""

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from offbelief.agents.acting import look, value_moves
from offbelief.agents.loading import NetworkAgent
from offbelief.agents.memory_agent import MemoryAgent
from offbelief.agents.recurrent_agent import RecurrentAgent, plays_alike
from offbelief.agents.remembering import RememberingPlayer
from offbelief.beliefs.counting import hand_marginals
from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.evaluation.reasons import amount, margin, reason_for_move
from offbelief.evaluation.reminding import Minded, Reminded
from offbelief.games.batched import make_streams
from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.memory import new_memories
from offbelief.games.hanabi.moves import why_illegal
from offbelief.games.hanabi.records import GameRecord, card_name
from offbelief.games.hanabi.remembered import join, split
from offbelief.games.hanabi.text import describe_last_move, label_move, seat_name
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.learning.fictitious import FictitiousSettings
from offbelief.nouns import AnyArray, FloatArray, UserError

GROUNDED = "grounded"
"""The kind of belief that every agent has: exact, from hints and visible cards alone (paper, Section 4.3)."""

LEARNED = "learned"
"""The belief that an agent of level 2 or more was trained on: what the moves of the level below say (Eq. 6)."""
BELIEF_SAMPLES = 256
"""Hands drawn to estimate a learned belief."""

_COINS = 12  # the purpose of the streams that scripted players flip coins with when they are compared

# ---------------------------------------------------------------------------------------------------------------------
# What is found
# ---------------------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class MoveValue:
    """A legal move and what the agent expects of it."""

    move: int
    """HLE's number."""
    label: str
    """In words, such as "hint 1s"."""
    value: float | None
    """Points that the agent expects from now on, or None if it does not put values on moves."""


@dataclass(frozen=True, eq=False)
class Mind:
    """What an agent believes and values at its turn."""

    seat: int
    """Whose turn it is."""
    belief: FloatArray
    """[H, K] probability of every kind for every card of its own hand; 0 in empty slots"""
    belief_kind: str
    """Where the belief comes from: "grounded" for exact card counting."""
    moves: tuple[MoveValue, ...]
    """Every legal move, the best first; in order of number if they have no values."""
    chosen: int
    """The move that the agent makes."""
    sentence: str
    """Why, in numbers."""

    def as_json(self) -> dict[str, Any]:
        """The same as plain lists, numbers and words."""
        return {
            "seat": self.seat,
            "belief": self.belief.tolist(),
            "belief_kind": self.belief_kind,
            "moves": [asdict(move) for move in self.moves],
            "chosen": self.chosen,
            "sentence": self.sentence,
        }


@dataclass(frozen=True, eq=False)
class JudgedMove:
    """What an agent thinks of a move that somebody else makes."""

    mind: Mind
    """What the agent would do in that place."""
    move: int
    """The move that is judged."""
    label: str
    """The same in words."""
    value: float | None
    """What the agent expects of it, or None if it does not put values on moves."""
    rank: int | None
    """1 + the number of legal moves that the agent holds for better; None without values."""
    sentence: str
    """What it would rather do, in numbers."""

    def as_json(self) -> dict[str, Any]:
        """The same as plain lists, numbers and words."""
        return {
            "mind": self.mind.as_json(),
            "move": self.move,
            "label": self.label,
            "value": self.value,
            "rank": self.rank,
            "sentence": self.sentence,
        }


@dataclass(frozen=True)
class Disagreement:
    """A turn at which two agents choose different moves."""

    turn: int
    """Moves made before it."""
    seat: int
    """Whose turn it is."""
    move_a: int
    label_a: str
    move_b: int
    label_b: str
    loss_a: float | None
    """How much worse agent A holds B's move to be; None if A puts no values on moves."""
    loss_b: float | None
    """How much worse agent B holds A's move to be."""

    @property
    def is_tie(self) -> bool:
        """Whether one of them holds both moves for exactly equal, so that only the order of moves decided."""
        return self.loss_a == 0.0 or self.loss_b == 0.0

    def as_json(self) -> dict[str, Any]:
        """The same as plain numbers and words."""
        return {**asdict(self), "is_tie": self.is_tie}


@dataclass(frozen=True)
class ImaginedStep:
    """One move of an imagined game."""

    seat: int
    move: int
    label: str
    outcome: str
    """What it did there, in words."""
    reward: float


@dataclass(frozen=True)
class ImaginedTransition:
    """One fictitious transition (paper, Fig. 1, right)."""

    seat: int
    """Who imagines."""
    hand: tuple[int, ...]
    """The kinds of cards that it imagines in its hand, drawn from its belief."""
    cards: tuple[str, ...]
    """The same in words, such as "R1"."""
    steps: tuple[ImaginedStep, ...]
    """Its own move, and the others' until its next turn or the end of the imagined game."""
    discount: float
    """Per move."""
    is_over: bool
    """Whether the imagined game ended."""
    value: float | None
    """What the agent expects at its next turn there, 0 after the end; None if it puts no values on moves."""
    target: float | None
    """Discounted rewards and value: what learning would move the estimate towards."""
    estimate: float | None
    """What the agent expects of the move now."""
    name: str
    """What the seat that imagines is called."""

    @property
    def sentence(self) -> str:
        """All of this in words."""
        told = f"{self.name} imagines {' '.join(self.cards)}: {'; '.join(step.outcome for step in self.steps)}."
        if self.is_over:
            told += " The imagined game ends there."
        elif self.value is not None:
            told += f" The next turn is worth {self.value:.2f}."
        if self.target is not None:
            told += f" Target {self.target:.2f}; the estimate was {self.estimate:.2f}."
        return told

    def as_json(self) -> dict[str, Any]:
        """The same as plain lists, numbers and words."""
        return {**asdict(self), "sentence": self.sentence}


# ---------------------------------------------------------------------------------------------------------------------
# Asking agents
# ---------------------------------------------------------------------------------------------------------------------


def q_values_of(agent: Minded, states: AnyArray, variant: HanabiVariant) -> FloatArray | None:
    """What an agent expects of every move: the one place where values are obtained from agents.

    Returns:
        [B, A] points from now on, far below zero for illegal moves; None for scripted players, who have none.
    """
    asked, memory = (agent.agent, agent.memory) if isinstance(agent, Reminded) else (agent, None)
    if not isinstance(asked, NetworkAgent | MemoryAgent | RecurrentAgent):
        return None
    if not plays_alike(variant, asked.game.variant):
        raise UserError(f"{asked.name} was trained for {asked.game.name} and cannot value moves of {variant.name}.")
    if isinstance(asked, RecurrentAgent):
        return asked.value(states, memory)[:, : variant.num_moves]  # what is left out is waiting for others
    records = _with_memory(states, memory) if isinstance(asked, MemoryAgent) else states
    values: FloatArray = value_moves(asked.network, look(asked.game, records, asked.device)).cpu().numpy()
    return values


def belief_of(agent: Minded, states: AnyArray, variant: HanabiVariant) -> tuple[FloatArray, str]:
    """[B, H, K] what an agent believes of the acting seats' own cards, and the kind of belief it is."""
    asked, memory = (agent.agent, agent.memory) if isinstance(agent, Reminded) else (agent, None)
    if not isinstance(asked, MemoryAgent) or asked.belief is None:
        return hand_marginals(states, variant), GROUNDED
    records = _with_memory(states, memory)
    seats = asked.game.acting_seats(records)
    return asked.belief.marginals(records, seats, samples=BELIEF_SAMPLES), LEARNED


def _with_memory(states: AnyArray, memory: AnyArray | None) -> AnyArray:
    """[B] states with their public memories; only games that have just been dealt need none."""
    return join(states, new_memories(states) if memory is None else memory)


def read_mind(
    agent: Minded, states: AnyArray, variant: HanabiVariant, streams: AnyArray, *, names: Sequence[str] = ()
) -> Mind:
    """Read what an agent believes, values and chooses for the seat whose turn it is.

    Args:
        agent: Who is asked.
        states: [1] a running game.
        variant: Its rules.
        streams: [1] uint64 random stream of the agent's coins, advanced as by `act`.
        names: What labels and sentences call the seats; "seat 0" and so on where they are missing.
    """
    _check_running(states)
    chosen = int(agent.act(states, variant, streams)[0])
    seat = int(states["acting_seat"][0])
    belief, belief_kind = belief_of(agent, states, variant)
    values = q_values_of(agent, states, variant)
    legal = np.flatnonzero(HanabiBatch.from_states(variant, states).legal_moves()[0]).tolist()
    moves = [
        MoveValue(
            move, label_move(variant, move, seat, names=names), None if values is None else float(values[0, move])
        )
        for move in legal
    ]
    moves.sort(key=lambda move: 0.0 if move.value is None else -move.value)  # keeps the order of equals
    reason = reason_for_move(states[0], variant, belief[0], chosen, names=names)
    sentence = f"{reason}{_margin_of(moves, chosen)}."
    return Mind(seat, belief[0], belief_kind, tuple(moves), chosen, sentence)


def judge_move(
    agent: Minded,
    states: AnyArray,
    move: int,
    variant: HanabiVariant,
    streams: AnyArray,
    *,
    names: Sequence[str] = (),
) -> JudgedMove:
    """Say what an agent thinks of a move, before it is made.

    Args:
        agent: The judge, asked as if it sat where the move is made.
        states: [1] a running game.
        move: A legal move of the seat whose turn it is.
        variant: The rules.
        streams: [1] uint64 random stream of the agent's coins, advanced as by `act`.
        names: What labels and sentences call the seats.
    """
    _check_legal(states, variant, move)
    mind = read_mind(agent, states, variant, streams, names=names)
    by_move = {known.move: known for known in mind.moves}
    judged, favourite = by_move[move], by_move[mind.chosen]
    rank = None
    if judged.value is not None:
        rank = 1 + sum(known.value > judged.value for known in mind.moves if known.value is not None)
    if move == mind.chosen:
        sentence = f"The agent would do the same{_margin_of(mind.moves, move)}."
    elif judged.value is None or favourite.value is None:
        sentence = f"The agent would rather {favourite.label}."
    elif favourite.value > judged.value:
        sentence = f"The agent would rather {favourite.label}: {amount(favourite.value - judged.value)} more."
    else:
        sentence = f"The agent would {favourite.label}, but holds this move for no worse."
    return JudgedMove(mind, move, judged.label, judged.value, rank, sentence)


def disagreements(
    agent_a: Minded,
    agent_b: Minded,
    variant: HanabiVariant,
    states_along_the_game: AnyArray,
    *,
    names: Sequence[str] = (),
) -> list[Disagreement]:
    """List the turns of one game at which two agents would choose different moves.

    Args:
        agent_a: One agent, asked at every turn for the seat to move.
        agent_b: The other. Scripted players flip the same coins every time they are asked.
        variant: The rules.
        states_along_the_game: [T] the game before each of its moves, as `states_of` gives them.
        names: What labels call the seats.

    Returns:
        In order of turns. Those that only the order of equal moves decided are marked by `Disagreement.is_tie`.
    """
    states = states_along_the_game
    chosen_a, chosen_b = (
        agent.act(states, variant, make_streams(0, _COINS, len(states))).tolist() for agent in (agent_a, agent_b)
    )
    values_a, values_b = (q_values_of(agent, states, variant) for agent in (agent_a, agent_b))
    found = []
    for index, (move_a, move_b) in enumerate(zip(chosen_a, chosen_b, strict=True)):
        if move_a != move_b:
            seat = int(states["acting_seat"][index])
            found.append(
                Disagreement(
                    turn=int(states["turn"][index]),
                    seat=seat,
                    move_a=move_a,
                    label_a=label_move(variant, move_a, seat, names=names),
                    move_b=move_b,
                    label_b=label_move(variant, move_b, seat, names=names),
                    loss_a=None if values_a is None else float(values_a[index, move_a] - values_a[index, move_b]),
                    loss_b=None if values_b is None else float(values_b[index, move_b] - values_b[index, move_a]),
                )
            )
    return found


def states_of(record: GameRecord) -> AnyArray:
    """[T] a recorded game before each of its T moves."""
    batch = HanabiBatch.from_decks(record.variant, [record.deck], start_seats=[record.start_seat])
    states = np.empty(len(record.moves), dtype=batch.states.dtype)
    for turn, move in enumerate(record.moves):
        states[turn] = batch.states[0]
        batch.step([move])
    return states


def imagine_transition(
    agent: Minded,
    states: AnyArray,
    move: int,
    variant: HanabiVariant,
    streams: AnyArray,
    *,
    discount: float = FictitiousSettings().discount,
    names: Sequence[str] = (),
) -> ImaginedTransition:
    """Make one fictitious transition visible: what off-belief learning would learn from this move.

    Paper: Section 4.6 and Fig. 1 (right), with the target of Eq. 5; one sample, and no continuation beyond the seat's
    next turn (the Bellman form, Eq. 4), whatever the agent was trained with.

    Args:
        agent: Whose belief and policy are used, for every seat; not one whose memory is private to its seat.
        states: [1] a running game; not changed.
        move: The real move of the seat whose turn it is, made in the imagined game.
        variant: The rules.
        streams: [1] uint64 random stream of the imagination, advanced.
        discount: Per move; the default is the one of training (Table 2).
        names: What labels and sentences call the seats.
    """
    _check_legal(states, variant, move)
    asked, memory = (agent.agent, agent.memory) if isinstance(agent, Reminded) else (agent, None)
    if isinstance(asked, NetworkAgent | MemoryAgent):
        game = HanabiGame(variant, asked.game.encoding, asked.game.view, asked.game.belief)
    elif memory is None and not isinstance(asked, RecurrentAgent):
        game = HanabiGame(variant)
    else:
        raise UserError("This agent remembers what its own seat saw, not what its partners did; imagine with another.")
    values = q_values_of(agent, states, variant)
    me = int(states["acting_seat"][0])
    imagined = game.redeal(_with_memory(states, memory) if game.view.memory else states, streams)
    hand = tuple(int(kind) for kind in imagined["hands"][0, me, : imagined["hand_sizes"][0, me]])
    steps: list[ImaginedStep] = []
    earned, weight = 0.0, 1.0
    moves = np.array([move])
    while not steps or (not imagined["is_over"][0] and imagined["acting_seat"][0] != me):
        seat = int(imagined["acting_seat"][0])
        if steps:
            agent, present = _at(asked, imagined)
            moves = agent.act(present, variant, streams)
        reward = float(game.step(imagined, moves)[0])
        label = label_move(variant, int(moves[0]), seat, names=names)
        outcome = describe_last_move(imagined[0], variant, names=names)
        steps.append(ImaginedStep(seat, int(moves[0]), label, outcome, reward))
        earned += weight * reward
        weight *= discount
    is_over = bool(imagined["is_over"][0])
    value = target = None
    if values is not None:
        agent, present = _at(asked, imagined)
        ahead = None if is_over else q_values_of(agent, present, variant)
        value = 0.0 if ahead is None else float(ahead[0].max())
        target = earned + weight * value
    return ImaginedTransition(
        seat=me,
        hand=hand,
        cards=tuple(card_name(variant, kind) for kind in hand),
        steps=tuple(steps),
        discount=discount,
        is_over=is_over,
        value=value,
        target=target,
        estimate=None if values is None else float(values[0, move]),
        name=seat_name(me, names),
    )


def _at(agent: Minded | RememberingPlayer, records: AnyArray) -> tuple[Minded, AnyArray]:
    """Take imagined games [B] apart: the agent with what it remembers of them, and their states."""
    if isinstance(agent, MemoryAgent):
        states, memory = split(records)
        return Reminded(agent, memory), states
    assert not isinstance(agent, RememberingPlayer)  # refused before
    return agent, records


def _margin_of(moves: Sequence[MoveValue], chosen: int) -> str:
    """How far the chosen move is ahead, in words."""
    ordered = sorted(moves, key=lambda known: known.move != chosen)  # the chosen one first, the rest as it was
    return margin([(known.label, known.value) for known in ordered])


# ---------------------------------------------------------------------------------------------------------------------
# Checks
# ---------------------------------------------------------------------------------------------------------------------


def _check_running(states: AnyArray) -> None:
    if states.shape != (1,):
        raise UserError(f"A mind is read in one game at a time; give states of shape (1,), not {states.shape}.")
    if states["is_over"][0]:
        raise UserError("The game is over, so nobody has a move to think about; give a game that is running.")


def _check_legal(states: AnyArray, variant: HanabiVariant, move: int) -> None:
    _check_running(states)
    reason = why_illegal(variant, states[0], move)
    if reason is not None:
        raise UserError(f"The move cannot be made: {reason}.")
