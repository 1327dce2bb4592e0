"""A run and its folder: one loop for everything that trains, which resumes exactly and stops cleanly.

A run is a folder: config.json, metrics.jsonl (a line per evaluation) and the same for tensorboard, two newest
checkpoints with everything that changes (networks, optimizer, replay, games, random streams), and at the end the
weights that it delivers. What is trained, a `Training`, knows nothing of folders.
"""

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, Protocol, TypeAlias

import torch
from safetensors import SafetensorError
from torch import Tensor

from offbelief.agents.checkpoint import save_tensors
from offbelief.agents.loading import zoo_beliefs, zoo_config, zoo_names
from offbelief.agents.networks.recurrent import RecurrentSettings
from offbelief.allocation import keep_freed_memory
from offbelief.learning.belief_config import KIND as BELIEF
from offbelief.learning.belief_config import BeliefConfig, belief_from_json, belief_to_json
from offbelief.learning.config import TIMED_STEPS, RunConfig, from_json, to_json
from offbelief.learning.progress import Progress
from offbelief.learning.sequence_training import SequenceTraining
from offbelief.learning.train_belief import BeliefTraining
from offbelief.learning.train_policy import PolicyTraining
from offbelief.nouns import UserError
from offbelief.precision import check_processor

TICK_SECONDS = 1.0
"""Between two looks at a run that goes on."""


Config: TypeAlias = RunConfig | BeliefConfig


class Training(Protocol):
    """Something in training, in memory."""

    product: str
    """What it delivers: ``agent`` or ``belief``."""
    step: int
    cpu_seconds: float

    @property
    def config(self) -> Config:
        """What is trained."""

    def plan(self, steps: int) -> None:
        """Settle how many steps the run has."""

    def advance(self) -> None:
        """Make one step."""

    def evaluate(self) -> Progress:
        """Say how good it is by now."""

    def progress(self) -> Progress:
        """Say how far it is, without looking how good."""

    def save(self, path: Path) -> None:
        """Write everything that changes."""

    def load(self, path: Path) -> None:
        """Read what `save` wrote, into this run of the same config."""

    def delivered(self) -> dict[str, Tensor]:
        """The weights that the run is for."""


def open_training(folder: Path, device: torch.device | None = None) -> Training:
    """The training that a folder's config.json describes, at its beginning; on the CPU if no device is named."""
    config = read_config(folder)
    check_processor(config.precision, device or torch.device("cpu"))
    if isinstance(config, BeliefConfig):
        return BeliefTraining(config, device)
    if isinstance(config.network, RecurrentSettings):
        return SequenceTraining(config, device)
    return PolicyTraining(config, device)


def write_config(config: Config) -> str:
    """A config as the text of config.json."""
    return belief_to_json(config) if isinstance(config, BeliefConfig) else to_json(config)


def read_config(folder: Path) -> Config:
    """The config of a run's folder.

    Raises:
        UserError: there is none, or it is of another version.
    """
    try:
        return parse_config((folder / "config.json").read_text(encoding="utf-8"))
    except FileNotFoundError:
        raise UserError(f"{folder} holds no run: there is no config.json in it.") from None


def find_config(name: str) -> Config:
    """The config of a run by its folder, or by its name in the zoo.

    Raises:
        UserError: there is no such run, or it is of another version.
    """
    if not Path(name).is_dir() and name in zoo_names() + zoo_beliefs():  # a folder comes first, as for `load_agent`
        return parse_config(json.dumps(zoo_config(name)))
    return read_config(Path(name))


def parse_config(text: str) -> Config:
    """A config from the text of config.json.

    Raises:
        UserError: it is of another version, or no config at all.
    """
    try:
        values = json.loads(text)
        if values.get("kind") == BELIEF:
            return belief_from_json(values)
    except (json.JSONDecodeError, TypeError, KeyError, AttributeError) as error:
        raise UserError(f"The run's config.json does not describe a run of this version: {error}.") from None
    return from_json(text)


def create_run(folder: Path, config: Config) -> None:
    """Make a run folder; refuses one that holds a run already."""
    if (folder / "config.json").exists():
        raise UserError(f"{folder} holds a run already; resume it with 'obl resume {folder}', or choose another --out.")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "config.json").write_text(write_config(config), encoding="utf-8")


def train(
    folder: Path,
    *,
    report: Callable[[Progress], None],
    should_stop: Callable[[], bool] = lambda: False,
    say: Callable[[str], None] = lambda sentence: None,
    tick: Callable[[Progress], None] = lambda progress: None,
    device: torch.device | None = None,
) -> bool:
    """Train the run in a folder until it is done or asked to stop; it goes on where it last stopped.

    Args:
        folder: holds config.json, written by `create_run`.
        report: called after every evaluation.
        should_stop: asked after every step; the run is then saved.
        say: told in a sentence what is worth knowing, such as a broken checkpoint.
        tick: called about every second with how far it is, for a display.
        device: where the networks compute; the CPU if left out.

    Returns:
        Whether the run is done.
    """
    keep_freed_memory()
    training = open_training(folder, device)
    _load_newest(training, folder, say)
    saved = ticked = time.monotonic()
    while not training.config.steps or training.step < training.config.steps:
        started = time.process_time()
        training.advance()
        training.cpu_seconds += time.process_time() - started
        if not training.config.steps:
            _plan_steps(training, folder)
        if training.config.steps and _is_due(training.step, training.config):
            started = time.process_time()
            progress = training.evaluate()
            training.cpu_seconds += time.process_time() - started
            _write_metrics(folder, progress)
            report(progress)
        if time.monotonic() - ticked > TICK_SECONDS:
            tick(training.progress())
            ticked = time.monotonic()
        if should_stop():
            _checkpoint(training, folder)
            return False
        if time.monotonic() - saved > 60 * training.config.checkpoint_minutes:
            try:
                _checkpoint(training, folder)
            except (OSError, SafetensorError) as error:  # a full disk should not end hours of training
                say(f"No checkpoint could be written ({error}); the one before stays, and training goes on.")
            saved = time.monotonic()
    _checkpoint(training, folder)
    save_tensors(folder / f"{training.product}.safetensors", training.delivered(), _described(training))
    return True


def _described(training: Training) -> dict[str, Any]:
    config = json.loads(write_config(training.config))
    return {"config": config, "step": training.step, "cpu_minutes": training.cpu_seconds / 60}


def _write_metrics(folder: Path, progress: Progress) -> None:
    """Add a line to metrics.jsonl, and the same figures to the events that tensorboard shows."""
    from torch.utils.tensorboard import SummaryWriter

    with (folder / "metrics.jsonl").open("a", encoding="utf-8") as file:
        file.write(json.dumps(progress.as_json()) + "\n")
    with SummaryWriter(str(folder / "tensorboard")) as writer:
        for name, value in {**progress.figures, "loss": progress.loss, "cpu_minutes": progress.cpu_minutes}.items():
            writer.add_scalar(name, value, progress.transitions)


def _plan_steps(training: Training, folder: Path) -> None:
    """Once enough steps are timed, fix how many make up the planned minutes, and write that down."""
    if training.step == training.config.timed_from:
        training.cpu_seconds = 0.0  # compiling and filling the replay are no guide
    elif training.step == training.config.timed_from + TIMED_STEPS:
        planned = round(training.config.minutes * 60 / (training.cpu_seconds / TIMED_STEPS))
        training.plan(training.step + max(1, planned))
        (folder / "config.json").write_text(write_config(training.config), encoding="utf-8")


def _is_due(step: int, config: Config) -> bool:
    return (
        step == config.steps
        or step * config.evaluations // config.steps > (step - 1) * config.evaluations // config.steps
    )


def _checkpoint(training: Training, folder: Path) -> None:
    """Write a checkpoint and keep it and the one before."""
    training.save(folder / f"checkpoint-{training.step:08d}.safetensors")
    for old in sorted(folder.glob("checkpoint-*.safetensors"))[:-2]:
        old.unlink()


def _load_newest(training: Training, folder: Path, say: Callable[[str], None]) -> None:
    """Load the newest checkpoint that is whole; say so if a newer one is broken."""
    for path in sorted(folder.glob("checkpoint-*.safetensors"), reverse=True):
        try:
            training.load(path)
        except UserError as error:
            say(f"{error} Trying the one before.")
        else:
            return
