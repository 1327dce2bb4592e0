"""Our agents at open_spiel's table: an agent as a ``pyspiel.Bot``, and open_spiel's Hanabi games as ours.

Needs the package open_spiel.

Example:
    >>> game = pyspiel.load_game("hanabi", {"players": 2})
    >>> bots = [AgentBot(load_agent("obl-4-f"), game, seat, seed=1) for seat in range(2)]
    >>> pyspiel.evaluate_bots(game.new_initial_state(), bots, 7)
    [25.0, 25.0]
"""

from typing import NamedTuple

import numpy as np

from offbelief.agents.remembering import Player, RememberingPlayer, Seated
from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.nouns import AnyArray, IntArray, UserError
from offbelief.streams import new_stream

try:
    import pyspiel
except ImportError as error:
    raise UserError(
        "open_spiel's table needs the package open_spiel; install it with pip install open_spiel."
    ) from error

_THE_GAME = np.zeros(1, dtype=np.int64)  # index of the only game


class PlayedGame(NamedTuple):
    """A game so far: `positions` has one more entry than `moves`, the present."""

    positions: list[AnyArray]
    """[1] our record of the game at every turn, from the deal on."""
    moves: list[IntArray]
    """[1] the moves between them."""


def read_variant(game: "pyspiel.Game") -> HanabiVariant:
    """The rules of an open_spiel game of Hanabi."""
    if game.get_type().short_name != "hanabi":
        raise UserError(f"The game is open_spiel's '{game.get_type().short_name}'; our agents play its 'hanabi'.")
    given = game.get_parameters()
    names = {
        "players": "players",
        "colors": "colours",
        "ranks": "ranks",
        "hand_size": "hand_size",
        "max_information_tokens": "hint_tokens",
        "max_life_tokens": "lives",
        "random_start_player": "random_start",
    }
    return HanabiVariant(**{ours: given[theirs] for theirs, ours in names.items() if theirs in given})


def read_game(state: "pyspiel.State") -> PlayedGame:
    """Replay an open_spiel game from its history; cards that are still in its deck follow in some order."""
    variant = read_variant(state.get_game())
    history = state.full_history()
    deck = [step.action for step in history if step.player == pyspiel.PlayerId.CHANCE]
    if len(deck) < variant.players * variant.hand_size:
        raise UserError("The open_spiel game is not dealt yet; apply chance outcomes until a player is to move.")
    made = [step for step in history if step.player != pyspiel.PlayerId.CHANCE]
    start = made[0].player if made else state.current_player()
    batch = HanabiBatch.from_decks(variant, [deck], start_seats=[start])
    played = PlayedGame([batch.save()], [])
    for step in made:
        played.moves.append(np.array([step.action]))
        batch.step([step.action])
        played.positions.append(batch.save())
    return played


class AgentBot(pyspiel.Bot):  # type: ignore[misc, unused-ignore] # pyspiel has no types
    """An agent of ours as a bot of open_spiel.

    It reads the whole history at each of its turns, so it can be asked about any state, and remembers nothing itself.

    Args:
        agent: A trained agent (`offbelief.load_agent`), a scripted one, or anything with their `act`.
        game: open_spiel's Hanabi.
        seat: Where it sits.
        seed: Of its coin flips, if it makes any.
    """

    def __init__(self, agent: Player | RememberingPlayer, game: "pyspiel.Game", seat: int, *, seed: int = 0) -> None:
        super().__init__()
        self.variant = read_variant(game)
        if not 0 <= seat < self.variant.players:
            raise UserError(f"seat is {seat}; {self.variant.name} has seats 0 to {self.variant.players - 1}.")
        self.agent = agent
        self.seat = seat
        self._streams = new_stream(seed, seat)

    def restart_at(self, state: "pyspiel.State") -> None:
        """Nothing to forget; open_spiel's signature."""

    def restart(self) -> None:
        """Nothing to forget; open_spiel's signature."""

    def step(self, state: "pyspiel.State") -> int:
        """Choose a move in a state in which it is this seat's turn."""
        if state.current_player() != self.seat:
            raise UserError(f"It is the turn of player {state.current_player()}, not of seat {self.seat}.")
        game = read_game(state)
        seated = Seated.after(self.agent, self.seat, game.positions, game.moves, self.variant)
        return int(seated.act(game.positions[-1], _THE_GAME, self._streams)[0])
