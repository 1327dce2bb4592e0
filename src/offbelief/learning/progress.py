"""What a run reports now and then: how far it is, what it scores, and where its time goes."""

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, kw_only=True)
class Progress:
    """How far a run is; after an evaluation, with what it found."""

    step: int
    """Steps done."""
    steps: int
    """Steps of the whole run."""
    cpu_minutes: float
    """CPU time of training and evaluation so far."""
    transitions: int
    """Samples ever collected."""
    updates: int
    """Gradient steps done."""
    games: int = 0
    """Games ever finished, where games are played."""
    loss: float
    """A running mean of the training loss."""
    figures: dict[str, float]
    """What the run is judged by: ``score``, ``sem`` and ``third_strike`` of a policy; empty between evaluations."""
    shares: dict[str, float]
    """Share of time per stage."""

    def as_json(self) -> dict[str, Any]:
        """A line of metrics.jsonl; figures stand beside the rest."""
        values = dict(vars(self))
        figures = values.pop("figures")
        return {**values, **figures}
