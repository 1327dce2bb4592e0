"""The counterfactual form through a critic: V^pi1 of everything that the seats see together.

Eqs. 1-2 value a move by the TRUE value of everybody playing pi1 after it, averaged over what the mover believes:
Q(a | h) = E over tau ~ B_pi0(h) of [ R + V^pi1(tau') ]. While training, the imagined world is known in full, so V^pi1
can be learned as a value of its own: no new draw, no rollout to the end, and no maximum whose errors add up.

The imagined game goes on for a few moves by the current policy and ends in the critic's value. Every state on the way
is one that the critic learns at, from what was earned after it and its own later value; since imagined worlds are drawn
from the belief, these are the states that it will be asked about.

Differs from the paper: it trains the Bellman form (Eq. 4) only; see docs/operator.md.
"""

import numpy as np

from offbelief.agents.acting import look, value_moves
from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.games.batched import NO_MOVE, BatchedGame, pick_games
from offbelief.games.hanabi.views.layout import Section
from offbelief.learning.fictitious import Imagination
from offbelief.learning.learned_value import LearnedValue
from offbelief.nouns import AnyArray, FloatArray, IntArray


class AllSeatsEye:
    """Sees what all seats see together, beginning with the acting one: no more can matter to V^pi1.

    What nobody sees, such as the order of the deck, is chance: the policies cannot depend on it.
    """

    def beside(self, game: BatchedGame) -> tuple[int, int]:
        """The acting seat's own cards, as another seat sees them."""
        cards = _partner_cards(game)
        return (cards.shape[1], cards.shape[2]) if cards else (0, 0)

    def see(self, game: BatchedGame, states: AnyArray, seats: IntArray) -> FloatArray:
        """The seat's own observation, then what it lacks."""
        cards = _partner_cards(game)
        mine = game.observe(states, seats)
        if cards is None:
            others = [game.observe(states, (seats + offset) % game.num_seats) for offset in range(1, game.num_seats)]
            return np.concatenate([mine, *others], axis=1)
        # The seat before this one sees its cards as those of the next partner, who comes first.
        theirs = game.observe(states, (seats - 1) % game.num_seats)
        return np.concatenate([mine, theirs[:, cards.start : cards.start + cards.shape[1] * cards.shape[2]]], axis=1)


def _partner_cards(game: BatchedGame) -> Section | None:
    """Where card-wise Hanabi has partners' cards [P-1, H, F]; other games have none."""
    if isinstance(game, HanabiGame) and game.encoding == "card-wise":
        return game.layout["partner_cards"]
    return None


def critic_targets(
    imagination: Imagination, critic: LearnedValue, states: AnyArray, moves: IntArray, streams: AnyArray
) -> FloatArray:
    """Compute the targets [B] of the acting seats' real moves [B], and let the critic remember what it saw."""
    game, settings = imagination.game, imagination.settings
    total = np.zeros(len(states), np.float32)
    for _ in range(settings.samples):
        imagined = game.redeal(states, streams)
        rewards = [game.step(imagined, moves)]
        visited: list[tuple[IntArray, AnyArray]] = []
        for _ in range(settings.critic_moves):
            running = np.flatnonzero(~game.is_over(imagined))
            visited.append((running, pick_games(imagined, running)))
            made = np.full(len(states), NO_MOVE)
            if len(running):
                q_values = value_moves(imagination.online, look(game, visited[-1][1], imagination.device))
                made[running] = imagination.choose(q_values, streams, running)
            rewards.append(game.step(imagined, made))
        value = np.zeros(len(states), np.float32)
        running = np.flatnonzero(~game.is_over(imagined))
        if len(running):
            last = pick_games(imagined, running)
            value[running] = critic.values(last, game.acting_seats(last))
        for (games, seen), reward in zip(reversed(visited), reversed(rewards[1:]), strict=True):
            value = reward + np.float32(settings.discount) * value
            critic.remember(seen, game.acting_seats(seen), value[games])
        total += rewards[0] + np.float32(settings.discount) * value
    return total / settings.samples
