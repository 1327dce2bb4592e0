"""Train a policy: play, keep what was played, learn from it; the folder of a run is `run.py`'s business.

Randomness has owners and the ratio of learning to playing is fixed, so the same config gives the same run.
"""

import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from offbelief.agents.acting import greedy_moves, look, look_around
from offbelief.agents.checkpoint import bytes_as_tensor, load_tensors, save_tensors
from offbelief.agents.networks.heads import TrainedNetwork
from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.games.batched import NO_MOVE
from offbelief.learning.building import follower_of, make_game, make_method, make_network, make_played_game
from offbelief.learning.config import RunConfig
from offbelief.learning.learner import Learner
from offbelief.learning.methods.auxiliary import card_labels
from offbelief.learning.progress import Progress
from offbelief.learning.replay import TransitionReplay
from offbelief.learning.rollout import Rollout
from offbelief.nouns import AnyArray, UserError
from offbelief.precision import products_in
from offbelief.streams import new_stream

_REPLAY, _COLOURS, _WEIGHTS = 3, 4, 5  # purposes of random streams
EVALUATION_SEED = 900_001
"""Deals of the evaluations during training; final scores use others."""


class PolicyTraining:
    """A run in memory: everything that changes while it trains.

    Args:
        config: what to train.
        device: where the networks are.
    """

    product = "agent"

    def __init__(self, config: RunConfig, device: torch.device | None = None) -> None:
        self.config = config
        self.device = device or torch.device("cpu")
        self.game = make_game(config, self.device)
        self.played = make_played_game(config, self.game)
        torch.manual_seed(int(new_stream(config.seed, _WEIGHTS)[0] >> np.uint64(1)))
        self.learner = Learner(make_network(config, self.game).to(self.device), config.learner, config.precision)
        self.rollout = Rollout(
            self.played,
            config.games,
            config.seed,
            config.exploration,
            self.device,
            temperature=config.temperature,
            announce=getattr(self.played, "announce", None) if config.view.announced else None,
            follower=follower_of(self.game),
        )
        self.method = make_method(config, self.played, self.device)
        self.replay = TransitionReplay(config.replay, self.rollout.states.dtype)
        self.replay_stream = new_stream(config.seed, _REPLAY)
        self.colour_stream = new_stream(config.seed, _COLOURS)
        self.step = 0
        self.cpu_seconds = 0.0
        self.loss = 0.0
        self.seconds = {"play": 0.0, "encode": 0.0, "learn": 0.0, "evaluate": 0.0}

    def plan(self, steps: int) -> None:
        """Settle how many steps the run has."""
        self.config = replace(self.config, steps=steps)

    def delivered(self) -> dict[str, Tensor]:
        """The averaged network, without what only training needs."""
        average = self.learner.average
        return (average.policy if isinstance(average, TrainedNetwork) else average).state_dict()

    def advance(self) -> None:
        """One step: a move in every game, then the updates that go with it."""
        started = time.perf_counter()
        with products_in(self.config.precision, self.device):
            collected = self.method.collect(self.rollout, self.learner, self.config.moment(self.step))
        self.replay.add(*collected)
        self.seconds["play"] += time.perf_counter() - started
        if self.replay.added >= self.config.warmup:
            for _ in range(self.config.updates_per_step):
                self._update()
                self.method.learn(self.config.share_done(self.step))
        self.step += 1

    def _update(self) -> None:
        started = time.perf_counter()
        drawn = self.replay.sample(self.config.batch_size, self.replay_stream)
        states, moves = drawn.states, drawn.moves
        if self.config.shuffle_colours:
            states, moves = self.played.relabel(states, moves, self.colour_stream)
        seen = (look_around if self.config.method == "vdn" else look)(self.played, states, self.device)
        labels = None
        if self.config.learner.card_task and isinstance(self.game, HanabiGame):
            labels = torch.from_numpy(card_labels(states, self.game.variant)).to(self.device)
        encoded = time.perf_counter()
        errors = self.learner.update(
            seen,
            torch.from_numpy(moves).to(self.device),
            torch.from_numpy(drawn.targets).to(self.device),
            None if drawn.weights is None else torch.from_numpy(drawn.weights).to(self.device),
            self.config.share_done(self.step),
            labels,
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
        figures = {
            "score": float(scores.mean()),
            "sem": float(scores.std(ddof=1) / np.sqrt(len(scores))),
            "third_strike": float((states["lives"] == 0).mean()) if isinstance(self.game, HanabiGame) else 0.0,
        }
        return replace(self.progress(), figures=figures)

    def progress(self) -> Progress:
        """How far it is, without figures."""
        total = sum(self.seconds.values()) or 1.0
        return Progress(
            step=self.step,
            steps=self.config.steps,
            cpu_minutes=self.cpu_seconds / 60,
            transitions=self.replay.added,
            updates=self.learner.updates,
            games=self.rollout.finished,
            loss=self.loss,
            figures={},
            shares={stage: seconds / total for stage, seconds in self.seconds.items()},
        )

    def save(self, path: Path) -> None:
        """Write everything that changes."""
        tensors = {f"array/{name}": bytes_as_tensor(array) for name, array in self._arrays().items()}
        for name, learner in self._learners().items():
            tensors |= {f"{name}{key}": tensor for key, tensor in learner.tensors().items()}
        counters = {"step": self.step, "updates": self.learner.updates, "added": self.replay.added}
        counters["games"] = self.rollout.finished
        measured = {"cpu_seconds": self.cpu_seconds, "loss": self.loss, "seconds": self.seconds}
        save_tensors(path, tensors, {**counters, **measured})

    def load(self, path: Path) -> None:
        """Read what `save` wrote, into this run of the same config."""
        tensors, metadata = load_tensors(path)
        try:
            for name, array in self._arrays().items():
                array.reshape(-1).view("u1")[:] = tensors[f"array/{name}"].numpy()
            for name, learner in self._learners().items():
                learner.load(
                    {key.removeprefix(name): tensor for key, tensor in tensors.items() if key.startswith(name)}
                )
        except (KeyError, ValueError, RuntimeError) as error:
            raise UserError(f"The checkpoint {path} does not belong to this run: {error}.") from None
        self.step = metadata["step"]
        self.rollout.finished = metadata.get("games", 0)  # older checkpoints did not count them
        for learner in self._learners().values():
            learner.updates = metadata["updates"]
        self.replay.added, self.loss = metadata["added"], metadata["loss"]
        self.cpu_seconds, self.seconds = metadata["cpu_seconds"], metadata["seconds"]

    def _arrays(self) -> dict[str, AnyArray]:
        streams = {"replay_stream": self.replay_stream, "colour_stream": self.colour_stream}
        return {**self.replay.arrays(), **streams, **self.rollout.arrays(), **self.method.arrays()}

    def _learners(self) -> dict[str, Learner]:
        """All learners by the prefix of their tensors; they have made equally many updates."""
        others = {f"{name}/": learner for name, learner in self.method.learners().items()}
        return {"": self.learner, **others}
