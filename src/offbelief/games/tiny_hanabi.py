"""Tiny Hanabi: a two-move signalling game given by a payoff table.

Each of two players is dealt a private card. The first chooses an action, which the second sees; the second chooses,
and both receive the payoff that the table lists for (card, card, action, action). The default table is the one that
open_spiel ships under the same name (optimum 10, uniform play 3.722): the literature's smallest game in which a
convention pays.
"""

from collections.abc import Hashable, Iterable, Sequence

import numpy as np

from offbelief.nouns import GameError

OPEN_SPIEL_PAYOFFS = (
    (((10, 0, 0), (4, 8, 4), (10, 0, 0)), ((0, 0, 10), (4, 8, 4), (0, 0, 10))),
    (((0, 0, 10), (4, 8, 4), (0, 0, 0)), ((10, 0, 0), (4, 8, 4), (10, 0, 0))),
)
"""[card of first, card of second, action of first, action of second]"""

_State = tuple[int, ...]  # the two cards, then the first player's action; the empty tuple when the game is over


class TinyHanabi:
    """A payoff-table game as a `Game`.

    Args:
        payoffs: [cards of first, cards of second, actions of first, actions of second]; cards are dealt uniformly.
    """

    name = "tiny-hanabi"
    player_names: Sequence[str] = ("First", "Second")
    max_length = 2
    public_actions = True
    private_legality = False

    def __init__(self, payoffs: object = OPEN_SPIEL_PAYOFFS) -> None:
        table = np.asarray(payoffs, dtype=np.float64)
        if table.ndim != 4 or 0 in table.shape:
            raise GameError(
                f"A payoff table has four axes (card, card, action, action); this one has the shape {table.shape}."
            )
        self.payoffs = table

    def initial_states(self) -> Iterable[tuple[float, _State]]:
        """Every pair of cards is equally likely."""
        cards_first, cards_second = self.payoffs.shape[:2]
        share = 1.0 / (cards_first * cards_second)
        return [(share, (first, second)) for first in range(cards_first) for second in range(cards_second)]

    def acting_player(self, state: _State) -> int | None:
        """First, then Second."""
        return len(state) - 2 if state else None

    def legal_actions(self, state: _State) -> Sequence[Hashable]:
        """Every action of the table."""
        return range(self.payoffs.shape[len(state)])

    def transitions(self, state: _State, action: Hashable) -> Iterable[tuple[float, float, _State]]:
        """The payoff is paid after the second action."""
        assert isinstance(action, int)
        after = (*state, action)
        return [(1.0, 0.0, after)] if len(after) == 3 else [(1.0, float(self.payoffs[after]), ())]

    def public_observation(self, state: _State) -> Hashable:
        """The first action is public anyway."""
        return None

    def private_observation(self, state: _State, player: int) -> Hashable:
        """Everybody sees their own card when it is dealt."""
        return f"card {state[player]}" if len(state) == 2 else None
