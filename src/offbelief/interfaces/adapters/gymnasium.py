"""Hanabi as a Gymnasium environment for one learner, whose partners are given policies, with memory or without.

Needs the package gymnasium, which the extra ``pettingzoo`` brings.

Example:
    >>> environment = HanabiWithPartners([scripted_policy("iggi")])
    >>> observation, info = environment.reset(seed=1)
    >>> move = environment.action_space.sample(observation["action_mask"])
    >>> observation, reward, terminated, truncated, info = environment.step(move)
"""

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from offbelief.agents.remembering import Player, RememberingPlayer, Seated
from offbelief.games.hanabi.state import copy_states
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.interfaces.adapters.game import Observation, SingleGame
from offbelief.nouns import UserError
from offbelief.streams import new_stream

try:
    import gymnasium
    from gymnasium import spaces
except ImportError as error:
    raise UserError(
        "The Gymnasium face of Hanabi needs the package gymnasium; install it with pip install 'offbelief[pettingzoo]'."
    ) from error


_MAX_DEALS = 1000
_THE_GAME = np.zeros(1, dtype=np.int64)  # index of the only game


Partner: TypeAlias = Player | RememberingPlayer
"""Scripted players, trained agents, or anything with their `act`; those that remember are told of every move."""


class HanabiWithPartners(gymnasium.Env[Any, Any]):
    """Hanabi seen by one seat; the partners move in between, and the learner gets the whole team's reward.

    An observation is a dict: ``observation``, HLE's canonical encoding, and ``action_mask``, the legal moves. Moves are
    HLE's ids; an illegal one raises UserError and changes nothing. Reaching the variant's turn cap is a truncation, any
    other end a termination. ``info`` holds ``score`` and ``turn``.

    Args:
        partners: The policies of the seats after the learner, in seating order; a single one serves all of them.
        variant: The rules, or their name (see `HanabiVariant.parse`).
        seat: Where the learner sits.
        render_mode: "ansi" to get a text from `render` as the learner sees the table, or None.
    """

    metadata = {"render_modes": ["ansi"]}  # noqa: RUF012 - Gymnasium reads a plain dict here

    def __init__(
        self,
        partners: Sequence[Partner],
        *,
        variant: HanabiVariant | str = "full-2p",
        seat: int = 0,
        render_mode: str | None = None,
    ) -> None:
        self.game = SingleGame(variant)
        players = self.game.variant.players
        if len(partners) not in (1, players - 1):
            raise UserError(
                f"{self.game.variant.name} has {players - 1} partners but {len(partners)} policies were given; "
                "give one for each of them, or one for all."
            )
        if not 0 <= seat < players:
            raise UserError(f"seat is {seat}; {self.game.variant.name} has seats 0 to {players - 1}.")
        if render_mode not in (None, "ansi"):
            raise UserError(f"render_mode is {render_mode!r}; choose 'ansi' or None.")
        self.render_mode = render_mode
        self.seat = seat
        self._partners = {
            (seat + offset) % players: partners[(offset - 1) % len(partners)] for offset in range(1, players)
        }
        self._seated: dict[int, Seated] = {}
        self._streams = {other: np.zeros(1, dtype=np.uint64) for other in self._partners}
        self._opening_reward = 0.0
        moves, features = self.game.variant.num_moves, self.game.observation_size
        self.observation_space = spaces.Dict(
            {
                "observation": spaces.Box(0, 1, shape=(features,), dtype=np.int8),
                "action_mask": spaces.Box(0, 1, shape=(moves,), dtype=np.int8),
            }
        )
        self.action_space = spaces.Discrete(moves)

    def reset(
        self, *, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Observation, dict[str, Any]]:
        """Deal a new game and let partners move until it is the learner's turn.

        A game that ends before the learner's first turn, as can happen with a single life, is dealt anew. What partners
        score before that turn is added to the reward of the learner's first move, so that rewards sum to the score.

        Args:
            seed: Begins a series of deals and of the partners' coin flips, the same for the same seed. None goes on.
            options: Ignored; Gymnasium's signature.
        """
        super().reset(seed=seed)
        is_new_series = seed is not None or not self.game.is_seeded
        series = self.game.deal(seed)
        if is_new_series:
            # Path 1 keeps the partners' coins apart from the deals, which come from the seed itself.
            self._streams = {other: new_stream(series, 1, other) for other in self._partners}
        self._opening_reward = self._open()
        attempts = 1
        while self.game.is_over:
            if attempts == _MAX_DEALS:
                raise UserError(
                    f"In {_MAX_DEALS} deals of {self.game.variant.name} no game reached seat {self.seat}; "
                    "choose other partners, an earlier seat or a longer game."
                )
            self.game.deal(None)
            self._opening_reward = self._open()
            attempts += 1
        return self.game.observe(self.seat), self._info()

    def step(self, action: Any) -> tuple[Observation, float, bool, bool, dict[str, Any]]:
        """Make the learner's move, then the partners' until it is the learner's turn again."""
        reward = self._move(int(action)) + self._play_partners() + self._opening_reward
        self._opening_reward = 0.0
        cut_short = self.game.is_cut_short
        terminated = self.game.is_over and not cut_short
        return self.game.observe(self.seat), reward, terminated, cut_short, self._info()

    def render(self) -> str | None:
        """The table as text, as the learner sees it."""
        return self.game.render(seat=self.seat) if self.render_mode == "ansi" else None

    def _open(self) -> float:
        """Seat the partners at the game just dealt and let them move until it is the learner's turn."""
        states, variant = self.game.states, self.game.variant
        self._seated = {seat: Seated(agent, seat, states, variant) for seat, agent in self._partners.items()}
        return self._play_partners()

    def _play_partners(self) -> float:
        """Let partners move until it is the learner's turn or the game is over. Returns their rewards."""
        reward = 0.0
        while not self.game.is_over and self.game.acting_seat != self.seat:
            seat = self.game.acting_seat
            moves = self._seated[seat].act(self.game.states, _THE_GAME, self._streams[seat])
            reward += self._move(int(moves[0]))
        return reward

    def _move(self, move: int) -> float:
        """Make anybody's move and show it to the partners that remember. Returns its reward."""
        watching = [partner for partner in self._seated.values() if partner.remembers]
        before = copy_states(self.game.states) if watching else self.game.states
        reward = self.game.step(move)
        for partner in watching:
            partner.watch(before, np.array([move]), self.game.states)
        return reward

    def _info(self) -> dict[str, Any]:
        return {"score": self.game.score, "turn": int(self.game.states["turn"][0])}
