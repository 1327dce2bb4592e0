"""The fictitious transition: what off-belief learning learns from (paper, Section 4.6 and Fig. 1, right).

A real game stops for a moment. The acting seat draws what it cannot see anew from its belief, makes its real move in
that imagined world, and everybody plays the current policy there until the seat's own next turn. What the imagined game
earned until then, plus the seat's value there, is the target of the real move.

What it converges to (docs/operator.md): with `continuation` 0 the Bellman form (Eq. 4), the paper's own; with 1 the
counterfactual form (Eqs. 1-3), where the imagined game is played to its end without a new draw; between, the lambda
family. A run may begin with long imagined games, which spread news fast, and end with short ones, which are less noisy;
it converges to the form that it ends with. Two other ways to end an imagined game have files of their own: `critic.py`
(in the value of everything that the seats see together) and `one_step.py` (after a single move, as the paper's public
code does).
"""

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import torch
from torch import Tensor, nn

from offbelief.agents.acting import Look, boltzmann_moves, look, value_moves
from offbelief.games.batched import BatchedGame, pick_games
from offbelief.nouns import AnyArray, FloatArray, IntArray, UserError
from offbelief.streams import draw_units


@dataclass(frozen=True, kw_only=True)
class FictitiousSettings:
    """How an imagined game goes on, and where it ends."""

    form: Literal["own-turn", "critic", "one-step"] = "own-turn"
    """It ends in my value at a later turn of mine; in a critic's value, who sees all cards (counterfactual form); or
    after one move, in the value of acting or waiting (the paper's public code)."""
    continuation: float = 0.7
    """Own-turn form. Lambda: at its own later turns the seat plays on with this probability, and else ends in its value
    there."""
    max_rounds: int = 4
    """Own-turn form. It plays on at most so many times."""
    critic_moves: int = 2
    """Critic form. Moves by the current policy between mine and the critic's value."""
    final_continuation: float | None = None
    """Lambda in the last part of the run; None keeps it as it is. Long imagined games spread news fast, short ones are
    less noisy, and most decisions are close (a few hundredths of a point)."""
    samples: int = 1
    """Imagined worlds per real state; their targets are averaged."""
    final_samples: int | None = None
    """Worlds per state in the last part of the run; None keeps their number as it is."""
    final_from: float = 0.7
    """The last part begins when this share of the run is done."""
    discount: float = 0.999
    """Per move (Table 2)."""
    temperature: float = 0.0
    """T of Eq. 3: in imagined games everybody plays exp(Q / T), and a turn is worth what that policy earns. For T > 0
    every level is unique (Theorem 1) and near-ties do not flip; 0 plays the best move, as the paper's agents do."""

    def __post_init__(self) -> None:
        if self.form not in ("own-turn", "critic", "one-step"):
            raise UserError(f"The form is 'own-turn', 'critic' or 'one-step', not {self.form!r}.")
        if not 0.0 <= self.continuation <= 1.0:
            raise UserError(f"continuation is {self.continuation}; it must lie between 0 and 1.")
        if self.final_continuation is not None and not 0.0 <= self.final_continuation <= 1.0:
            raise UserError(f"final_continuation is {self.final_continuation}; it must lie between 0 and 1.")
        worlds = self.samples if self.final_samples is None else min(self.samples, self.final_samples)
        if self.max_rounds < 0 or min(worlds, self.critic_moves) < 1:
            raise UserError("max_rounds must be 0 or more, samples, final_samples and critic_moves 1 or more.")
        if not 0.0 <= self.final_from <= 1.0:
            raise UserError(f"final_from is {self.final_from}; it is a share of the run, between 0 and 1.")
        if self.temperature < 0.0:
            raise UserError(f"temperature is {self.temperature}; it must be 0 or more.")

    def at(self, share_done: float) -> "FictitiousSettings":
        """The settings of a moment, when this share of the run is done."""
        if share_done < self.final_from:
            return self
        return replace(
            self,
            continuation=self.continuation if self.final_continuation is None else self.final_continuation,
            samples=self.samples if self.final_samples is None else self.final_samples,
        )


@dataclass(frozen=True, eq=False)
class Imagination:
    """Imagined games of some states: who plays them, by which settings, and what they are worth."""

    game: BatchedGame
    """Its `redeal` is the belief."""
    online: nn.Module
    """The policy that everybody plays, greedily or at the settings' temperature."""
    target: nn.Module
    """Values that policy at the end (double Q: the online network chooses, this one values)."""
    settings: FictitiousSettings
    device: torch.device
    """Where the networks are."""

    def targets(self, states: AnyArray, moves: IntArray, streams: AnyArray) -> FloatArray:
        """Compute the target of every acting seat's real move: G' of Eq. 5, averaged over samples.

        Args:
            states: [B] running games; not changed.
            moves: [B] the real moves, made in the imagined games too.
            streams: [B] random streams of the imagination, advanced.
        """
        total = np.zeros(len(states), np.float32)
        for _ in range(self.settings.samples):
            total += self._until_my_turn(states, moves, streams)
        return total / self.settings.samples

    def _until_my_turn(self, states: AnyArray, moves: IntArray, streams: AnyArray) -> FloatArray:
        game, settings = self.game, self.settings
        me = game.acting_seats(states)
        imagined = game.redeal(states, streams)
        earned = game.step(imagined, moves)
        weight = np.full(len(states), settings.discount, np.float32)
        rounds = np.zeros(len(states), np.int64)
        playing = np.flatnonzero(~game.is_over(imagined))
        imagined = pick_games(imagined, playing)
        while len(playing):
            seen = look(game, imagined, self.device)
            q_values = value_moves(self.online, seen)
            made = self.choose(q_values, streams, playing)
            my_turn = game.acting_seats(imagined) == me[playing]
            goes_on = (draw_units(streams, playing) < settings.continuation) & (rounds[playing] < settings.max_rounds)
            ends = np.flatnonzero(my_turn & ~goes_on)
            if len(ends):
                earned[playing[ends]] += weight[playing[ends]] * self.value(seen[ends], q_values[ends])
            rounds[playing[my_turn]] += 1
            goes = np.flatnonzero(~my_turn | goes_on)
            playing, imagined = playing[goes], pick_games(imagined, goes)
            earned[playing] += weight[playing] * game.step(imagined, made[goes])
            weight[playing] *= settings.discount
            running = np.flatnonzero(~game.is_over(imagined))
            playing, imagined = playing[running], pick_games(imagined, running)
        return earned

    def choose(self, q_values: Tensor, streams: AnyArray, games: IntArray) -> IntArray:
        """Moves [M] of those who act in imagined games [M], by the online network's Q-values [M, A] (Eq. 3)."""
        if self.settings.temperature == 0.0:
            best: IntArray = q_values.argmax(dim=1).cpu().numpy()
            return best
        drawn_from = streams[games]
        moves = boltzmann_moves(q_values, self.settings.temperature, drawn_from)
        streams[games] = drawn_from
        return moves

    def value(self, seen: Look, q_values: Tensor) -> FloatArray:
        """[M] what the target network thinks of the policy that the online network's Q-values [M, A] make."""
        valued = value_moves(self.target, seen)
        if self.settings.temperature == 0.0:
            worth = valued.gather(1, q_values.argmax(dim=1, keepdim=True))[:, 0]
        else:
            worth = (torch.softmax(q_values / self.settings.temperature, dim=1) * valued).sum(dim=1)
        values: FloatArray = worth.cpu().numpy()
        return values
