"""Hanabi as a PettingZoo AEC environment, with the observations of PettingZoo's own ``hanabi_v5``.

Needs the extra ``pettingzoo``. Use `env` for the environment with PettingZoo's usual wrappers, `HanabiAEC` without.

Example:
    >>> environment = env("full-2p")
    >>> environment.reset(seed=1)
    >>> for agent in environment.agent_iter():
    ...     observation, reward, termination, truncation, info = environment.last()
    ...     done = termination or truncation
    ...     move = None if done else environment.action_space(agent).sample(observation["action_mask"])
    ...     environment.step(move)
"""

from typing import Any

import numpy as np

from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.interfaces.adapters.game import Observation, SingleGame
from offbelief.nouns import UserError

try:
    from gymnasium import spaces
    from pettingzoo import AECEnv  # type: ignore[import-untyped, import-not-found, unused-ignore]
    from pettingzoo.utils import wrappers  # type: ignore[import-untyped, import-not-found, unused-ignore]
except ImportError as error:
    raise UserError(
        "The PettingZoo face of Hanabi needs the package pettingzoo; install it with "
        "pip install 'offbelief[pettingzoo]'."
    ) from error


def env(variant: HanabiVariant | str = "full-2p", *, render_mode: str | None = None) -> "AECEnv[str, Any, Any]":
    """Make the environment with PettingZoo's usual wrappers: an illegal move ends the game with a reward of -1.

    Args:
        variant: The rules, or their name (see `HanabiVariant.parse`).
        render_mode: "ansi" to get a text from ``render``, "human" to have it printed, None for neither.
    """
    wrapped: AECEnv[str, Any, Any] = wrappers.TerminateIllegalWrapper(
        HanabiAEC(variant, render_mode=render_mode), illegal_reward=-1
    )
    wrapped = wrappers.AssertOutOfBoundsWrapper(wrapped)
    return wrappers.OrderEnforcingWrapper(wrapped)


class HanabiAEC(AECEnv[str, Observation, int | None]):  # type: ignore[misc, unused-ignore] # PettingZoo has no types
    """Hanabi for PettingZoo; agents are "player_0", "player_1", ... and every agent gets the whole team's reward.

    An observation is a dict: ``observation``, HLE's canonical encoding, and ``action_mask``, the legal moves. Moves are
    HLE's ids. Reaching the variant's turn cap is a truncation, any other end a termination.

    Args:
        variant: The rules, or their name (see `HanabiVariant.parse`).
        render_mode: "ansi" to get a text from `render`, "human" to have it printed, None for neither.
    """

    metadata = {  # noqa: RUF012 - PettingZoo reads a plain dict here
        "name": "offbelief_hanabi_v0",
        "render_modes": ["ansi", "human"],
        "is_parallelizable": False,
    }

    def __init__(self, variant: HanabiVariant | str = "full-2p", *, render_mode: str | None = None) -> None:
        super().__init__()
        if render_mode not in (None, "ansi", "human"):
            raise UserError(f"render_mode is {render_mode!r}; choose 'ansi', 'human' or None.")
        self.render_mode = render_mode
        self.game = SingleGame(variant)
        moves, features = self.game.variant.num_moves, self.game.observation_size
        self.possible_agents = [f"player_{seat}" for seat in range(self.game.variant.players)]
        self.agents: list[str] = []
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observation": spaces.Box(0, 1, shape=(features,), dtype=np.int8),
                    "action_mask": spaces.Box(0, 1, shape=(moves,), dtype=np.int8),
                }
            )
            for agent in self.possible_agents
        }
        self.action_spaces = {agent: spaces.Discrete(moves) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> "spaces.Space[Any]":
        """The space of an agent's observations, the same object every time."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> "spaces.Space[Any]":
        """The space of an agent's moves, the same object every time."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Deal a new game; a seed begins a series of deals, None goes on with it."""
        self.game.deal(seed)
        self.agents = self.possible_agents[:]
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self.infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        self.agent_selection = self.possible_agents[self.game.acting_seat]

    def observe(self, agent: str) -> Observation:
        """What an agent sees."""
        return self.game.observe(self.possible_agents.index(agent))

    def step(self, action: int | None) -> None:
        """Make the move of the agent whose turn it is (None once the game is over)."""
        if self.terminations[self.agent_selection] or self.truncations[self.agent_selection]:
            self._was_dead_step(action)
            return
        if action is None:
            raise UserError(f"It is the turn of {self.agent_selection}; give a move, not None.")
        agent = self.agent_selection
        reward = self.game.step(int(action))
        self._cumulative_rewards[agent] = 0.0
        self.rewards = dict.fromkeys(self.agents, reward)
        if self.game.is_over:
            cut_short = self.game.is_cut_short
            self.terminations = dict.fromkeys(self.agents, not cut_short)
            self.truncations = dict.fromkeys(self.agents, cut_short)
        self.agent_selection = self.possible_agents[self.game.acting_seat]
        self._accumulate_rewards()
        if self.render_mode == "human":
            self.render()

    def render(self) -> str | None:
        """The game as text with every card open: returned in mode "ansi", printed in mode "human"."""
        if self.render_mode is None:
            raise UserError("This environment was made without a render_mode; make it with render_mode='ansi'.")
        text = self.game.render()
        if self.render_mode == "ansi":
            return text
        print(text)
        return None

    def close(self) -> None:
        """Nothing to close; PettingZoo asks for it of whatever can be rendered."""
