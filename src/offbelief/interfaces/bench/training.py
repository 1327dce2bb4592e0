"""`obl bench rollout` and `obl bench learner`: how fast deep off-belief learning is, and where its time goes.

Measured on the preset `obl-1-2p` in the middle of training: the networks are those of a trained agent, so that imagined
games are as long as in earnest. Training is run as it is, with clocks around its stages.

Nobody else trains this way on a processor, so the rival is an ideal: as many floating-point operations as the networks
need, done by plain large matrix products in the same run. The ratio says how much of the machine's arithmetic reaches
the networks; 1 would mean that playing, imagining, encoding, memory traffic and Python cost nothing.

Seconds are seconds of CPU time, the unit in which runs are planned: a shared machine interrupts what takes long.
"""

import copy
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import torch
from torch import nn
from torch.utils.flop_counter import FlopCounterMode

from offbelief.agents.acting import Look, look
from offbelief.beliefs.hanabi_game import HanabiGame, HandBelief
from offbelief.interfaces.bench.timing import REPEATS, BenchRow, median_seconds
from offbelief.learning.building import network_of
from offbelief.learning.config import RunConfig
from offbelief.learning.presets import find_preset
from offbelief.learning.train_policy import PolicyTraining

PRESET, AGENT = "obl-1-2p", "obl-1-a"
SPREAD_MOVES = 70
"""Moves before anything is measured, so that games are at all turns."""
STEPS = 8
"""Steps of training in one measurement."""
PRODUCT_SIZE = 1024
"""Rows and columns of the ideal's matrices."""

CLOCK = time.process_time
"""What seconds are."""

IDEAL = "as many operations in plain matrix products"

_STAGES = {
    "environment": ("step", "restart_finished", "legal_moves", "exploration_weights", "acting_seats", "is_over"),
    "belief": ("redeal",),
    "encoding": ("observe", "relabel"),
}
"""Methods of a batched game by the stage that they belong to."""


def begun(config: RunConfig) -> RunConfig:
    """A run that begins with trained weights: an untrained policy ends its games early."""
    return replace(config, start_from=AGENT, network=network_of(AGENT), steps=1_000_000)


class StageClock:
    """Sums up the time inside wrapped methods, by stage; a method called by another wrapped one counts to the other."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}
        self._inside = False

    def wrap(self, owner: Any, method: str, stage: str) -> None:
        """Put the clock around a method of one object."""
        action: Callable[..., Any] = getattr(owner, method)
        self.seconds.setdefault(stage, 0.0)

        def timed(*arguments: Any, **named: Any) -> Any:
            if self._inside:
                return action(*arguments, **named)
            self._inside = True
            started = CLOCK()
            try:
                return action(*arguments, **named)
            finally:
                self.seconds[stage] += CLOCK() - started
                self._inside = False

        setattr(owner, method, timed)

    def restart(self) -> None:
        """Set all stages to zero."""
        self.seconds = dict.fromkeys(self.seconds, 0.0)


@dataclass(frozen=True)
class Block:
    """A few steps, measured."""

    seconds: float
    stages: dict[str, float]
    """Seconds by stage; the rest of the time is that of Python, replay and copies"""
    rows: int
    """Observations that went through a network to choose or to value moves"""
    ideal_rate: float
    """Operations per second in plain matrix products, measured right before"""

    @property
    def shares(self) -> dict[str, float]:
        """Share of the time by stage."""
        shares = {stage: seconds / self.seconds for stage, seconds in self.stages.items()}
        return {**shares, "other": 1.0 - sum(shares.values())}


class TrainingUnderClocks:
    """A run in full swing: trained networks, games at all turns, clocks around every stage.

    Args:
        config: What is trained; level 1 if left out.
        belief: What it imagines from; card counting if left out.
    """

    def __init__(self, config: RunConfig | None = None, belief: HandBelief | None = None) -> None:
        self.training = PolicyTraining(config or begun(find_preset(PRESET)))
        assert isinstance(self.training.game, HanabiGame)
        self.training.game.belief = belief
        learner, rollout = self.training.learner, self.training.rollout
        for _ in range(SPREAD_MOVES):
            rollout.advance(rollout.act(learner.online)[2])
        seen = look(rollout.game, rollout.states[: self.training.config.batch_size], self.training.device)
        self.operations_per_row, self.operations_per_update = count_operations(learner.online, seen)
        self._clock = StageClock()
        for stage, methods in _STAGES.items():
            for method in methods:
                self._clock.wrap(rollout.game, method, stage)
        self._rows = [0]
        for network in (learner.online, learner.target):
            self._count_rows(network)
            self._clock.wrap(network, "forward", "inference")
        self._clock.wrap(learner, "update", "learning")
        while self.training.replay.added < self.training.config.warmup:
            self.training.advance()

    def measure(self, action: Callable[[], object]) -> Block:
        """Do something a few times over; the block of median length."""
        action()
        blocks = []
        for _ in range(REPEATS):
            ideal_rate = product_rate()  # each time, because a shared machine is not always equally fast
            self._clock.restart()
            self._rows[0] = 0
            started = CLOCK()
            for _ in range(STEPS):
                action()
            seconds = CLOCK() - started
            blocks.append(Block(seconds, self._clock.seconds, self._rows[0], ideal_rate))
        return sorted(blocks, key=lambda block: block.seconds)[REPEATS // 2]

    def describe(self) -> dict[str, Any]:
        """What the figures depend on."""
        config = self.training.config
        return {"seconds_are": "CPU time", "preset": config.preset, "games": config.games, "batch": config.batch_size}

    def _count_rows(self, network: nn.Module) -> None:
        forward = network.forward

        def counted(observations: torch.Tensor, *others: Any) -> Any:
            if not torch.is_grad_enabled():  # an update has its own operations
                self._rows[0] += len(observations)
            return forward(observations, *others)

        network.forward = counted


def bench_rollout(threads: int = 1) -> Iterator[BenchRow]:
    """Measure playing and imagining: real moves that got their target, per second."""
    torch.set_num_threads(threads)
    run = TrainingUnderClocks()
    training = run.training
    block = run.measure(lambda: training.method.collect(training.rollout, training.learner, 0.0))
    transitions = STEPS * training.config.games
    yield BenchRow(
        name="rollout.step",
        per_second=transitions / block.seconds,
        unit="imagined transitions",
        rival=IDEAL,
        rival_per_second=transitions * block.ideal_rate / (block.rows * run.operations_per_row),
        extra={
            "rows_per_transition": block.rows / transitions,
            "shares": {stage: share for stage, share in block.shares.items() if stage != "learning"},
            **run.describe(),
        },
    )


def bench_learner(threads: int = 1) -> Iterator[BenchRow]:
    """Measure the updates alone, and training as a whole."""
    torch.set_num_threads(threads)
    run = TrainingUnderClocks()
    block = run.measure(run.training.advance)
    transitions = STEPS * run.training.config.games
    updates = STEPS * run.training.config.updates_per_step
    yield BenchRow(
        name="learner.update",
        per_second=updates / block.stages["learning"],
        unit="updates",
        rival=IDEAL,
        rival_per_second=block.ideal_rate / run.operations_per_update,
        extra=run.describe(),
    )
    operations = block.rows * run.operations_per_row + updates * run.operations_per_update
    yield BenchRow(
        name="training.step",
        per_second=transitions / block.seconds,
        unit="imagined transitions",
        rival=IDEAL,
        rival_per_second=transitions * block.ideal_rate / operations,
        extra={
            "updates_per_second": updates / block.seconds,
            "environment_belief_encoding": sum(block.shares[stage] for stage in _STAGES),
            "shares": block.shares,
            "ideal_gflops": block.ideal_rate / 1e9,
            **run.describe(),
        },
    )


def count_operations(network: nn.Module, seen: Look) -> tuple[float, float]:
    """Floating-point operations of a network's matrix products: to value one row, and to learn from the whole batch."""
    network = copy.deepcopy(network)
    with FlopCounterMode(display=False) as forwards, torch.no_grad():
        network(seen.observations, seen.legal)
    with FlopCounterMode(display=False) as both:
        network(seen.observations, seen.legal).sum().backward()
    return forwards.get_total_flops() / len(seen.legal), float(both.get_total_flops())


def product_rate() -> float:
    """Floating-point operations per second in plain large matrix products."""
    left, right = torch.randn(2, PRODUCT_SIZE, PRODUCT_SIZE)
    return 2.0 * PRODUCT_SIZE**3 / median_seconds(lambda: left @ right, clock=CLOCK)
