"""One Q-learning step: the network that learns, the one that values targets, and the averaged one that plays.

The three networks have the same shape. `online` is trained; `target` follows it (every update by a little, or all at
once every so many updates); `average` follows more slowly and is what a run delivers, since a policy of near-tied
values wanders from update to update and its average does not.
"""

import copy
from dataclasses import dataclass
from typing import Literal

import torch
from torch import Tensor, nn

from offbelief.agents.acting import Look
from offbelief.agents.networks.heads import Trained, TrainedNetwork
from offbelief.learning.saving import as_tensors, take_over
from offbelief.learning.weighing import certainty_weights, variance_loss
from offbelief.nouns import UserError
from offbelief.precision import Precision, products_in


@dataclass(frozen=True, kw_only=True)
class LearnerSettings:
    """How the network learns."""

    learning_rate: float = 6e-4
    """Of Adam at the start; it falls exponentially."""
    final_learning_rate: float = 5e-5
    """At the end of the run."""
    adam_epsilon: float = 1e-5
    """Of Adam."""
    gradient_clip: float = 10.0
    """Largest norm of a gradient."""
    loss: Literal["squared", "huber"] = "squared"
    """Squared error: a third strike costs all points at once, and a Huber loss would count it as a small error."""
    target_rate: float = 0.01
    """The target network moves by this share at every update; used if target_period is 0."""
    target_period: int = 0
    """If positive, the target network is copied every so many updates instead (2500 in Table 2)."""
    average_rate: float = 0.002
    """The averaged network moves by this share at every update."""
    card_task: float = 0.0
    """Weight of the auxiliary card task (AUX; 0.25 in the public code); 0 leaves it out."""
    certainty: float = 0.0
    """Squared errors are divided by the variance of their targets to this power, so that gambles do not drown the rest
    (`weighing.py`); 0 weighs all alike, as the paper does. Not for recurrent networks."""
    certainty_floor: float = 0.2
    """Added to that variance, as a share of its mean."""

    def __post_init__(self) -> None:
        if self.loss not in ("squared", "huber"):
            raise UserError(f"The loss is 'squared' or 'huber', not {self.loss!r}.")
        for name in ("learning_rate", "final_learning_rate", "gradient_clip"):
            if not getattr(self, name) > 0:
                raise UserError(f"{name} is {getattr(self, name)}; it must be positive.")
        if self.card_task < 0:
            raise UserError(f"card_task is {self.card_task}; the weight of a loss must not be negative.")
        if self.certainty < 0 or not self.certainty_floor > 0:
            raise UserError("certainty must be 0 or more, and certainty_floor positive.")


class Learner:
    """A network in training.

    Args:
        network: the network, on its device.
        settings: see `LearnerSettings`.
        precision: of its matrix products.
    """

    def __init__(self, network: nn.Module, settings: LearnerSettings, precision: Precision = "float32") -> None:
        self.settings = settings
        self.precision = precision
        self.online = network
        self.target = copy.deepcopy(network)
        self.average = copy.deepcopy(network)
        self.optimizer = torch.optim.Adam(
            network.parameters(), lr=settings.learning_rate, eps=settings.adam_epsilon, fused=True
        )
        self.updates = 0

    def update(
        self,
        seen: Look,
        moves: Tensor,
        targets: Tensor,
        weights: Tensor | None,
        progress: float,
        labels: Tensor | None = None,
    ) -> Tensor:
        """Train on one batch.

        Args:
            seen: [B] what the acting seats saw.
            moves: [B] what they did.
            targets: [B] what it was worth.
            weights: [B] importance weights, or None for all alike.
            progress: share of the run that is done, for the learning rate.
            labels: [B, H] what the acting seats' own cards are, -1 for none; for the card task.

        Returns:
            [B] errors (value minus target), without gradients.
        """
        settings = self.settings
        with products_in(self.precision, seen.observations.device):
            if isinstance(self.online, TrainedNetwork):
                said = self.online.forward_all(seen.observations, seen.legal)
            else:
                said = Trained(self.online(seen.observations, seen.legal))
        values = said.q_values.gather(1, moves[:, None])[:, 0]
        errors = values - targets
        if settings.loss == "squared":
            losses = errors.square()
        else:
            losses = nn.functional.huber_loss(values, targets, reduction="none")
        if weights is not None:
            losses = losses * weights
        if said.log_variances is None:
            loss = losses.mean()
        else:
            log_variances = said.log_variances.gather(1, moves[:, None])[:, 0]
            certain = certainty_weights(log_variances, settings.certainty, settings.certainty_floor)
            loss = (losses * certain).mean() + variance_loss(errors, log_variances)
        if labels is not None and said.guesses is not None:
            task = nn.functional.cross_entropy(said.guesses.flatten(0, 1), labels.flatten(), ignore_index=-1)
            loss = loss + settings.card_task * task
        self.descend(loss, progress)
        detached: Tensor = errors.detach()
        return detached

    def descend(self, loss: Tensor, progress: float) -> None:
        """Take one gradient step, clipped, at the learning rate that goes with the share of the run that is done."""
        settings = self.settings
        for group in self.optimizer.param_groups:
            group["lr"] = settings.learning_rate * (settings.final_learning_rate / settings.learning_rate) ** progress
        self.optimizer.zero_grad(set_to_none=True)
        loss.backward()  # type: ignore[no-untyped-call]
        nn.utils.clip_grad_norm_(self.online.parameters(), settings.gradient_clip)
        self.optimizer.step()
        self.updates += 1
        self._follow()

    def networks(self) -> dict[str, nn.Module]:
        """The three networks by name."""
        return {"online": self.online, "target": self.target, "average": self.average}

    def tensors(self) -> dict[str, Tensor]:
        """Everything that changes but the counter: networks and optimizer, to be saved."""
        return as_tensors(self.networks(), self.optimizer)

    def load(self, tensors: dict[str, Tensor]) -> None:
        """Take over what `tensors` gave; others are ignored.

        Raises:
            KeyError, RuntimeError, ValueError: they belong to another network.
        """
        take_over(tensors, self.networks(), self.optimizer)

    @torch.no_grad()
    def _follow(self) -> None:
        """Let the other two networks follow the one that learns."""
        online, target, average = (
            [parameter.data for parameter in network.parameters()]
            for network in (self.online, self.target, self.average)
        )
        if self.settings.target_period == 0:
            torch._foreach_lerp_(target, online, self.settings.target_rate)
        elif self.updates % self.settings.target_period == 0:
            torch._foreach_copy_(target, online)
        torch._foreach_lerp_(average, online, self.settings.average_rate)
