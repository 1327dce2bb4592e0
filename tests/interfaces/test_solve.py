import json

import pytest

from offbelief.interfaces.cli import main


def solve(capsys, *words):
    assert main(["solve", *words, "--json"]) == 0
    return json.loads(capsys.readouterr().out)


def test_toy_json_has_the_promised_keys_and_values(capsys):
    found = solve(capsys, "toy")
    assert {"game", "operator", "temperature", "levels", "baselines"} <= set(found)
    assert ("toy", "counterfactual", 0.05) == (found["game"], found["operator"], found["temperature"])
    assert [1, 2, 3, 4] == [level["level"] for level in found["levels"]]
    for level in found["levels"]:
        assert level["self_play"] == pytest.approx(5)
        assert level["cross_play"] == level["self_play"]  # Corollary 1
    baselines = found["baselines"]
    assert baselines["self_play_optimum"] == pytest.approx(10)
    assert baselines["k_level"] == pytest.approx([1, 5, 5, 5])
    assert baselines["cognitive_hierarchy"] == pytest.approx([1, 1, 5, 5])
    assert baselines["random"] == pytest.approx(-0.875)


@pytest.mark.parametrize(
    ("temperature", "expected"), [("limit", [8, 9, 10, 10]), ("0.001", [8, 9, 10, 10]), ("0", [8, 8, 8, 8])]
)
def test_tiny_hanabi_keeps_the_limit_apart_from_zero(capsys, temperature, expected):
    found = solve(capsys, "tiny-hanabi", "--temperature", temperature)
    assert [level["self_play"] for level in found["levels"]] == pytest.approx(expected, abs=1e-3)


@pytest.mark.parametrize(("operator", "expected"), [("counterfactual", 1.0), ("bellman", 0.6)])
def test_operator_flag_decides_the_disagreement(capsys, operator, expected):
    found = solve(capsys, "disagreement", "--operator", operator, "--levels", "1", "--temperature", "limit")
    assert found["levels"][0]["self_play"] == pytest.approx(expected)


@pytest.mark.parametrize(("weight", "expected"), [("1", 1.0), ("0", 0.6)])
def test_lambda_overrides_the_operator(capsys, weight, expected):
    found = solve(capsys, "disagreement", "--lambda", weight, "--levels", "1", "--temperature", "limit")
    assert found["levels"][0]["self_play"] == pytest.approx(expected)


def test_ties_at_temperature_zero_show_in_cross_play(capsys):
    # Both actions of the coordination game are worth 0.5 to a second mover who believes in a uniform first mover: two
    # solves that break the tie in opposite orders miss each other.
    level = solve(capsys, "coordination", "--temperature", "0", "--levels", "1")["levels"][0]
    assert (1.0, 0.0) == (level["self_play"], level["cross_play"])


def test_poisson_hierarchy_reaches_the_barrier_earlier(capsys):
    found = solve(capsys, "toy", "--ch", "poisson:1.5")
    assert found["baselines"]["cognitive_hierarchy"] == pytest.approx([1, 5, 5, 5])


def test_saved_policy_is_read_back_as_pi0(capsys, tmp_path):
    saved = tmp_path / "level2.json"
    straight = solve(capsys, "tiny-hanabi", "--levels", "3", "--temperature", "1")
    solve(capsys, "tiny-hanabi", "--levels", "2", "--temperature", "1", "--save-policy", str(saved))
    resumed = solve(capsys, "tiny-hanabi", "--levels", "1", "--temperature", "1", "--pi0", str(saved))
    assert resumed["levels"][0]["self_play"] == pytest.approx(straight["levels"][2]["self_play"])


def test_table_shows_where_levels_differ(capsys):
    assert main(["solve", "tiny-hanabi", "--temperature", "limit"]) == 0
    shown = capsys.readouterr().out
    assert "self-play optimum 10.0000 (exact)" in shown
    line = next(line for line in shown.splitlines() if line.startswith("First: sees card 0"))
    assert "*" in line


def test_larger_game_lists_only_the_differences(capsys):
    assert main(["solve", "random"]) == 0
    assert "Where the levels differ" in capsys.readouterr().out
