"""Train a policy, a belief or a whole ladder by preset; the run is a folder that 'obl resume' goes on with.

PRESETS

Or the name of an agent or belief of the zoo ('obl zoo'): trains again with the very settings that it was made with.

Ctrl-C saves. At the end the folder holds agent.safetensors, and 'obl evaluate RUN' or 'obl report RUN' show it.

Examples: obl train obl-1-2p --minutes 60 --seed 1
          obl train belief-2p --of obl-1-a
          obl train ladder-mini --levels 3
          obl train ladder-2p --on obl-4-f --levels 5
"""

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated

import tyro

from offbelief.agents.device import find_device
from offbelief.interfaces.training import climb_in_terminal, configure, train_in_terminal
from offbelief.learning.ladder_presets import BELIEF_PRESETS, LADDER_PRESETS, with_minutes, with_precision
from offbelief.learning.levels import LadderConfig, create_ladder, stand_on
from offbelief.learning.presets import PRESETS
from offbelief.learning.run import create_run
from offbelief.nouns import UserError
from offbelief.precision import Precision

_GROUPS = (
    "Mini Hanabi (two players, three colours, three ranks), a minute of one core",
    "Full Hanabi, an hour of one core",
    "What an agent's moves say about hidden cards: the belief that the next level learns from",
    "Whole ladders: level 1, its belief, level 2, its belief, ...",
    "The paper's own settings, for a machine with a GPU",
)


def _group_of(preset: str) -> str:
    if preset.startswith("paper-"):
        return _GROUPS[4]
    if preset in LADDER_PRESETS:
        return _GROUPS[3]
    if preset in BELIEF_PRESETS:
        return _GROUPS[2]
    return _GROUPS[0] if preset.endswith("-mini") else _GROUPS[1]


def list_presets() -> str:
    """Every preset with its meaning, a line each, in groups."""
    meanings = {name: kind[name][0] for kind in (PRESETS, BELIEF_PRESETS, LADDER_PRESETS) for name in kind}
    width = max(map(len, meanings)) + 2
    lines = {name: f"  {name.ljust(width)}{meaning}" for name, meaning in meanings.items()}
    members = {group: [line for name, line in lines.items() if _group_of(name) == group] for group in _GROUPS}
    return "\n\n".join("\n".join([f"{group}:", *found]) for group, found in members.items() if found)


__doc__ = (__doc__ or "").replace("PRESETS", list_presets())


def _option(metavar: str, default: str) -> object:
    """How --help shows an option that may be left out."""
    return tyro.conf.arg(metavar=metavar, help_behavior_hint=f"(default: {default})")


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """What to train, and for how long."""

    preset: Annotated[str, tyro.conf.Positional, tyro.conf.arg(metavar="PRESET")]
    """Which settings to start from."""
    seed: int = 0
    """Of everything random in the run."""
    minutes: Annotated[float | None, _option("M", "the preset's")] = None
    """CPU-minutes to plan for; the schedules stretch with it."""
    steps: Annotated[int | None, _option("N", "what the minutes allow")] = None
    """An exact number of steps instead, which makes a run repeatable on any machine."""
    out: Annotated[Path | None, _option("RUN", "runs/PRESET-SEED")] = None
    """The run's folder."""
    of: Annotated[str | None, _option("AGENT", "none")] = None
    """Beliefs: whose moves to read; a run's folder, a zoo name or a scripted player (bot:iggi)."""
    levels: Annotated[int | None, _option("N", "4")] = None
    """Ladders: how high to climb."""
    minutes_per_rung: Annotated[float | None, _option("M", "the preset's")] = None
    """Ladders: CPU-minutes for every level, its belief and its policy together."""
    on: Annotated[str | None, _option("AGENT", "nobody, from level 1 on")] = None
    """Ladders: an agent to stand on, of any level; only the rungs above it are climbed."""
    threads: int = 1
    """Threads of the matrix products; two runs side by side are a better use of two cores."""
    precision: Annotated[Precision | None, _option("P", "the preset's, float32")] = None
    """Of the matrix products in training; bfloat16 is faster on processors made for it, as 'obl doctor' tells."""
    device: str = "cpu"
    """Where the networks compute: cpu, or cuda for a GPU."""


def run(arguments: Arguments) -> int:
    """Make the run's folder and train."""
    device = find_device(arguments.device)
    folder = arguments.out or Path("runs") / f"{arguments.preset}-{arguments.seed}"
    if arguments.preset in LADDER_PRESETS:
        create_ladder(folder, _ladder(arguments))
        return climb_in_terminal(folder, threads=arguments.threads, device=device)
    if arguments.levels or arguments.minutes_per_rung or arguments.on:
        raise UserError("--levels, --minutes-per-rung and --on are for ladders, such as ladder-2p.")
    config = configure(
        arguments.preset, seed=arguments.seed, minutes=arguments.minutes, steps=arguments.steps, of=arguments.of
    )
    if arguments.precision:
        config = replace(config, precision=arguments.precision)
    create_run(folder, config)
    return train_in_terminal(folder, threads=arguments.threads, device=device)


def _ladder(arguments: Arguments) -> LadderConfig:
    if arguments.minutes or arguments.steps or arguments.of:
        raise UserError(
            "A ladder has --minutes-per-rung and --levels; --minutes, --steps and --of are for single runs."
        )
    ladder = replace(LADDER_PRESETS[arguments.preset][1](), seed=arguments.seed)
    if arguments.levels is not None:
        ladder = replace(ladder, levels=arguments.levels)
    if arguments.on:
        ladder = stand_on(ladder, arguments.on)
    if arguments.minutes_per_rung is not None:
        ladder = with_minutes(ladder, arguments.minutes_per_rung)
    if arguments.precision:
        ladder = with_precision(ladder, arguments.precision)
    return ladder
