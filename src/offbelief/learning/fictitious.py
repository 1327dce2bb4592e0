"""The fictitious transition: what off-belief learning learns from (paper, Section 4.6 and Fig. 1, right).

A real game stops for a moment. The acting seat draws what it cannot see anew from its belief, makes its real move in
that imagined world, and everybody plays the current policy there until the seat's own next turn. What the imagined game
earned until then, plus the seat's value there, is the target of the real move.

What it converges to (docs/operator.md): with `continuation` 0 the Bellman form (Eq. 4), the paper's own; with 1 the
counterfactual form (Eqs. 1-3), where the imagined game is played to its end without a new draw; between, the lambda
family.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import nn

from offbelief.agents.acting import look, value_moves
from offbelief.games.batched import BatchedGame
from offbelief.nouns import AnyArray, FloatArray, IntArray, UserError
from offbelief.streams import draw_units


@dataclass(frozen=True, kw_only=True)
class FictitiousSettings:
    """How an imagined game goes on."""

    continuation: float = 0.7
    """Lambda: at its own later turns the seat plays on with this probability, and else ends in its value there."""
    max_rounds: int = 4
    """It plays on at most so many times."""
    samples: int = 1
    """Imagined worlds per real state; their targets are averaged."""
    discount: float = 0.999
    """Per move (Table 2)."""

    def __post_init__(self) -> None:
        if not 0.0 <= self.continuation <= 1.0:
            raise UserError(f"continuation is {self.continuation}; it must lie between 0 and 1.")
        if self.max_rounds < 0 or self.samples < 1:
            raise UserError("max_rounds must be 0 or more, and samples 1 or more.")


def fictitious_targets(
    game: BatchedGame,
    online: nn.Module,
    target: nn.Module,
    states: AnyArray,
    moves: IntArray,
    streams: AnyArray,
    settings: FictitiousSettings,
    device: torch.device,
) -> FloatArray:
    """Compute the target of every acting seat's real move.

    Paper: G' of Eq. 5, with the double-Q rule: the online network chooses, the target network values.

    Args:
        game: the game, whose `redeal` is the belief.
        online: the policy that everybody plays in the imagined games.
        target: values the end of an imagined game.
        states: [B] running games; not changed.
        moves: [B] the real moves, made in the imagined games too.
        streams: [B] random streams of the imagination, advanced.
        settings: see `FictitiousSettings`.
        device: where the networks are.

    Returns:
        [B] targets, averaged over samples.
    """
    total = np.zeros(len(states), np.float32)
    for _ in range(settings.samples):
        total += _imagine_once(game, online, target, states, moves, streams, settings, device)
    return total / settings.samples


def _imagine_once(
    game: BatchedGame,
    online: nn.Module,
    target: nn.Module,
    states: AnyArray,
    moves: IntArray,
    streams: AnyArray,
    settings: FictitiousSettings,
    device: torch.device,
) -> FloatArray:
    me = game.acting_seats(states)
    imagined = game.redeal(states, streams)
    earned = game.step(imagined, moves)
    weight = np.full(len(states), settings.discount, np.float32)
    rounds = np.zeros(len(states), np.int64)
    playing = np.flatnonzero(~game.is_over(imagined))
    imagined = imagined[playing]
    while len(playing):
        seen = look(game, imagined, device)
        best = value_moves(online, seen).argmax(dim=1)
        my_turn = game.acting_seats(imagined) == me[playing]
        goes_on = (draw_units(streams, playing) < settings.continuation) & (rounds[playing] < settings.max_rounds)
        ends = np.flatnonzero(my_turn & ~goes_on)
        if len(ends):
            chosen = best[torch.from_numpy(ends).to(device)]
            value = value_moves(target, seen[ends]).gather(1, chosen[:, None])[:, 0]
            earned[playing[ends]] += weight[playing[ends]] * value.cpu().numpy()
        rounds[playing[my_turn]] += 1
        goes = np.flatnonzero(~my_turn | goes_on)
        playing, imagined = playing[goes], imagined[goes]
        reward = game.step(imagined, best.cpu().numpy()[goes])
        earned[playing] += weight[playing] * reward
        weight[playing] *= settings.discount
        running = np.flatnonzero(~game.is_over(imagined))
        playing, imagined = playing[running], imagined[running]
    return earned
