"""An account of a learned belief: what it knows beyond card counting, how near it is to the judge, is it calibrated?

The measure is nats per card: minus the log-probability of each card really held, given the older ones (paper, Eq. 6),
0 for somebody who always knows. Three are compared on the same states:

- *grounded*: exact card counting, which reads nothing into moves;
- *learned*: the belief;
- *judge*: Bayes' rule along the whole history (`belief_judge.py`), exact where the hands can be enumerated, else from
  weighted particles; on fewer states, since it is slow.

The belief is that of an agent which explores at one of some rates. On games played that way (*noisy*) nothing beats the
exact judge but luck. On games without exploration (*greedy*) the judge still allows for it, as the belief must.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np
import torch

from offbelief.agents.loading import Agent
from offbelief.agents.recurrent_agent import RecurrentAgent
from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.beliefs.hand_model import LearnedBelief, counted_logits, hands_for_network, true_hands
from offbelief.evaluation.belief_judge import History, choose_as, exact_nats, particle_nats, play_histories
from offbelief.games.batched import make_streams
from offbelief.games.hanabi.state import NO_CARD
from offbelief.learning.frozen_play import states_of_games
from offbelief.nouns import AnyArray, BoolArray, FloatArray, IntArray, UserError

HINTED = ("not", "colour", "rank", "both")
"""What hints have named of a card."""

_PARTICLES = 32  # the purpose of random streams


@dataclass(frozen=True, kw_only=True)
class AccountSettings:
    """How much is measured."""

    games: int = 200
    """Games whose states are measured, with and without exploration each."""
    states: int = 8192
    """At most so many of their states, drawn at random."""
    judged: int = 100
    """Games of either sort in which one state, at a random turn, is given to the judge; 0 for no judge."""
    most_hands: int = 20_000
    """The judge enumerates hands where there are no more than this."""
    particles: int = 1000
    """Elsewhere it draws so many from the belief and weighs them, which makes it a little too strict."""
    bins: int = 20
    """Of the reliability curve."""
    seed: int = 500_003
    """Of deals, exploration and particles; used for nothing else."""

    def __post_init__(self) -> None:
        for name in ("games", "states", "bins"):
            if getattr(self, name) < 1:
                raise UserError(f"{name} is {getattr(self, name)}; it must be at least 1.")
        if self.judged < 0:
            raise UserError(f"judged is {self.judged}; give 0 for no judge, or the number of states.")


def account_for_belief(
    belief: LearnedBelief, agent: Agent, exploration: Sequence[float], settings: AccountSettings | None = None
) -> dict[str, Any]:
    """Measure a belief on games of its agent.

    Args:
        belief: What was learned.
        agent: Whose moves it reads.
        exploration: The rates that it was learned with.
        settings: How much is measured.

    Returns:
        Plain numbers for JSON: ``settings``, ``exploration``, and under ``greedy`` and ``noisy`` what `measure` gives,
        with what `judge` gives under ``judged`` (null without a judge).
    """
    settings = settings or AccountSettings()
    account: dict[str, Any] = {"settings": asdict(settings), "exploration": list(exploration)}
    for sort, rates in (("greedy", (0.0,)), ("noisy", tuple(exploration))):
        states = states_of_games(agent, belief.game, settings.games, settings.seed, rates, settings.states)
        account[sort] = measure(belief, states, settings.bins)
        account[sort]["judged"] = judge(belief, agent, exploration, rates, settings) if settings.judged > 0 else None
    return account


# ---------------------------------------------------------------------------------------------------------------------
# Nats and calibration on many states
# ---------------------------------------------------------------------------------------------------------------------


def measure(belief: LearnedBelief, states: AnyArray, bins: int) -> dict[str, Any]:
    """Compare a belief with card counting on states.

    Args:
        belief: What was learned.
        states: [B] games with memory; the hands of the acting seats are judged.
        bins: Of the reliability curves.

    Returns:
        ``cards``, ``grounded`` and ``learned`` nats per card; the same ``by_slot`` (oldest first), ``by_hinted``
        (HINTED) and ``by_turn``; the curves of both under ``reliability``.
    """
    seats = belief.game.acting_seats(states)
    hands = true_hands(states, seats, belief.game.variant.hand_size)
    held = hands != NO_CARD
    said = dict(zip(("grounded", "learned"), card_probabilities(belief, states, seats, hands), strict=True))
    nats = {name: _nats(probabilities, hands) for name, probabilities in said.items()}
    mine = (np.arange(len(states)), seats, slice(belief.game.variant.hand_size))
    named = states["colour_told"][mine] + 2 * states["rank_told"][mine]
    turns = np.broadcast_to(states["turn"][:, None], held.shape)
    slots = np.broadcast_to(np.arange(held.shape[1]), held.shape)
    return {
        "states": len(states),
        **_per_card(nats, held),
        "by_slot": [{"slot": slot, **_per_card(nats, held & (slots == slot))} for slot in range(held.shape[1])],
        "by_hinted": {name: _per_card(nats, held & (named == place)) for place, name in enumerate(HINTED)},
        "by_turn": [
            {"turn": turn, **_per_card(nats, held & (turns == turn))} for turn in np.unique(states["turn"]).tolist()
        ],
        "reliability": {name: reliability(probabilities, hands, bins) for name, probabilities in said.items()},
    }


def card_probabilities(
    belief: LearnedBelief, states: AnyArray, seats: IntArray, hands: IntArray
) -> tuple[FloatArray, FloatArray]:
    """Probability [B, H, K] of every kind for every card given the older cards of hands [B, H]: counted and learned."""
    counted = torch.from_numpy(counted_logits(states, belief.game, seats, hands))
    observations = torch.from_numpy(belief.game.observe(states, seats)).to(belief.device)
    given = hands_for_network(hands, belief.game.variant.card_kinds).to(belief.device)
    with torch.inference_mode():
        odds = belief.model(observations, given).cpu()
        return torch.softmax(counted, dim=-1).numpy(), torch.softmax(counted + odds, dim=-1).numpy()


def reliability(probabilities: FloatArray, hands: IntArray, bins: int) -> dict[str, Any]:
    """Hold what was said of cards against what they were.

    Every kind of every card that was neither impossible nor certain counts as one prediction.

    Args:
        probabilities: [B, H, K] said.
        hands: [B, H] true kinds.
        bins: Predictions are sorted by probability into so many bins of equal width.

    Returns:
        By bin, empty ones left out: ``said`` (mean), ``happened`` (share) and ``count``; and the expected calibration
        error, ``error``: the mean over predictions of the distance between the two in their bin.
    """
    kinds = np.arange(probabilities.shape[-1])
    true = hands[..., None] == kinds
    open_ = (probabilities > 0.0) & (probabilities < 1.0) & (hands != NO_CARD)[..., None]
    said, happened = probabilities[open_].astype(np.float64), true[open_]
    place = np.minimum((said * bins).astype(np.int64), bins - 1)
    count = np.bincount(place, minlength=bins)
    filled = count > 0
    means, shares = (np.bincount(place, values, bins)[filled] / count[filled] for values in (said, happened))
    error = float((np.abs(means - shares) * count[filled]).sum() / max(1, count.sum()))
    return {"said": means.tolist(), "happened": shares.tolist(), "count": count[filled].tolist(), "error": error}


def _nats(probabilities: FloatArray, hands: IntArray) -> FloatArray:
    """Minus the log-probability [B, H] of the cards really held; 0 for empty slots."""
    held = hands != NO_CARD
    chosen = np.take_along_axis(probabilities, np.where(held, hands, 0)[..., None], axis=-1)[..., 0]
    return np.asarray(-np.log(np.where(held, chosen, 1.0).astype(np.float64)))


def _per_card(nats: Mapping[str, FloatArray], among: BoolArray) -> dict[str, Any]:
    cards = int(among.sum())
    return {"cards": cards, **{name: float(of[among].mean()) if cards else None for name, of in nats.items()}}


# ---------------------------------------------------------------------------------------------------------------------
# The judge on a few
# ---------------------------------------------------------------------------------------------------------------------


def judge(
    belief: LearnedBelief,
    agent: Agent,
    exploration: Sequence[float],
    played_at: Sequence[float],
    settings: AccountSettings,
) -> dict[str, Any]:
    """Hold a belief against Bayes' rule along the history, on one state of each of some games.

    Args:
        belief: What was learned.
        agent: Whose moves it reads; one whose moves do not depend on private memory, nor (but for rare ties) on coins.
        exploration: The rates that the belief was learned with; the judge allows for these.
        played_at: The rates that the games are played at.
        settings: How much is measured.

    Returns:
        Nats per card of ``grounded``, ``learned`` and ``judge``; ``gap``, learned minus judge, with its standard error
        over states, ``gap_sem``; and how many ``states`` were judged, ``exact`` of them by enumeration.
    """
    if isinstance(agent, RecurrentAgent):
        raise UserError(f"{agent.name} remembers what its own seat saw, so its moves cannot be judged in other worlds.")
    if max(exploration) <= 0.0:
        raise UserError("The judge needs a belief of an agent that explores: without, a surprise rules out every hand.")
    game, choose = belief.game, choose_as(agent, belief.game.variant)
    weights, found, exact = [], [], 0
    for place, history in enumerate(_histories(agent, game, played_at, settings)):
        nats = exact_nats(history, choose, game, exploration, settings.most_hands)
        exact += nats is not None
        if nats is None:
            streams = make_streams(settings.seed + place, _PARTICLES, settings.particles)
            nats = particle_nats(history, choose, game, exploration, belief, streams)
        present = history.positions[-1]
        seats = game.acting_seats(present)
        hands = true_hands(present, seats, game.variant.hand_size)
        cards = int((hands != NO_CARD).sum())
        others = [_nats(said, hands).sum() / cards for said in card_probabilities(belief, present, seats, hands)]
        weights.append(cards)
        found.append([*others, nats])
    per_state = np.array(found)
    grounded, learned, judged = np.average(per_state, axis=0, weights=weights).tolist()
    gaps = per_state[:, 1] - per_state[:, 2]
    sem = float(gaps.std(ddof=1) / np.sqrt(len(gaps))) if len(gaps) > 1 else None
    return {
        "states": len(found),
        "exact": exact,
        "grounded": grounded,
        "learned": learned,
        "judge": judged,
        "gap": learned - judged,
        "gap_sem": sem,
    }


def _histories(
    agent: Agent, game: HanabiGame, played_at: Sequence[float], settings: AccountSettings
) -> Iterator[History]:
    choose = choose_as(agent, game.variant)
    # The next seed: these are other games than those that are measured without the judge.
    for history, _ in play_histories(choose, game, settings.judged, settings.seed + 1, played_at):
        yield history
