"""`obl bench belief`: exact hands per second from the grounded belief, and imagined transitions per second.

Learned beliefs are measured by `learned_belief.py`. No public engine can re-deal a hand from a belief and step the
imagined game, so there is no rival to stand beside.
"""

from collections.abc import Iterator

import numpy as np

from offbelief.agents.scripted import scripted_policy
from offbelief.beliefs.counting import imagined_transitions, sample_hands
from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.state import copy_states
from offbelief.interfaces.bench.timing import BenchRow, median_seconds
from offbelief.streams import new_stream

BATCH = 4096
OPENING_TURNS = 25


def bench_belief() -> Iterator[BenchRow]:
    """Measure on positions from the middle of sensible games."""
    batch = _middle_games()
    states, variant = batch.states, batch.variant
    streams = np.concatenate([new_stream(2, game) for game in range(len(states))])
    extra = {"variant": variant.name, "batch": len(states), "turn": OPENING_TURNS}
    seconds = median_seconds(lambda: sample_hands(states, variant, None, streams))
    yield BenchRow(name="belief.sample", per_second=len(states) / seconds, unit="hands", extra=extra)
    moves = scripted_policy("random").act(states, variant, streams)
    out = copy_states(states)
    seconds = median_seconds(lambda: imagined_transitions(states, variant, moves, streams, out=out))
    yield BenchRow(name="fictitious.transition", per_second=len(states) / seconds, unit="transitions", extra=extra)


def _middle_games() -> HanabiBatch:
    """Games of the IGGI bot that are still running after some turns."""
    bot = scripted_policy("iggi")
    batch = HanabiBatch("full-2p", BATCH, seed=1)
    streams = np.concatenate([new_stream(1, game) for game in range(BATCH)])
    for _ in range(OPENING_TURNS):
        batch.step(bot.act(batch.states, batch.variant, streams))
    return HanabiBatch.from_states(batch.variant, batch.states[~batch.is_over])
