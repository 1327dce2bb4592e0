"""Train a belief: watch games of a frozen agent and learn which hands its partners' moves make likely (Eq. 6).

The data are real states and the hands really held there. The folder of a run is `run.py`'s business.
"""

import copy
import time
from dataclasses import replace
from pathlib import Path

import numpy as np
import torch
from torch import Tensor, nn

from offbelief.agents.checkpoint import bytes_as_tensor, load_tensors, save_tensors
from offbelief.agents.loading import load_agent, load_belief
from offbelief.beliefs.hanabi_game import HanabiGame, ViewSettings
from offbelief.beliefs.hand_model import (
    HandModel,
    LearnedBelief,
    card_losses,
    counted_logits,
    hands_for_network,
    true_hands,
)
from offbelief.games.hanabi.state import NO_CARD
from offbelief.learning.belief_config import BeliefConfig
from offbelief.learning.frozen_play import FrozenPlay, states_of_games
from offbelief.learning.progress import Progress
from offbelief.learning.replay import ReplaySettings, TransitionReplay
from offbelief.learning.saving import as_tensors, take_over
from offbelief.nouns import AnyArray, IntArray, UserError
from offbelief.streams import new_stream

_REPLAY, _COLOURS, _WEIGHTS = 3, 4, 5  # purposes of random streams
EVALUATION_SEED = 900_002
"""Deals of the games whose states measure the belief."""
MEASURED_STATES = 8192
"""At most so many of their states."""


class BeliefTraining:
    """A run in memory: everything that changes while it trains.

    Args:
        config: what to train.
        device: where the model is.
    """

    product = "belief"

    def __init__(self, config: BeliefConfig, device: torch.device | None = None) -> None:
        if not config.of:
            raise UserError("Say whose moves to read: --of AGENT, a run's folder, a zoo name or a scripted player.")
        self.config = config
        self.device = device or torch.device("cpu")
        self.game = HanabiGame(config.game, view=ViewSettings(memory=True))
        self.agent = load_agent(config.of, self.device)
        torch.manual_seed(int(new_stream(config.seed, _WEIGHTS)[0] >> np.uint64(1)))
        self.online = HandModel(self.game, config.model).to(self.device)
        if config.start_from:
            self.online.load_state_dict(load_belief(config.start_from, self.device).model.state_dict())
        self.average = copy.deepcopy(self.online)
        self.optimizer = torch.optim.Adam(
            self.online.parameters(), lr=config.learning_rate, eps=config.adam_epsilon, fused=True
        )
        self.play = FrozenPlay(self.agent, self.game, config.games, config.seed, config.exploration)
        self.replay = TransitionReplay(ReplaySettings(capacity=config.capacity), self.play.states.dtype)
        self.replay_stream = new_stream(config.seed, _REPLAY)
        self.colour_stream = new_stream(config.seed, _COLOURS)
        self.step = 0
        self.updates = 0
        self.cpu_seconds = 0.0
        self.loss = 0.0
        self.seconds = {"play": 0.0, "encode": 0.0, "learn": 0.0, "evaluate": 0.0}
        self._measured: tuple[AnyArray, IntArray] | None = None

    def plan(self, steps: int) -> None:
        """Settle how many steps the run has."""
        self.config = replace(self.config, steps=steps)

    def delivered(self) -> dict[str, Tensor]:
        """The averaged model."""
        return self.average.state_dict()

    def advance(self) -> None:
        """One step: a move in every game, then the updates that go with it."""
        started = time.perf_counter()
        nothing = np.zeros(len(self.play.states))
        self.replay.add(self.play.states, nothing.astype(np.int64), nothing.astype(np.float32))
        self.play.advance()
        self.seconds["play"] += time.perf_counter() - started
        if self.replay.added >= self.config.warmup:
            for _ in range(self.config.updates_per_step):
                self._update()
        self.step += 1

    def _update(self) -> None:
        started = time.perf_counter()
        drawn = self.replay.sample(self.config.batch_size, self.replay_stream)
        states = drawn.states
        if self.config.shuffle_colours:
            states, _ = self.game.relabel(states, drawn.moves, self.colour_stream)
        seats = self.game.acting_seats(states)
        hands = true_hands(states, seats, self.game.variant.hand_size)
        observations = torch.from_numpy(self.game.observe(states, seats)).to(self.device)
        counted = torch.from_numpy(counted_logits(states, self.game, seats, hands)).to(self.device)
        encoded = time.perf_counter()
        self._learn(observations, hands_for_network(hands, self.game.variant.card_kinds).to(self.device), counted)
        self.seconds["encode"] += encoded - started
        self.seconds["learn"] += time.perf_counter() - encoded

    def _learn(self, observations: Tensor, hands: Tensor, counted: Tensor) -> None:
        config = self.config
        decay = (config.final_learning_rate / config.learning_rate) ** config.share_done(self.step)
        for group in self.optimizer.param_groups:
            group["lr"] = config.learning_rate * decay
        losses: Tensor = card_losses(self.online, observations, hands, counted)
        loss: Tensor = losses.sum() / (hands < counted.shape[-1]).sum()
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.online.parameters(), config.gradient_clip)
        self.optimizer.step()
        self.updates += 1
        with torch.no_grad():
            online, average = (
                [parameter.data for parameter in network.parameters()] for network in (self.online, self.average)
            )
            torch._foreach_lerp_(average, online, config.average_rate)
        self.loss += 0.002 * (float(loss.detach()) - self.loss) if self.updates > 1 else float(loss.detach())

    def evaluate(self) -> Progress:
        """Measure nats per card on states of games without exploration: card counting's and the averaged model's."""
        started = time.perf_counter()
        if self._measured is None:
            self._measured = self._states_to_measure()
        states, hands = self._measured
        seats = self.game.acting_seats(states)
        held = hands != NO_CARD
        counted = counted_logits(states, self.game, seats, hands)
        logits = torch.log_softmax(torch.from_numpy(counted), dim=-1).numpy()
        grounded = -np.take_along_axis(logits, np.where(held, hands, 0)[..., None], axis=-1)[..., 0][held].mean()
        belief = LearnedBelief(self.game, self.average, self.device)
        learned = -belief.log_probs(states, seats, hands)[held].mean()
        self.seconds["evaluate"] += time.perf_counter() - started
        return replace(self.progress(), figures={"nats": float(learned), "grounded_nats": float(grounded)})

    def _states_to_measure(self) -> tuple[AnyArray, IntArray]:
        """States [N] of whole games without exploration, and the hands [N, H] that the acting seats held."""
        games = self.config.evaluation_games
        states = states_of_games(self.agent, self.game, games, EVALUATION_SEED, (0.0,), MEASURED_STATES)
        return states, true_hands(states, self.game.acting_seats(states), self.game.variant.hand_size)

    def progress(self) -> Progress:
        """How far it is, without figures."""
        total = sum(self.seconds.values()) or 1.0
        return Progress(
            step=self.step,
            steps=self.config.steps,
            cpu_minutes=self.cpu_seconds / 60,
            transitions=self.replay.added,
            updates=self.updates,
            games=self.play.finished,
            loss=self.loss,
            figures={},
            shares={stage: seconds / total for stage, seconds in self.seconds.items()},
        )

    def save(self, path: Path) -> None:
        """Write everything that changes."""
        tensors = {f"array/{name}": bytes_as_tensor(array) for name, array in self._arrays().items()}
        tensors |= as_tensors(self._models(), self.optimizer)
        counters = {"step": self.step, "updates": self.updates, "added": self.replay.added}
        counters["games"] = self.play.finished
        measured = {"cpu_seconds": self.cpu_seconds, "loss": self.loss, "seconds": self.seconds}
        save_tensors(path, tensors, {**counters, **measured})

    def load(self, path: Path) -> None:
        """Read what `save` wrote, into this run of the same config."""
        tensors, metadata = load_tensors(path)
        try:
            for name, array in self._arrays().items():
                array.reshape(-1).view("u1")[:] = tensors[f"array/{name}"].numpy()
            take_over(tensors, self._models(), self.optimizer)
        except (KeyError, ValueError, RuntimeError) as error:
            raise UserError(f"The checkpoint {path} does not belong to this run: {error}.") from None
        self.step, self.updates, self.loss = metadata["step"], metadata["updates"], metadata["loss"]
        self.replay.added, self.play.finished = metadata["added"], metadata["games"]
        self.cpu_seconds, self.seconds = metadata["cpu_seconds"], metadata["seconds"]

    def _arrays(self) -> dict[str, AnyArray]:
        streams = {"replay_stream": self.replay_stream, "colour_stream": self.colour_stream}
        return {**self.replay.arrays(), **streams, **self.play.arrays()}

    def _models(self) -> dict[str, nn.Module]:
        return {"online": self.online, "average": self.average}
