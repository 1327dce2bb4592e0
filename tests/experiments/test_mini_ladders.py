"""The comparisons on `mini`: what they compare differs in what they say, and figures are drawn from numbers."""

import json
from dataclasses import replace

import pytest
from tests.experiments.loading import load_experiment

from offbelief.learning.ladder_presets import LADDER_PRESETS

LADDERS = load_experiment("mini_ladders")
MEMORY = load_experiment("level2_memory")


def test_ladders_differ_in_their_beliefs_or_their_beginnings():
    ladder = LADDER_PRESETS["ladder-mini"][1]()
    plain, mixed, soft, fresh = LADDERS.kinds(ladder).values()
    assert mixed == ladder
    assert [(0.0,), ladder.belief.exploration, (0.0,)] == [kind.belief.exploration for kind in (plain, mixed, soft)]
    assert [0.0, 0.0, LADDERS.TEMPERATURE] == [kind.belief.temperature for kind in (plain, mixed, soft)]
    assert [False, False, False, True] == [kind.from_scratch for kind in (plain, mixed, soft, fresh)]
    assert fresh.belief == mixed.belief


def test_memories_differ_in_what_is_seen():
    level_2 = LADDER_PRESETS["ladder-mini"][1]().policy
    kinds = MEMORY.kinds(level_2)
    seen = {name: (config.view.last_move, config.view.memory) for name, config in kinds.items()}
    recurrent = dict.fromkeys(("card-gru", "public-lstm"), (0, 0))  # they remember by themselves
    assert {"nothing": (0, 0), "last-move": (1, 0), "records": (0, 1), **recurrent} == seen
    assert level_2 == kinds["records"]
    assert all(name == kinds[name].network.memory for name in recurrent)


def shortened(ladder):
    few = {"steps": 3, "games": 16, "warmup": 16, "evaluations": 1, "evaluation_games": 10}
    parts = {name: replace(getattr(ladder, name), **few) for name in ("first", "belief", "policy")}
    return replace(ladder, **parts)


@pytest.mark.slow
def test_comparisons_run_from_end_to_end(tmp_path, monkeypatch):
    small = ["--runs", str(tmp_path / "runs"), "--games", "20"]
    out, figure = tmp_path / "ladders.json", tmp_path / "ladders.svg"
    monkeypatch.setattr(LADDERS, "LEVELS", 2)
    presets = {"ladder-mini": ("", lambda: shortened(LADDER_PRESETS["ladder-mini"][1]()))}
    monkeypatch.setattr(LADDERS, "LADDER_PRESETS", presets)
    written = ["--out", str(out), "--figure", str(figure)]
    monkeypatch.setattr("sys.argv", ["x", *small, *written, "--seeds", "2"])
    LADDERS.main()
    found = json.loads(out.read_text())
    assert {"plain", "mixed", "soft", "from-scratch"} == set(found["kinds"])
    assert 2 == len(found["kinds"]["soft"]["2"]["matrix"])
    assert figure.read_text().lstrip().startswith("<?xml")
