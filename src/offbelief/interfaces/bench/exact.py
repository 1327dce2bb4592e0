"""`obl bench exact`: one level of exact OBL against the number of histories, beside the plain-Python judge.

Every size is measured in a process of its own, so that its peak memory is its own. Enumerating the game is reported
apart from solving it.
"""

import importlib
import multiprocessing
import statistics
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from offbelief.interfaces.bench.timing import REPEATS, BenchRow
from offbelief.learning.exact_obl import Operator

HORIZONS = (13, 16, 19)
"""Each size has eight times the histories of the one before; the last has over a million."""
RIVAL_HORIZONS = (13, 16)
"""The judge keeps a Python object per trajectory: the largest size would take it minutes and gigabytes."""


def bench_exact() -> Iterator[BenchRow]:
    """Measure both forms of the operator at every size."""
    operators: tuple[Operator, ...] = ("counterfactual", "bellman")
    for horizon in HORIZONS:
        for operator in operators:
            ours = _in_own_process(_measure_ours, horizon, operator)
            rival = _in_own_process(_measure_judge, horizon, operator) if horizon in RIVAL_HORIZONS else None
            yield BenchRow(
                name="exact.level",
                per_second=ours["histories"] / ours["seconds"],
                unit="histories",
                rival=None if rival is None else "plain-Python judge",
                rival_per_second=None if rival is None else ours["histories"] / rival["seconds"],
                extra={"operator": operator, **ours},
            )


def _in_own_process(measure: Any, *arguments: Any) -> Any:
    with multiprocessing.get_context("spawn").Pool(1) as pool:
        return pool.apply(measure, arguments)


def _bench_game(horizon: int) -> Any:
    from offbelief.games.random_game import RandomGameSettings, random_game

    return random_game(0, RandomGameSettings(horizon=horizon, memory=4))


def _measure_ours(horizon: int, operator: Operator) -> dict[str, Any]:
    import resource

    from offbelief.agents.tabular import uniform_policy
    from offbelief.games.tree import unroll
    from offbelief.learning.exact_obl import OblSettings, obl

    settings = OblSettings(operator=operator)
    obl(uniform_policy(unroll(_bench_game(2))), settings)  # compile
    started = time.perf_counter()
    tree = unroll(_bench_game(horizon))
    enumerated = time.perf_counter() - started
    pi0 = uniform_policy(tree)
    times = []
    for _ in range(REPEATS):
        started = time.perf_counter()
        obl(pi0, settings)
        times.append(time.perf_counter() - started)
    unit = 1024 if sys.platform != "darwin" else 1024**2
    return {
        "histories": tree.num_decisions,
        "trajectories": tree.num_nodes,
        "seconds": statistics.median(times),
        "enumeration_seconds": enumerated,
        "peak_mb": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit,
    }


def _measure_judge(horizon: int, operator: Operator) -> dict[str, Any] | None:
    """Time the judge in tests/naive on the same game, enumeration apart; None outside a checkout."""
    checkout = Path(__file__).parents[4]
    if not (checkout / "tests" / "naive" / "exact.py").exists():
        return None
    sys.path.insert(0, str(checkout))
    judge = importlib.import_module("tests.naive.exact")
    trajectories = judge.enumerate_trajectories(judge.TablesAsGame(_bench_game(horizon)))
    started = time.perf_counter()
    judge.solve_level(trajectories, operator=operator, temperature=0.05)
    return {"seconds": time.perf_counter() - started}
