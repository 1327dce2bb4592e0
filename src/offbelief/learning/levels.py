"""The ladder: level 1 from card counting, then for every level the belief of the one below and a policy built on it.

Paper, Section 4.4: level k+1 interprets moves as if level k had made them, so it needs the belief B of level k, learned
from that level's games, and then off-belief learning with it (`fictitious.py`). A ladder is a folder of runs:

    ladder.json  level-1/  belief-1/  level-2/  belief-2/  level-3/ ...

Each is a run like any other: it can be resumed, evaluated, or deleted and done again. Climbing goes on at the first
rung that is not finished, so a ladder that was stopped anywhere continues. A rung done again leaves those above as they
are; delete them too if they should follow. A ladder may also stand on an agent of another climb and begin above it.
"""

import dataclasses
import json
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import NamedTuple, TypeAlias

from offbelief.agents.networks.cardwise import CardwiseSettings
from offbelief.agents.networks.recurrent import RecurrentSettings
from offbelief.agents.recurrent_agent import plays_alike
from offbelief.beliefs.hanabi_game import ViewSettings
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.learning.belief_config import BeliefConfig
from offbelief.learning.building import network_of
from offbelief.learning.config import RunConfig
from offbelief.learning.run import Config, create_run, find_config, parse_config, write_config
from offbelief.nouns import UserError

Train: TypeAlias = Callable[[Path], bool]
"""Trains the run in a folder; says whether it was finished."""


@dataclass(frozen=True, kw_only=True)
class LadderConfig:
    """How to climb."""

    preset: str = ""
    """The preset it started from."""
    levels: int = 4
    """How high."""
    seed: int = 0
    """Of every rung."""
    first: RunConfig
    """Level 1."""
    belief: BeliefConfig
    """Of every level's belief; whose it is follows from the ladder."""
    policy: RunConfig
    """Of level 2 and up; its belief and what it starts from follow from the ladder."""
    exploration_falls: float = 0.7
    """Exploration and learning rate of the policy are multiplied by this from level to level: higher up there is less
    to find out and more to lose."""
    from_scratch: bool = False
    """Whether every belief and level begins with fresh weights instead of those of the one below."""
    on: str = ""
    """An agent to stand on, of any level: only the rungs above it are climbed. From level 1 on if empty."""
    minutes_per_rung: float | None = None
    """CPU-minutes that were asked for, for belief and policy together; None for those of the preset."""

    def __post_init__(self) -> None:
        if self.levels < 1:
            raise UserError(f"A ladder has at least one level, not {self.levels}.")


@dataclass(frozen=True)
class Rung:
    """A run of the ladder."""

    name: str
    """Of its folder."""
    config: Config
    product: str
    """The file that it is finished with."""


def rungs(ladder: LadderConfig, folder: Path) -> Iterator[Rung]:
    """Name the runs of a ladder in their order."""
    if ladder.on:
        standing = standing_of(ladder.on)
        (below, belief_below), first = standing[0], len(standing)
    else:
        below, belief_below, first = str(folder / "level-1"), "", 1
        yield Rung("level-1", replace(ladder.first, seed=ladder.seed), "agent.safetensors")
    for level in range(first + 1, ladder.levels + 1):
        belief = folder / f"belief-{level - 1}"
        # Levels mean much the same as those below, so beliefs need not begin with card counting each time.
        start = "" if ladder.from_scratch else belief_below
        reads = replace(ladder.belief, of=below, seed=ladder.seed, start_from=start)
        yield Rung(belief.name, reads, "belief.safetensors")
        less = ladder.exploration_falls ** (level - 2)
        policy = replace(
            ladder.policy,
            seed=ladder.seed,
            belief=str(belief),
            start_from="" if ladder.from_scratch else below,
            exploration=tuple(round(rate * less, 4) for rate in ladder.policy.exploration),
            learner=replace(ladder.policy.learner, learning_rate=ladder.policy.learner.learning_rate * less),
        )
        yield Rung(f"level-{level}", policy, "agent.safetensors")
        below, belief_below = str(folder / f"level-{level}"), str(belief)


class Standing(NamedTuple):
    """An agent of a climb, and what it imagined from."""

    agent: str
    """As `load_agent` takes it."""
    belief: str
    """As `load_belief` takes it; empty for card counting, so on level 1."""


def standing_of(name: str) -> list[Standing]:
    """Follow an agent down to the first level: a policy names its belief, and a belief whose moves it reads.

    Args:
        name: of the agent, a run's folder or one of the zoo.

    Returns:
        The agent itself, then the one on the rung below, and so on.

    Raises:
        UserError: one of them is not there, or a scripted player.
    """
    config = find_config(name)
    if not isinstance(config, RunConfig):
        raise UserError(f"{name} holds a belief; name the agent of a level.")
    found = [Standing(name, config.belief)]
    return found + (standing_of(belief_config(config.belief).of) if config.belief else [])


def belief_config(name: str) -> BeliefConfig:
    """How a belief was trained, by its run's folder or its name in the zoo.

    Raises:
        UserError: it is no belief.
    """
    config = find_config(name)
    if not isinstance(config, BeliefConfig):
        raise UserError(f"{name} should hold a belief, but its config.json describes a policy.")
    return config


def level_of(name: str) -> int:
    """The level of an agent: 1 if it imagined by card counting, else one more than that of whom its belief reads."""
    return len(standing_of(name))


def stand_on(ladder: LadderConfig, name: str) -> LadderConfig:
    """Climb above an agent; levels that begin with its weights have a network like its own, maybe deeper."""
    network, planned = network_of(name), ladder.policy.network
    if isinstance(network, CardwiseSettings) and isinstance(planned, CardwiseSettings) and not network.residual_width:
        network = replace(network, residual_width=planned.residual_width)
    game = find_config(name).game
    if not plays_alike(HanabiVariant.parse(game), HanabiVariant.parse(ladder.belief.game)):
        raise UserError(f"{name} plays {game}, and this ladder {ladder.belief.game}; choose one of the same game.")
    if (level := level_of(name)) >= ladder.levels:
        raise UserError(f"{name} is of level {level} already; climb higher with --levels {level + 1}.")
    return replace(ladder, on=name, policy=replace(ladder.policy, network=network))


def create_ladder(folder: Path, ladder: LadderConfig) -> None:
    """Make the ladder's folder; refuses one that holds a ladder or a run already."""
    if (folder / "ladder.json").exists() or (folder / "config.json").exists():
        raise UserError(f"{folder} holds something already; go on with 'obl resume {folder}', or choose another --out.")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "ladder.json").write_text(ladder_to_json(ladder), encoding="utf-8")


def climb(folder: Path, train: Train) -> bool:
    """Climb a ladder from its first unfinished rung.

    Args:
        folder: made by `create_ladder`.
        train: trains a run and says whether it was finished.

    Returns:
        Whether the top was reached; else some rung was stopped, and is saved.
    """
    ladder = read_ladder(folder)
    for rung in rungs(ladder, folder):
        run = folder / rung.name
        if (run / rung.product).exists():
            continue
        if not (run / "config.json").exists():
            create_run(run, rung.config)
        if not train(run):
            return False
    return True


def ladder_command(ladder: LadderConfig, levels: int | None = None) -> str:
    """The command that climbs a ladder again; as high as it is, or up to some level of it."""
    command = f"obl train {ladder.preset} --levels {levels or ladder.levels} --seed {ladder.seed}"
    minutes = "" if ladder.minutes_per_rung is None else f" --minutes-per-rung {ladder.minutes_per_rung:g}"
    precision = "" if ladder.policy.precision == "float32" else f" --precision {ladder.policy.precision}"
    return command + minutes + (f" --on {ladder.on}" if ladder.on else "") + precision


def ladder_to_json(ladder: LadderConfig) -> str:
    """Write a ladder as JSON."""
    plain = {field.name: getattr(ladder, field.name) for field in dataclasses.fields(ladder)}
    nested = {name: json.loads(write_config(plain[name])) for name in ("first", "belief", "policy")}
    return json.dumps({**plain, **nested}, indent=1) + "\n"


def read_ladder(folder: Path) -> LadderConfig:
    """Read the ladder of a folder.

    Raises:
        UserError: there is none, or it is of another version.
    """
    try:
        values = json.loads((folder / "ladder.json").read_text(encoding="utf-8"))
        nested = {name: parse_config(json.dumps(values[name])) for name in ("first", "belief", "policy")}
        return LadderConfig(**{**values, **nested})
    except FileNotFoundError:
        raise UserError(f"{folder} holds no ladder: there is no ladder.json in it.") from None
    except (json.JSONDecodeError, KeyError, TypeError) as error:
        raise UserError(f"{folder / 'ladder.json'} does not describe a ladder of this version: {error}.") from None


def higher_level(config: RunConfig) -> RunConfig:
    """Settings of a policy of level 2 or more: it remembers, as recurrent networks do by themselves."""
    memory = not isinstance(config.network, RecurrentSettings)
    return replace(config, method="obl", view=ViewSettings(memory=memory))
