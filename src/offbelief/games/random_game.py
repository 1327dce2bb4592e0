"""Random small games, for property tests, experiments and benchmarks.

`random_game` builds the tables of a Dec-POMDP with hidden types, chance after every move, rewards that depend on types
and on the moves so far, legal sets that depend on the public past, and early endings: everything the contract allows,
drawn at random. It writes the tables directly, since a game of a million histories should not pass through Python
objects.
"""

from dataclasses import dataclass

import numpy as np

from offbelief.games.tables import GameTables
from offbelief.nouns import GameError, IntArray


@dataclass(frozen=True, kw_only=True)
class RandomGameSettings:
    """The shape of a random game."""

    players: int = 2
    """They act in turn: player t mod players makes move t."""
    horizon: int = 3
    """Moves in the longest game."""
    types: int = 2
    """Private types of each player, drawn together at the start from a random joint distribution."""
    actions: int = 2
    """Actions of a player; all are legal unless `ragged`."""
    chance: int = 1
    """Outcomes of chance after every move; each move's outcome is shown to all, to one player, or to nobody."""
    memory: int | None = None
    """Rewards depend on the types and the last so many moves; None for all moves so far."""
    ragged: bool = False
    """Some actions are illegal, depending on the turn and the last action."""
    ending: float = 0.0
    """Probability that a (state, action) ends the game early."""

    def __post_init__(self) -> None:
        for name in ("players", "horizon", "types", "actions", "chance"):
            if getattr(self, name) < 1:
                raise GameError(f"A random game needs {name} of at least 1, not {getattr(self, name)}.")
        if self.memory is not None and self.memory < 1:
            raise GameError("A random game needs a memory of at least one move, or None for all moves.")


def random_game(seed: int, settings: RandomGameSettings | None = None) -> GameTables:
    """Draw a game.

    Args:
        seed: the same seed and settings give the same game.
        settings: its shape.
    """
    shape = settings or RandomGameSettings()
    rng = np.random.default_rng(seed)
    num_types = shape.types**shape.players
    memory = shape.horizon if shape.memory is None else shape.memory
    fan = shape.actions * shape.chance
    # A state of layer t is (types, the last moves with their outcomes); codes[t] counts the latter.
    codes = [fan ** min(turn, memory) for turn in range(shape.horizon)]
    layer_start = np.concatenate([[0], np.cumsum([num_types * count for count in codes])]).astype(np.int64)
    over = int(layer_start[-1])
    legal_mask = _draw_legal(rng, shape)
    acting, slot_counts, slot_actions, edge_states = [], [], [], []
    for turn in range(shape.horizon):
        state = np.arange(num_types * codes[turn])
        types, code = np.divmod(state, codes[turn])
        last_action = (code % fan) // shape.chance if turn > 0 else np.zeros_like(code)
        legal = legal_mask[turn, last_action]
        acting.append(np.full(len(state), turn % shape.players))
        slot_counts.append(legal.sum(axis=1))
        slot_state, action = np.nonzero(legal)
        slot_actions.append(action)
        if turn + 1 == shape.horizon:
            follows = np.full((len(action), shape.chance), over)
        else:
            after = (code[slot_state, None] * shape.actions + action[:, None]) * shape.chance + np.arange(shape.chance)
            follows = layer_start[turn + 1] + types[slot_state, None] * codes[turn + 1] + after % codes[turn + 1]
            follows[rng.random(len(action)) < shape.ending] = over
        edge_states.append(follows.reshape(-1))
    slot_action = np.concatenate(slot_actions).astype(np.int32)
    num_edges = len(slot_action) * shape.chance
    probability = rng.dirichlet(np.ones(shape.chance), size=len(slot_action)).reshape(-1)
    observation = _observe(rng, shape, codes, num_types, over)
    return GameTables(
        name=f"random-{seed}",
        player_names=tuple(f"Player {player}" for player in range(shape.players)),
        max_length=shape.horizon,
        public_actions=True,
        private_legality=False,
        action_names=tuple(f"action {action}" for action in range(shape.actions)),
        start_state=(np.arange(num_types) * codes[0]).astype(np.int32),
        start_probability=rng.dirichlet(np.ones(num_types)),
        acting_player=np.concatenate([*acting, [-1]]).astype(np.int32),
        slot_start=np.concatenate([[0], np.cumsum(np.concatenate([*slot_counts, [0]]))]).astype(np.int64),
        slot_action=slot_action,
        edge_start=np.arange(0, num_edges + 1, shape.chance, dtype=np.int64),
        edge_probability=probability,
        edge_reward=rng.normal(size=num_edges),
        edge_state=np.concatenate(edge_states).astype(np.int32),
        observation=observation,
        observation_name=lambda player, state: f"signal {observation[player, state]}",
    )


def _draw_legal(rng: np.random.Generator, shape: RandomGameSettings) -> IntArray:
    """[turn, last action, action] what is legal: a random set that is never empty."""
    legal = np.ones((shape.horizon, shape.actions, shape.actions), np.bool_)
    if shape.ragged:
        legal = rng.random(legal.shape) < 0.7
        kept = rng.integers(shape.actions, size=legal.shape[:2])
        np.put_along_axis(legal, kept[:, :, None], True, axis=2)
    return legal.astype(np.int64)


def _observe(
    rng: np.random.Generator, shape: RandomGameSettings, codes: list[int], num_types: int, over: int
) -> IntArray:
    """[P+1, S] own type at every state, and the last outcome of chance if its move shows it."""
    observation = np.zeros((shape.players + 1, over + 1), np.int32)
    first = 0
    for turn, count in enumerate(codes):
        state = np.arange(num_types * count)
        types, code = np.divmod(state, count)
        outcome = code % shape.chance
        # Who sees the outcome of the move before: a player's number, `players` for everybody, beyond for nobody.
        shown_to = int(rng.integers(shape.players + 2)) if turn > 0 else shape.players + 1
        for observer in range(shape.players + 1):
            seen = types // shape.types**observer % shape.types if observer < shape.players else np.zeros_like(types)
            sees_outcome = shown_to in (observer, shape.players)
            observation[observer, first + state] = seen * shape.chance + (outcome if sees_outcome else 0)
        first += num_types * count
    return observation
