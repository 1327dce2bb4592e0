"""Accounts and the sections made from them: everything is plain, everything that is there is shown."""

import json
import re

import pytest
import torch
from tests.learning.test_levels import LADDER

from offbelief.agents.loading import load_agent
from offbelief.agents.scripted import scripted_policy
from offbelief.errors import UserError
from offbelief.evaluation.belief_account import AccountSettings
from offbelief.evaluation.climbs import Climb, open_climb
from offbelief.evaluation.ladder_account import (
    account_for_agents,
    account_for_beliefs,
    account_for_levels,
    neighbours,
    short_moves,
)
from offbelief.evaluation.ladder_report import (
    answers_section,
    beliefs_section,
    hints_section,
    levels_section,
    partings_section,
)
from offbelief.evaluation.tournament import play_tournament
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.interfaces.cli import main
from offbelief.learning.levels import climb, create_ladder
from offbelief.learning.run import train

MINI = HanabiVariant.parse("mini")
BOTS = {name: scripted_policy(name) for name in ("iggi", "piers")}


@pytest.fixture(scope="module")
def account():
    return account_for_agents(BOTS, MINI, 40, 1, [("iggi", "piers")], partings=1)


@pytest.fixture(scope="module")
def ladder(tmp_path_factory):
    """A ladder of three levels that have learned next to nothing."""
    threads = torch.get_num_threads()
    torch.set_num_threads(1)
    folder = tmp_path_factory.mktemp("ladders") / "tiny"
    create_ladder(folder, LADDER)
    assert climb(folder, lambda run: train(run, report=lambda progress: None))
    torch.set_num_threads(threads)
    return folder


def shown(pieces):
    """The text of a section without its pictures."""
    return re.sub(r"<[^>]+>", " ", "\n".join(pieces))


def test_account_of_agents_is_plain_and_whole(account):
    assert account == json.loads(json.dumps(account))
    assert ["iggi", "piers"] == list(account["agents"])
    (change,) = account["changes"]
    assert ["iggi", "piers"] == change["agents"]
    assert 0.0 < change["same"] < 1.0
    assert 1 == len(change["told"])


def test_sections_show_the_account(account):
    hints = shown(hints_section(account))
    touched = account["agents"]["piers"]["hints"]["rank"]["touched"]
    assert f"{touched['playable']:.0%} / {touched['played']:.0%}" in hints
    assert "over 40 games" in hints
    answers = answers_section(account)
    assert 2 == sum("data:image/svg" in piece for piece in answers)  # the matrices and their change
    assert f"piers {account['agents']['piers']['next_moves']['information']:.3f}" in shown(answers)
    partings = shown(partings_section(account))
    told = account["changes"][0]["told"][0]
    assert f"turn {told['turn'] + 1}: iggi would {told['move_a']}, piers would {told['move_b']}" in partings
    assert f"piers: {told['mind_b'].split(':')[0]}" in partings


def test_a_single_agent_has_nobody_to_part_from():
    alone = account_for_agents({"iggi": BOTS["iggi"]}, MINI, 5, 1, [])
    assert [] == partings_section(alone)
    assert "largest changes" not in shown(answers_section(alone))


def test_neighbours_are_levels_of_a_climb_and_strangers_in_order():
    climbs = [Climb("x", {2: "b", 1: "a"}, {}, ""), Climb("y", {1: "c"}, {}, "")]
    assert [("a", "b"), ("p", "q")] == neighbours(["a", "b", "c", "p", "q"], climbs)
    assert [] == neighbours(["p"], [])


def test_short_moves_say_to_whom():
    assert ["d0", "d1", "d2", "p0", "p1", "p2", "R", "Y", "G", "1", "2", "3"] == short_moves(MINI)
    assert {"R+1", "R+2", "1+2"} < set(short_moves(HanabiVariant.parse("full-3p")))


def test_levels_are_paired_for_two_players_only():
    tournament = play_tournament(BOTS, MINI, 4, 0)
    found = account_for_levels(tournament, [Climb("x", {1: "iggi", 2: "piers"}, {}, "")])
    assert [[1, 1], [1, 2], [2, 2]] == [pair["levels"] for pair in found]
    assert tournament.matrix[0, 1] == found[1]["within"]
    text = shown(levels_section(found, 9))
    assert f"{found[1]['within']:.2f} ± {found[1]['within_sem']:.2f}" in text
    assert "across climbs" not in text
    assert [] == account_for_levels(tournament, [])
    assert [] == levels_section([], 9)


def test_two_climbs_are_drawn_and_their_errors_named():
    tournament = play_tournament(
        BOTS | {"outer": scripted_policy("outer"), "flawed": scripted_policy("flawed")}, MINI, 4, 0
    )
    climbs = [Climb("x", {1: "iggi", 2: "piers"}, {}, ""), Climb("y", {1: "outer", 2: "flawed"}, {}, "")]
    pieces = levels_section(account_for_levels(tournament, climbs), 9)
    assert 1 == sum("data:image/svg" in piece for piece in pieces)
    assert "error over disjoint pairs" in shown(pieces)


def test_beliefs_of_a_ladder_are_accounted_for(ladder):
    found = open_climb(ladder)
    agents = {name: load_agent(name) for name in found.levels.values()}
    settings = AccountSettings(games=3, states=20, judged=2)
    beliefs = account_for_beliefs([found], agents, settings)
    assert ["tiny/belief-1", "tiny/belief-2"] == [belief["name"] for belief in beliefs]
    assert [found.levels[1], found.levels[2]] == [belief["of"] for belief in beliefs]
    assert beliefs == json.loads(json.dumps(beliefs))
    discards = [belief["discards"] for belief in beliefs]
    assert [found.levels[2], found.levels[3]] == [thrown["by"] for thrown in discards]
    assert all(0.0 <= thrown[who] <= 1.0 for thrown in discards for who in ("learned", "counted", "was"))
    text = shown(beliefs_section(beliefs))
    assert f"{beliefs[1]['noisy']['judged']['judge']:.3f}" in text
    unjudged = account_for_beliefs([found], agents, AccountSettings(games=2, states=20, judged=0))
    assert "exact" not in shown(beliefs_section(unjudged))
    assert [] == beliefs_section([])
    with pytest.raises(UserError, match="should hold a belief"):
        account_for_beliefs([Climb("x", found.levels, {1: found.levels[1]}, "")], agents, settings)


def test_report_of_a_ladder_stands_for_its_levels(ladder, capsys, monkeypatch, tmp_path):
    monkeypatch.chdir(ladder.parent)
    out = tmp_path / "ladder.html"
    assert main(["report", "tiny", "--games", "6", "--judged", "1", "--out", str(out)]) == 0
    assert "each of 6 teams" in capsys.readouterr().err
    page = out.read_text()
    titles = re.findall("<h2>(.*?)</h2>", page)
    expected = ["Levels with each other", "What hints came to mean", "How moves are answered", "Where agents part"]
    expected += ["Where points are lost", "What the beliefs know", "A game, move by move", "Settings"]
    assert expected == titles[-8:]
    assert "tiny/level-3: obl train" in page
    assert "obl report tiny --games 6" in page
