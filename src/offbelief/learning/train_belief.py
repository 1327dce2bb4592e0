"""Train a belief: watch games of a frozen agent and learn which hands its partners' moves make likely (Eq. 6).

The data are real states, or whole games for a model that remembers, and the hands really held there; `lessons.py` and
`game_lessons.py` collect them. The folder of a run is `run.py`'s business.
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
from offbelief.beliefs.building import build_belief
from offbelief.beliefs.hand_model import HandModelSettings, card_losses, hand_losses
from offbelief.beliefs.recurrent_hand_model import RecurrentHandSettings
from offbelief.learning.belief_config import BeliefConfig
from offbelief.learning.game_lessons import GameLessons
from offbelief.learning.lessons import Lesson, Lessons, StateLessons
from offbelief.learning.progress import Progress
from offbelief.learning.saving import as_tensors, take_over
from offbelief.nouns import UserError
from offbelief.precision import products_in
from offbelief.streams import new_stream

_WEIGHTS = 5  # the purpose of random streams


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
        agent = load_agent(config.of, self.device, temperature=config.temperature)
        torch.manual_seed(int(new_stream(config.seed, _WEIGHTS)[0] >> np.uint64(1)))
        belief = build_belief(config.game, config.model, self.device)
        self.game = belief.game
        self.online: nn.Module = belief.model
        if config.start_from:
            _begin_as(self.online, config.start_from)
        self.average = copy.deepcopy(self.online)
        self.optimizer = torch.optim.Adam(
            self.online.parameters(), lr=config.learning_rate, eps=config.adam_epsilon, fused=True
        )
        teach = GameLessons if isinstance(config.model, RecurrentHandSettings) else StateLessons
        self.lessons: Lessons = teach(config, agent, self.game, self.device)
        self.step = 0
        self.updates = 0
        self.cpu_seconds = 0.0
        self.loss = 0.0
        self.seconds = {"play": 0.0, "encode": 0.0, "learn": 0.0, "evaluate": 0.0}

    def plan(self, steps: int) -> None:
        """Settle how many steps the run has."""
        self.config = replace(self.config, steps=steps)

    def delivered(self) -> dict[str, Tensor]:
        """The averaged model."""
        return self.average.state_dict()

    def advance(self) -> None:
        """One step: a move in every game, then the updates that go with it."""
        started = time.perf_counter()
        with products_in(self.config.precision, self.device):
            self.lessons.watch()
        self.seconds["play"] += time.perf_counter() - started
        # Whole games are kept when they end, so the warm-up counts moves.
        if (self.step + 1) * self.config.games >= self.config.warmup and len(self.lessons.replay):
            for _ in range(self.config.updates_per_step):
                self._update()
        self.step += 1

    def _update(self) -> None:
        started = time.perf_counter()
        lesson = self.lessons.draw(self.config.batch_size)
        encoded = time.perf_counter()
        self._learn(lesson)
        self.seconds["encode"] += encoded - started
        self.seconds["learn"] += time.perf_counter() - encoded

    def _learn(self, lesson: Lesson) -> None:
        config = self.config
        decay = (config.final_learning_rate / config.learning_rate) ** config.share_done(self.step)
        for group in self.optimizer.param_groups:
            group["lr"] = config.learning_rate * decay
        with products_in(config.precision, self.device):
            losses: Tensor = card_losses(self.online, lesson.observations, lesson.hands, lesson.counted)
        nats: Tensor = losses.sum() / _is_held(lesson).sum()
        self.optimizer.zero_grad(set_to_none=True)
        (nats * lesson.steps).backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.online.parameters(), config.gradient_clip)
        self.optimizer.step()
        self.updates += 1
        with torch.no_grad():
            online, average = (
                [parameter.data for parameter in network.parameters()] for network in (self.online, self.average)
            )
            torch._foreach_lerp_(average, online, config.average_rate)
        self.loss += 0.002 * (float(nats.detach()) - self.loss) if self.updates > 1 else float(nats.detach())

    def evaluate(self) -> Progress:
        """Measure nats per card on states of games without exploration: card counting's and the averaged model's."""
        started = time.perf_counter()
        learned, grounded, cards = 0.0, 0.0, 0
        with torch.inference_mode():
            for lesson in self.lessons.exam():
                counting = hand_losses(torch.zeros_like(lesson.counted), lesson.hands, lesson.counted)
                losses = card_losses(self.average, lesson.observations, lesson.hands, lesson.counted)
                learned += float(losses.double().sum())
                grounded += float(counting.double().sum())
                cards += int(_is_held(lesson).sum())
        self.seconds["evaluate"] += time.perf_counter() - started
        return replace(self.progress(), figures={"nats": learned / cards, "grounded_nats": grounded / cards})

    def progress(self) -> Progress:
        """How far it is, without figures."""
        total = sum(self.seconds.values()) or 1.0
        return Progress(
            step=self.step,
            steps=self.config.steps,
            cpu_minutes=self.cpu_seconds / 60,
            transitions=self.step * self.config.games,
            updates=self.updates,
            games=self.lessons.play.finished,
            loss=self.loss,
            figures={},
            shares={stage: seconds / total for stage, seconds in self.seconds.items()},
        )

    def save(self, path: Path) -> None:
        """Write everything that changes."""
        tensors = {f"array/{name}": bytes_as_tensor(array) for name, array in self.lessons.arrays().items()}
        tensors |= as_tensors(self._models(), self.optimizer)
        counters = {"step": self.step, "updates": self.updates, "added": self.lessons.replay.added}
        counters["games"] = self.lessons.play.finished
        measured = {"cpu_seconds": self.cpu_seconds, "loss": self.loss, "seconds": self.seconds}
        save_tensors(path, tensors, {**counters, **measured})

    def load(self, path: Path) -> None:
        """Read what `save` wrote, into this run of the same config."""
        tensors, metadata = load_tensors(path)
        try:
            for name, array in self.lessons.arrays().items():
                array.reshape(-1).view("u1")[:] = tensors[f"array/{name}"].numpy()
            take_over(tensors, self._models(), self.optimizer)
        except (KeyError, ValueError, RuntimeError) as error:
            raise UserError(f"The checkpoint {path} does not belong to this run: {error}.") from None
        self.step, self.updates, self.loss = metadata["step"], metadata["updates"], metadata["loss"]
        self.lessons.replay.added, self.lessons.play.finished = metadata["added"], metadata["games"]
        self.cpu_seconds, self.seconds = metadata["cpu_seconds"], metadata["seconds"]

    def _models(self) -> dict[str, nn.Module]:
        return {"online": self.online, "average": self.average}


def _is_held(lesson: Lesson) -> Tensor:
    """Which cards there are to be told."""
    return lesson.hands < lesson.counted.shape[-1]


def _begin_as(model: nn.Module, name: str) -> None:
    """Give a model the weights of a belief.

    The slope may differ, so that units which died in ReLUs live again, and the model may have residual layers which the
    belief has not.
    """
    given = load_belief(name).model
    theirs = given.settings
    if isinstance(model.settings, HandModelSettings) and isinstance(theirs, HandModelSettings):
        residual = theirs.residual_width or model.settings.residual_width
        theirs = replace(theirs, slope=model.settings.slope, residual_width=residual)
    if model.settings != theirs:
        raise UserError(f"The model of {name} is not of the same kind; train with its settings: {given.settings}.")
    model.load_state_dict(given.state_dict(), strict=False)  # residual layers begin as nothing
