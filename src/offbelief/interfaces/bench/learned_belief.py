"""`obl bench belief`, second part: hands from a learned belief, and what they cost in training level 2.

Measured on the policy of the preset `ladder-2p` in the middle of training, with the belief that the preset asks for.
Its weights are fresh, which makes no difference to its speed. The policy begins as a trained agent, so that games, real
and imagined, are as long as in earnest.

A hand is drawn card by card, each with a pass through the model's head; the policy looks at a state once. So the rival
of a hand is the policy's own choice of a move in the same state: imagining begins with the one and goes on with some of
the other. Seconds are seconds of CPU time.
"""

from collections.abc import Iterator

import torch

from offbelief.agents.acting import greedy_moves, look
from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.beliefs.hand_model import HandModel, HandModelSettings, LearnedBelief
from offbelief.games.batched import make_streams
from offbelief.interfaces.bench.timing import BenchRow, median_seconds
from offbelief.interfaces.bench.training import CLOCK, STEPS, TrainingUnderClocks, begun
from offbelief.learning.config import RunConfig
from offbelief.learning.ladder_presets import LADDER_PRESETS

PRESET = "ladder-2p"
CHOICE = "the policy's choice of a move"


def bench_learned_belief(threads: int = 1) -> Iterator[BenchRow]:
    """Measure sampled hands beside the policy's inference, then training with its share of time per stage."""
    torch.set_num_threads(threads)
    config, settings = level_2()
    belief_game = HanabiGame(config.game, view=config.view)
    belief = LearnedBelief(belief_game, HandModel(belief_game, settings).eval())
    run = TrainingUnderClocks(config, belief)
    training = run.training
    game, states = training.game, training.rollout.states.copy()
    seats, streams = game.acting_seats(states), make_streams(0, 1, len(states))
    network = training.learner.online
    sampling = median_seconds(lambda: belief.sample_hands(states, seats, streams), clock=CLOCK)
    choosing = median_seconds(lambda: greedy_moves(network, look(game, states, training.device)), clock=CLOCK)
    yield BenchRow(
        name="belief.learned_sample",
        per_second=len(states) / sampling,
        unit="hands",
        rival=CHOICE,
        rival_per_second=len(states) / choosing,
        extra={"seconds_are": "CPU time", "variant": game.name, "batch": len(states)},
    )
    block = run.measure(training.advance)
    yield BenchRow(
        name="training.level_2",
        per_second=STEPS * config.games / block.seconds,
        unit="imagined transitions",
        extra={"belief_share": block.shares["belief"], "shares": block.shares, **run.describe()},
    )


def level_2() -> tuple[RunConfig, HandModelSettings]:
    """The second rung of the ladder from a trained level 1, and its belief's widths."""
    ladder = LADDER_PRESETS[PRESET][1]()
    assert isinstance(ladder.belief.model, HandModelSettings)
    return begun(ladder.policy), ladder.belief.model
