"""What a run that learns a belief is, as `config.py` says it of policies."""

import dataclasses
import json
from dataclasses import dataclass, field
from typing import Any

from offbelief.beliefs.building import HandSettings, read_hand_settings, write_hand_settings
from offbelief.beliefs.hand_model import HandModelSettings
from offbelief.beliefs.recurrent_hand_model import RecurrentHandSettings
from offbelief.learning.config import TIMED_STEPS
from offbelief.nouns import UserError
from offbelief.precision import Precision, check_precision

KIND = "belief"
"""What config.json says the run is."""


@dataclass(frozen=True, kw_only=True)
class BeliefConfig:
    """Everything that decides the outcome of a run that learns what an agent's moves say about hidden cards."""

    preset: str = ""
    """The preset it started from."""
    game: str = "full-2p"
    """A Hanabi variant by name or spelled out."""
    of: str = ""
    """Whose moves are read: a run's folder, an agent of the zoo or a scripted player."""
    seed: int = 0
    """Of deals, exploration, replay and weights."""
    steps: int = 0
    """Steps of the whole run; 0 while `minutes` has not been turned into steps yet."""
    minutes: float = 8.0
    """CPU-minutes to plan for: the first steps are timed and `steps` follows from them."""
    games: int = 1024
    """Games played side by side; a step is one move in each."""
    updates_per_step: int = 2
    """Fixed ratio of learning to playing."""
    batch_size: int = 512
    """States in an update; sequences (what a seat saw of a whole game) for a recurrent model."""
    capacity: int = 65_536
    """States, or sequences, kept to learn from, drawn uniformly."""
    warmup: int = 8192
    """Moves played before the first update."""
    exploration: tuple[float, ...] = (0.0, 0.0, 0.02, 0.05)
    """The agent's moves are replaced by uniformly random legal ones at these rates; game i uses the one at i modulo
    their number. So the belief is that of (1 - eps) pi + eps uniform, mixed over the rates (docs/methods/ladder.md)."""
    temperature: float = 0.0
    """The agent's other moves are drawn in proportion to exp(Q / T), the paper's way to keep levels from drifting
    apart; 0 plays the best one."""
    shuffle_colours: bool = True
    """Learn every state under a random renaming of the colours."""
    learning_rate: float = 1e-3
    """Of Adam at the start; it falls exponentially."""
    final_learning_rate: float = 3e-5
    """At the end of the run."""
    adam_epsilon: float = 1e-5
    """Of Adam."""
    gradient_clip: float = 10.0
    """Largest norm of a gradient."""
    average_rate: float = 0.002
    """The averaged model, which the run delivers, moves by this share at every update."""
    model: HandSettings = field(default_factory=lambda: HandModelSettings(slope=0.1))
    """Which model, and its widths: card-wise with public memory, or recurrent over the private history."""
    start_from: str = ""
    """A belief whose weights to begin with; from card counting if empty."""
    precision: Precision = "float32"
    """Of the matrix products, as for policies (`RunConfig.precision`)."""
    evaluations: int = 10
    """How often the averaged model is measured in the course of the run."""
    evaluation_games: int = 400
    """Games of the agent, without exploration, whose states measure it."""
    checkpoint_minutes: float = 5.0
    """Wall-clock minutes between checkpoints."""

    def __post_init__(self) -> None:
        for name in ("games", "updates_per_step", "batch_size", "capacity", "evaluation_games"):
            if getattr(self, name) < 1:
                raise UserError(f"{name} is {getattr(self, name)}; it must be at least 1.")
        check_precision(self.precision)
        if self.precision != "float32" and isinstance(self.model, RecurrentHandSettings):
            raise UserError("Recurrent models are trained in float32 only; leave the precision as it is.")
        if self.steps < 0 or self.minutes <= 0:
            raise UserError("Give a positive number of minutes or steps.")
        if self.temperature < 0:
            raise UserError(f"temperature is {self.temperature}; it must be 0 or more.")
        if not self.exploration or not all(0.0 <= rate <= 1.0 for rate in self.exploration):
            raise UserError("exploration must be one rate or more between 0 and 1.")

    @property
    def timed_from(self) -> int:
        """The step from which every step learns and so takes its usual time."""
        return -(-self.warmup // self.games)

    def share_done(self, step: int) -> float:
        """Share of the run that is done, for schedules; nothing moves while the first steps are timed."""
        return step / self.steps if step >= self.timed_from + TIMED_STEPS else 0.0


def belief_to_json(config: BeliefConfig) -> str:
    """Write a config as JSON."""
    values = {**dataclasses.asdict(config), "model": write_hand_settings(config.model)}
    return json.dumps({"kind": KIND, **values}, indent=1) + "\n"


def belief_from_json(values: dict[str, Any]) -> BeliefConfig:
    """Read a config back from parsed JSON.

    Raises:
        TypeError, KeyError: it names a setting that this version does not know.
    """
    given = {name: value for name, value in values.items() if name != "kind"}
    return BeliefConfig(
        **{**given, "exploration": tuple(given["exploration"]), "model": read_hand_settings(given["model"])}
    )
