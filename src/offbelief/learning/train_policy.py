"""Train a policy: one synchronous loop that reads from top to bottom, resumes exactly, and stops cleanly.

A run is a folder: config.json, metrics.jsonl (a line per evaluation) and the same for tensorboard, two newest
checkpoints with everything that changes (networks, optimizer, replay, games, random streams), and at the end
agent.safetensors, the averaged network.
Randomness has owners and the ratio of learning to playing is fixed, so the same config gives the same run.
"""

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from safetensors import SafetensorError

from offbelief.agents.acting import greedy_moves, look
from offbelief.agents.checkpoint import bytes_as_tensor, load_tensors, save_tensors
from offbelief.agents.networks.building import build_network
from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.beliefs.table_game import TableGame
from offbelief.games.batched import NO_MOVE, BatchedGame
from offbelief.games.catalogue import SMALL_GAMES, find_game
from offbelief.games.tree import unroll
from offbelief.learning.config import RunConfig, from_json, to_json
from offbelief.learning.learner import Learner
from offbelief.learning.methods import Method
from offbelief.learning.methods.iql import IndependentQLearning
from offbelief.learning.methods.obl import OffBeliefLearning
from offbelief.learning.replay import TransitionReplay
from offbelief.learning.rollout import Rollout
from offbelief.nouns import AnyArray, UserError
from offbelief.streams import new_stream

_REPLAY, _COLOURS, _WEIGHTS = 3, 4, 5  # purposes of random streams
EVALUATION_SEED = 900_001
"""Deals of the evaluations during training; final scores use others."""
TIMED_STEPS = 60
"""Steps that are timed to turn minutes into steps, after the first updates."""


@dataclass
class Progress:
    """What a run reports now and then."""

    step: int
    steps: int
    cpu_minutes: float
    transitions: int
    loss: float
    score: float
    sem: float
    third_strike: float
    shares: dict[str, float]

    def as_json(self) -> dict[str, Any]:
        """A line of metrics.jsonl."""
        return dict(vars(self))


class PolicyTraining:
    """A run in memory: everything that changes while it trains.

    Args:
        config: what to train.
        device: where the networks are.
    """

    def __init__(self, config: RunConfig, device: torch.device | None = None) -> None:
        self.config = config
        self.device = device or torch.device("cpu")
        self.game = _make_game(config.game)
        torch.manual_seed(int(new_stream(config.seed, _WEIGHTS)[0] >> np.uint64(1)))
        network = build_network(self.game, config.network).to(self.device)
        self.learner = Learner(network, config.learner)
        self.rollout = Rollout(self.game, config.games, config.seed, config.exploration, self.device)
        self.method = _make_method(config, self.game)
        self.replay = TransitionReplay(config.replay, self.rollout.states.dtype)
        self.replay_stream = new_stream(config.seed, _REPLAY)
        self.colour_stream = new_stream(config.seed, _COLOURS)
        self.step = 0
        self.cpu_seconds = 0.0
        self.loss = 0.0
        self.seconds = {"play": 0.0, "encode": 0.0, "learn": 0.0, "evaluate": 0.0}

    def advance(self) -> None:
        """One step: a move in every game, then the updates that go with it."""
        started = time.perf_counter()
        self.replay.add(*self.method.collect(self.rollout, self.learner))
        self.seconds["play"] += time.perf_counter() - started
        if self.replay.added >= self.config.warmup:
            for _ in range(self.config.updates_per_step):
                self._update()
        self.step += 1

    def _update(self) -> None:
        started = time.perf_counter()
        drawn = self.replay.sample(self.config.batch_size, self.replay_stream)
        states, moves = drawn.states, drawn.moves
        if self.config.shuffle_colours:
            states, moves = self.game.relabel(states, moves, self.colour_stream)
        seen = look(self.game, states, self.device)
        encoded = time.perf_counter()
        errors = self.learner.update(
            seen,
            torch.from_numpy(moves).to(self.device),
            torch.from_numpy(drawn.targets).to(self.device),
            None if drawn.weights is None else torch.from_numpy(drawn.weights).to(self.device),
            # Nothing moves while the first steps are timed, so that --minutes and --steps give the same run.
            self.step / self.config.steps if self.step >= _timed_until(self.config) else 0.0,
        )
        self.replay.renew(drawn.places, errors.cpu().numpy())
        self.loss += 0.002 * (float(errors.square().mean()) - self.loss)
        self.seconds["encode"] += encoded - started
        self.seconds["learn"] += time.perf_counter() - encoded

    def evaluate(self) -> Progress:
        """Play greedy games of the averaged network."""
        started = time.perf_counter()
        states = self.game.deal(self.config.evaluation_games, EVALUATION_SEED)
        scores = np.zeros(len(states))
        while len(running := np.flatnonzero(~self.game.is_over(states))):
            moves = np.full(len(states), NO_MOVE)
            moves[running] = greedy_moves(self.learner.average, look(self.game, states[running], self.device))
            scores += self.game.step(states, moves)
        self.seconds["evaluate"] += time.perf_counter() - started
        total = sum(self.seconds.values())
        return Progress(
            step=self.step,
            steps=self.config.steps,
            cpu_minutes=self.cpu_seconds / 60,
            transitions=self.replay.added,
            loss=self.loss,
            score=float(scores.mean()),
            sem=float(scores.std(ddof=1) / np.sqrt(len(scores))),
            third_strike=float((states["lives"] == 0).mean()) if isinstance(self.game, HanabiGame) else 0.0,
            shares={stage: seconds / total for stage, seconds in self.seconds.items()},
        )

    def save(self, path: Path) -> None:
        """Write everything that changes."""
        tensors = {f"array/{name}": bytes_as_tensor(array) for name, array in self._arrays().items()}
        for name, network in self._networks().items():
            tensors |= {f"{name}/{key}": tensor for key, tensor in network.state_dict().items()}
        for index, state in enumerate(self.learner.optimizer.state_dict()["state"].values()):
            tensors |= {f"adam/{index}/{key}": tensor for key, tensor in state.items()}
        counters = {"step": self.step, "updates": self.learner.updates, "added": self.replay.added}
        measured = {"cpu_seconds": self.cpu_seconds, "loss": self.loss, "seconds": self.seconds}
        save_tensors(path, tensors, {**counters, **measured})

    def load(self, path: Path) -> None:
        """Read what `save` wrote, into this run of the same config."""
        tensors, metadata = load_tensors(path)
        try:
            for name, array in self._arrays().items():
                array.reshape(-1).view("u1")[:] = tensors[f"array/{name}"].numpy()
            for name, network in self._networks().items():
                prefix = f"{name}/"
                network.load_state_dict(
                    {key.removeprefix(prefix): tensor for key, tensor in tensors.items() if key.startswith(prefix)}
                )
            optimizer = self.learner.optimizer.state_dict()
            for key, tensor in tensors.items():
                if key.startswith("adam/"):
                    _, index, name = key.split("/")
                    optimizer["state"].setdefault(int(index), {})[name] = tensor
            self.learner.optimizer.load_state_dict(optimizer)
        except (KeyError, ValueError, RuntimeError) as error:
            raise UserError(f"The checkpoint {path} does not belong to this run: {error}.") from None
        self.step, self.learner.updates = metadata["step"], metadata["updates"]
        self.replay.added, self.loss = metadata["added"], metadata["loss"]
        self.cpu_seconds, self.seconds = metadata["cpu_seconds"], metadata["seconds"]

    def _arrays(self) -> dict[str, AnyArray]:
        streams = {"replay_stream": self.replay_stream, "colour_stream": self.colour_stream}
        return {**self.replay.arrays(), **streams, **self.rollout.arrays(), **self.method.arrays()}

    def _networks(self) -> dict[str, torch.nn.Module]:
        return {"online": self.learner.online, "target": self.learner.target, "average": self.learner.average}


def train(
    folder: Path,
    *,
    report: Callable[[Progress], None],
    should_stop: Callable[[], bool] = lambda: False,
    say: Callable[[str], None] = lambda sentence: None,
) -> bool:
    """Train the run in a folder until it is done or asked to stop; it goes on where it last stopped.

    Args:
        folder: holds config.json, written by `create_run`.
        report: called after every evaluation.
        should_stop: asked after every step; the run is then saved.
        say: told in a sentence what is worth knowing, such as a broken checkpoint.

    Returns:
        Whether the run is done.
    """
    config = from_json((folder / "config.json").read_text(encoding="utf-8"))
    run = PolicyTraining(config)
    _load_newest(run, folder, say)
    saved = time.monotonic()
    while not config.steps or run.step < config.steps:
        started = time.process_time()
        run.advance()
        run.cpu_seconds += time.process_time() - started
        if not config.steps:
            config = run.config = _plan_steps(run, folder)
        if config.steps and _is_due(run.step, config):
            started = time.process_time()
            progress = run.evaluate()
            run.cpu_seconds += time.process_time() - started
            _write_metrics(folder, progress)
            report(progress)
        if should_stop():
            _checkpoint(run, folder)
            return False
        if time.monotonic() - saved > 60 * config.checkpoint_minutes:
            try:
                _checkpoint(run, folder)
            except (OSError, SafetensorError) as error:  # a full disk should not end hours of training
                say(f"No checkpoint could be written ({error}); the one before stays, and training goes on.")
            saved = time.monotonic()
    _checkpoint(run, folder)
    average = run.learner.average.state_dict()
    described = {"config": json.loads(to_json(config)), "step": run.step, "cpu_minutes": run.cpu_seconds / 60}
    save_tensors(folder / "agent.safetensors", average, described)
    return True


def _write_metrics(folder: Path, progress: Progress) -> None:
    """Add a line to metrics.jsonl, and the same figures to the events that tensorboard shows."""
    from torch.utils.tensorboard import SummaryWriter

    with (folder / "metrics.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(progress.as_json()) + "\n")
    with SummaryWriter(str(folder / "tensorboard")) as writer:
        for name in ("score", "third_strike", "loss", "cpu_minutes"):
            writer.add_scalar(name, getattr(progress, name), progress.transitions)


def create_run(folder: Path, config: RunConfig) -> None:
    """Make a run folder; refuses one that holds a run already."""
    if (folder / "config.json").exists():
        raise UserError(f"{folder} holds a run already; resume it with 'obl resume {folder}', or choose another --out.")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(to_json(config), encoding="utf-8")


def _make_game(name: str) -> BatchedGame:
    """A small game by name, or a Hanabi variant."""
    if name in SMALL_GAMES:
        return TableGame(unroll(find_game(name)))
    return HanabiGame(name)


def _make_method(config: RunConfig, game: BatchedGame) -> Method:
    if config.method == "obl":
        return OffBeliefLearning(config.fictitious)
    return IndependentQLearning(game, config.games, config.fictitious.discount)


def _plan_steps(run: PolicyTraining, folder: Path) -> RunConfig:
    """Once enough steps are timed, fix how many make up the planned minutes, and write that down."""
    until = _timed_until(run.config)
    if run.step < until:
        if run.step == until - TIMED_STEPS:
            run.cpu_seconds = 0.0  # compiling and filling the replay are no guide
        return run.config
    planned = max(1, round(run.config.minutes * 60 / (run.cpu_seconds / TIMED_STEPS)))
    config = replace(run.config, steps=run.step + planned)
    (folder / "config.json").write_text(to_json(config), encoding="utf-8")
    return config


def _timed_until(config: RunConfig) -> int:
    """The step at which the first steps after the warm-up have been timed."""
    return -(-config.warmup // config.games) + TIMED_STEPS


def _is_due(step: int, config: RunConfig) -> bool:
    return (
        step == config.steps
        or step * config.evaluations // config.steps > (step - 1) * config.evaluations // config.steps
    )


def _checkpoint(run: PolicyTraining, folder: Path) -> None:
    """Write a checkpoint and keep it and the one before."""
    run.save(folder / f"checkpoint-{run.step:08d}.safetensors")
    for old in sorted(folder.glob("checkpoint-*.safetensors"))[:-2]:
        old.unlink()


def _load_newest(run: PolicyTraining, folder: Path, say: Callable[[str], None]) -> None:
    """Load the newest checkpoint that is whole; say so if a newer one is broken."""
    for path in sorted(folder.glob("checkpoint-*.safetensors"), reverse=True):
        try:
            run.load(path)
        except UserError as error:
            say(f"{error} Trying the one before.")
        else:
            return
