"""The fictitious transition of seats that remember what was public (paper, Section 4.6).

`fictitious.py` has that of seats that remember nothing. The imagined world differs from the real one in what the
imagining seat cannot see, and in nothing that is public. So a public memory of the real game is the memory of the
imagined one too, and only the private stream of a network is computed anew. From the first imagined move on, the
imagined game has a public of its own, and memories go on from there.

Two forms:

* `one_step`: the paper's public code. Every seat, acting or waiting, imagines one move of the game, and the target ends
  in its value of acting or waiting there. If the seat acts, its real move is made in the imagined world; if another
  does, that one chooses anew, exploring at its own rate, since it sees the imagined hand.
* `own_turn`: the paper's formula (Eq. 5). The acting seat alone imagines, and keeps its imagined hand until its own
  next turn, while the others play their best moves. Seats that wait learn nothing. It may play on (`continuation`).

In both the target network takes its one step from the online network's memory, as in the public code.
"""

from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from offbelief.agents.networks.recurrent import RecurrentNetwork
from offbelief.games.batched import pick_games
from offbelief.learning.fictitious import FictitiousSettings
from offbelief.learning.sequence_replay import put_games
from offbelief.learning.sequence_rollout import SequenceRollout, value_moves_with_memory
from offbelief.nouns import AnyArray, FloatArray, IntArray
from offbelief.streams import draw_units


@dataclass(frozen=True, eq=False)
class RememberingImagination:
    """Imagines the present step of a rollout, after `look`."""

    rollout: SequenceRollout
    online: RecurrentNetwork
    target: RecurrentNetwork
    settings: FictitiousSettings

    def targets(self, moves: IntArray) -> FloatArray:
        """Targets [P, B] of the moves [B] about to be made, averaged over samples; NaN where nothing is learned."""
        form = self.one_step if self.settings.form == "one-step" else self.own_turn
        total = form(moves)
        for _ in range(self.settings.samples - 1):
            total += form(moves)
        return total / self.settings.samples

    def one_step(self, moves: IntArray) -> FloatArray:
        """Every seat imagines one move."""
        rollout, game, streams = self.rollout, self.rollout.game, self.rollout.imagination_streams
        seats, size = game.num_seats, len(moves)
        me, which = np.repeat(np.arange(seats), size), np.tile(np.arange(size), seats)
        actor = game.acting_seats(rollout.states)[which]
        imagined = pick_games(rollout.states, which)
        for seat in range(seats):  # one by one: a belief that follows the games is asked about all, in their order
            first, end = seat * size, (seat + 1) * size
            dreamt = game.redeal(rollout.states, streams[first:end], np.full(size, seat))
            put_games(imagined, np.arange(first, end), dreamt)
        made = moves[which]
        others = np.flatnonzero(actor != me)
        made[others] = self._choose(pick_games(imagined, others), actor[others], which[others], others)
        earned = game.step(imagined, made)
        goes_on = np.flatnonzero(~game.is_over(imagined))
        if len(goes_on):
            memory = self._memory(me[goes_on], which[goes_on])
            value = self._value(pick_games(imagined, goes_on), me[goes_on], memory)
            earned[goes_on] += self.settings.discount * value
        return earned.reshape(seats, size)

    def own_turn(self, moves: IntArray) -> FloatArray:
        """The acting seat imagines until a later turn of its own."""
        rollout, game, settings = self.rollout, self.rollout.game, self.settings
        me = game.acting_seats(rollout.states)
        size = len(moves)
        streams = rollout.imagination_streams[:size]
        imagined = game.redeal(rollout.states, streams)
        earned = game.step(imagined, moves)
        weight = np.full(size, settings.discount, np.float32)
        rounds = np.zeros(size, np.int64)
        playing = np.flatnonzero(~game.is_over(imagined))
        imagined, memory = pick_games(imagined, playing), self._pick(rollout.memory, playing)
        while len(playing):
            before = memory
            observations, legal = self._tensors(*rollout.views.see_from_everywhere(imagined))
            with torch.no_grad():
                memory = self.online.remember(observations.flatten(0, 1), before.flatten(0, 1)).view(before.shape)
            actor = game.acting_seats(imagined)
            place = self._index(actor), torch.arange(len(playing), device=rollout.device)
            q_values = value_moves_with_memory(self.online, observations[place], legal[place], memory[place])
            best: IntArray = q_values.argmax(dim=1).cpu().numpy()
            my_turn = actor == me[playing]
            goes_on = (draw_units(streams, playing) < settings.continuation) & (rounds[playing] < settings.max_rounds)
            ends = np.flatnonzero(my_turn & ~goes_on)
            if len(ends):
                there = self._index(actor[ends]), self._index(ends)
                value = self._target_value(observations[there], legal[there], before[there], best[ends])
                earned[playing[ends]] += weight[playing[ends]] * value
            rounds[playing[my_turn]] += 1
            goes = np.flatnonzero(~my_turn | goes_on)
            playing, imagined, memory = playing[goes], pick_games(imagined, goes), self._pick(memory, goes)
            earned[playing] += weight[playing] * game.step(imagined, best[goes])
            weight[playing] *= settings.discount
            running = np.flatnonzero(~game.is_over(imagined))
            playing, imagined, memory = playing[running], pick_games(imagined, running), self._pick(memory, running)
        targets = np.full((game.num_seats, size), np.nan, np.float32)
        targets[me, np.arange(size)] = earned
        return targets

    def _choose(self, imagined: AnyArray, seats: IntArray, games: IntArray, dreamers: IntArray) -> IntArray:
        """Moves [N] of the acting seats [N] in imagined versions of games [N], dreamt up by others."""
        if not len(imagined):
            return np.zeros(0, np.int64)
        observations, legal = self._tensors(*self.rollout.views.see(imagined, seats))
        q_values = value_moves_with_memory(self.online, observations, legal, self._memory(seats, games))
        streams = self.rollout.imagination_streams[dreamers]
        moves = self.rollout.explore(q_values, self.rollout.epsilons[seats, games], streams)
        self.rollout.imagination_streams[dreamers] = streams
        return moves

    def _value(self, imagined: AnyArray, seats: IntArray, memory: Tensor) -> FloatArray:
        """[N] what acting or waiting is worth to seats [N], whose memories [N] reach to the move before."""
        observations, legal = self._tensors(*self.rollout.views.see(imagined, seats))
        with torch.no_grad():
            now = self.online.remember(observations, memory)
        best: IntArray = value_moves_with_memory(self.online, observations, legal, now).argmax(dim=1).cpu().numpy()
        return self._target_value(observations, legal, memory, best)

    def _target_value(self, observations: Tensor, legal: Tensor, before: Tensor, best: IntArray) -> FloatArray:
        """[N] what the target network thinks of moves [N]; it takes the step itself, from the online memory."""
        with torch.no_grad():
            now = self.target.remember(observations, before)
            q_values = self.target.value(observations, legal, now)
        values: FloatArray = q_values.gather(1, self._index(best)[:, None])[:, 0].cpu().numpy()
        return values

    def _memory(self, seats: IntArray, games: IntArray) -> Tensor:
        """Memories [N] of seats [N] in games [N], up to the present step of the real games."""
        return self.rollout.memory[self._index(seats), self._index(games)]

    def _pick(self, memory: Tensor, games: IntArray) -> Tensor:
        """Memories [P, M] of all seats in games [M]."""
        return memory[:, self._index(games)]

    def _index(self, numbers: IntArray) -> Tensor:
        return torch.from_numpy(np.ascontiguousarray(numbers)).to(self.rollout.device)

    def _tensors(self, *arrays: AnyArray) -> tuple[Tensor, ...]:
        return tuple(torch.from_numpy(array).to(self.rollout.device) for array in arrays)
