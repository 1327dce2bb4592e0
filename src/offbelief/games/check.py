"""`check_game`: run it on your own game before anything else."""

from dataclasses import dataclass

from offbelief.games.contract import Game
from offbelief.games.tables import GameTables
from offbelief.games.tree import unroll
from offbelief.nouns import GameError

_MEMBERS = (
    "name",
    "player_names",
    "max_length",
    "public_actions",
    "private_legality",
    "initial_states",
    "acting_player",
    "legal_actions",
    "transitions",
    "public_observation",
    "private_observation",
)


@dataclass(frozen=True)
class GameSize:
    """How large a game is, once unrolled."""

    players: int
    longest: int
    """Moves in the longest game (the paper's t_max)."""
    states: int
    trajectories: int
    histories: int
    """Action-observation histories of all players."""
    decisions: int
    """Histories at which their player acts."""

    def __str__(self) -> str:
        return (
            f"{self.players} players, at most {self.longest} moves, {self.states} states, {self.trajectories} "
            f"trajectories, {self.histories} histories of which {self.decisions} are decisions"
        )


def check_game(game: Game | GameTables) -> GameSize:
    """Check that a game satisfies the contract.

    Probabilities add up, rewards are finite, the game ends within max_length moves, exactly one player acts at a time,
    every player knows from its own history when to act and what is legal, and legality gives no private information
    away unless the game says so.

    Raises:
        GameError: one sentence that says what is wrong, and at which state or history.
    """
    if not isinstance(game, GameTables):
        missing = [member for member in _MEMBERS if not hasattr(game, member)]
        if missing:
            raise GameError(
                f"{type(game).__name__} is not a game yet: it lacks {', '.join(missing)} (see offbelief.Game)."
            )
    tree = unroll(game)
    return GameSize(
        players=tree.num_players,
        longest=tree.depth,
        states=tree.tables.num_states,
        trajectories=tree.num_nodes,
        histories=tree.num_histories,
        decisions=tree.num_decisions,
    )
