"""What a game must offer to be learned from: many games at once, as records in one array.

Between learning and games stands this contract alone. Hanabi satisfies it (`beliefs/hanabi_game.py`) and so does every
small game that can be unrolled (`beliefs/table_game.py`), so the same learner runs on full Hanabi and beside the exact
solutions of small games. A game of your own plugs in by satisfying it; `check_batched_game` says whether it does.

Axes: `B` games, `A` moves, `F` features. States are a NumPy structured array [B], one record per game, with nothing
outside: copying the array copies the games.
"""

from typing import Protocol

import numpy as np

from offbelief.nouns import AnyArray, BoolArray, FloatArray, GameError, IntArray
from offbelief.streams import new_stream

NO_MOVE = -1
"""What a game that is over takes for a move."""


class BatchedGame(Protocol):
    """A turn-based game with a common reward, stepped in batches."""

    @property
    def name(self) -> str:
        """What reports call the game."""

    @property
    def num_seats(self) -> int:
        """How many players."""

    @property
    def num_moves(self) -> int:
        """Moves are numbered 0 .. num_moves-1 for all seats and states."""

    @property
    def max_turns(self) -> int:
        """No game has more moves than this."""

    @property
    def observation_size(self) -> int:
        """F, the number of features that a seat sees."""

    @property
    def public_columns(self) -> IntArray:
        """Which features are public: the same numbers for every hand that the seats may hold (public-LSTM inputs)."""

    def deal(self, size: int, seed: int, first_game: int = 0) -> AnyArray:
        """Begin games; game i depends on the seed and on first_game + i alone. Returns states [B]."""

    def restart_finished(self, states: AnyArray) -> BoolArray:
        """Deal finished games anew in place; returns [B] which."""

    def acting_seats(self, states: AnyArray) -> IntArray:
        """[B] whose turn it is; anything where the game is over."""

    def is_over(self, states: AnyArray) -> BoolArray:
        """[B] whether the game has ended."""

    def legal_moves(self, states: AnyArray) -> BoolArray:
        """[B, A] what the acting seat may do; nothing where the game is over."""

    def exploration_weights(self, states: AnyArray, legal: BoolArray) -> FloatArray:
        """[B, A] how likely exploration should try each legal move, up to a factor."""

    def step(self, states: AnyArray, moves: IntArray) -> FloatArray:
        """Make legal moves in place, unchecked; games that are over stay as they are. Returns rewards [B]."""

    def observe(self, states: AnyArray, seats: IntArray | None = None) -> FloatArray:
        """[B, F] what seats [B] see of running games, whether or not it is their turn; by default the acting ones."""

    def redeal(self, states: AnyArray, streams: AnyArray, seats: IntArray | None = None) -> AnyArray:
        """Copy games and draw what seats [B] cannot see anew, from their beliefs; by default the acting seats.

        The belief is the game's to define: grounded unless it was given another. Streams [B] are advanced; the games'
        own randomness is untouched.
        """

    def relabel(self, states: AnyArray, moves: IntArray, stream: AnyArray) -> tuple[AnyArray, IntArray]:
        """Apply a random symmetry of the game to copies of states and moves; give them back as they are if none."""


def make_streams(seed: int, purpose: int, size: int) -> AnyArray:
    """[B] unrelated random streams, one per game, for a purpose of the caller's."""
    return np.concatenate([new_stream(seed, purpose, game) for game in range(size)])


def pick_games(states: AnyArray, chosen: IntArray) -> AnyArray:
    """Copy some games [M]; as plain bytes, since NumPy copies records field by field, which is twenty times as slow."""
    return states.view(np.dtype((np.void, states.dtype.itemsize)))[chosen].view(states.dtype)


def check_batched_game(game: BatchedGame, *, games: int = 64, turns: int = 200, seed: int = 0) -> None:
    """Play a game at random and see that it keeps the contract.

    Raises:
        GameError: one sentence that says what is broken.
    """
    rng = np.random.default_rng(seed)
    states = game.deal(games, seed)
    streams = make_streams(seed, 1, games)
    _check(states.ndim == 1 and len(states) == games, "deal must give one record per game")
    alone = game.deal(1, seed, first_game=games - 1)
    _check(bool(np.all(alone[0] == states[-1])), "game i of a batch must not depend on the other games")
    lengths = np.zeros(games, np.int64)
    for _ in range(turns):
        over = game.is_over(states)
        legal = game.legal_moves(states)
        _check(legal.shape == (games, game.num_moves), "legal_moves must be [games, num_moves]")
        _check(not legal[over].any(), "a finished game must have no legal move")
        _check(bool(legal[~over].any(axis=1).all()), "a running game must have a legal move")
        weights = game.exploration_weights(states, legal)
        _check(not (weights[~legal] > 0).any(), "exploration must not try an illegal move")
        _check(bool((weights[~over].sum(axis=1) > 0).all()), "exploration must be able to try some move")
        seen = game.observe(states)
        _check(seen.shape == (games, game.observation_size), "observe must be [games, observation_size]")
        _check(bool(np.isfinite(seen[~over]).all()), "observations must be finite")
        acting = game.acting_seats(states)
        _check(
            bool(np.all(game.observe(states, acting)[~over] == seen[~over])), "observe must default to the acting seat"
        )
        waiting = (acting + 1) % game.num_seats
        _check(bool(np.isfinite(game.observe(states, waiting)[~over]).all()), "observations must be finite")
        for seats in (acting, waiting):
            _check_redeal(game, states, streams, seats, ~over)
        moves = np.array([rng.choice(np.flatnonzero(row)) if row.any() else NO_MOVE for row in legal])
        _check_relabel(game, states, moves, new_stream(seed, 2))
        kept = states.copy()
        again = states.copy()
        rewards = game.step(states, moves)
        lengths += ~over
        _check(bool(np.all(lengths <= game.max_turns)), "a game must not have more moves than max_turns")
        _check(bool(np.isfinite(rewards).all()), "rewards must be finite")
        _check(bool(np.all(game.step(again, moves) == rewards)), "a step must depend on state and move alone")
        _check(bool(np.all(again == states)), "a step must depend on state and move alone")
        _check(bool(np.all(states[over] == kept[over])), "a step must leave finished games as they are")
        ended = game.is_over(states)
        lengths[ended] = 0
        _check(bool(np.all(game.restart_finished(states) == ended)), "restart_finished must restart finished games")
        _check(not game.is_over(states).any(), "a restarted game must be running")


def _check_redeal(game: BatchedGame, states: AnyArray, streams: AnyArray, seats: IntArray, running: BoolArray) -> None:
    before = states.copy()
    copies = game.redeal(states, streams, seats)
    _check(bool(np.all(states == before)), "redeal must leave the real games alone")
    _check(
        bool(np.all(game.observe(copies, seats)[running] == game.observe(states, seats)[running])),
        "redeal must not change what the seat sees",
    )
    acting = seats == game.acting_seats(states)  # what others may do can depend on what is drawn anew
    _check(
        bool(np.all(game.legal_moves(copies)[acting] == game.legal_moves(states)[acting])),
        "redeal must not change the legal moves",
    )


def _check_relabel(game: BatchedGame, states: AnyArray, moves: IntArray, stream: AnyArray) -> None:
    relabelled, renamed = game.relabel(states, moves, stream)
    legal = game.legal_moves(relabelled)
    playing = moves != NO_MOVE
    _check(bool(legal[playing, renamed[playing]].all()), "relabel must turn legal moves into legal moves")
    rewards, expected = game.step(relabelled.copy(), renamed), game.step(states.copy(), moves)
    _check(bool(np.all(rewards == expected)), "relabel must not change rewards")


def _check(holds: bool, law: str) -> None:
    if not holds:
        raise GameError(f"The batched game breaks its contract: {law}.")
