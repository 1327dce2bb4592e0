import numpy as np
import pytest

from offbelief.agents.scripted import scripted_policy
from offbelief.evaluation.match import play_all_orders
from offbelief.evaluation.plots import draw_crossplay_matrix
from offbelief.evaluation.tournament import play_tournament
from offbelief.games.hanabi.variant import HanabiVariant

NAMES = ("iggi", "outer", "piers", "internal")


@pytest.fixture(scope="module")
def tournament():
    return play_tournament(
        {name: scripted_policy(name) for name in NAMES}, HanabiVariant.parse("mini"), games=60, seed=4
    )


def test_every_agent_plays_itself_and_every_other_once(tournament):
    assert [(name, name) for name in NAMES] == tournament.teams[:4]
    assert 4 + 6 == len(tournament.teams)
    assert all(60 == len(result.scores) for result in tournament.results)


def test_matrix_holds_the_matches(tournament):
    iggi, piers = scripted_policy("iggi"), scripted_policy("piers")
    expected = play_all_orders([iggi, piers], HanabiVariant.parse("mini"), 60, seed=4).mean
    assert expected == tournament.matrix[0, 2] == tournament.matrix[2, 0]
    assert tournament.self_play.mean == pytest.approx(np.diag(tournament.matrix).mean())


def test_cross_play_error_comes_from_disjoint_pairs(tournament):
    # Of the six pairs in order, (0, 1) and (2, 3) share nobody.
    pairs = np.array([tournament.matrix[0, 1], tournament.matrix[2, 3]])
    assert tournament.cross_play.sem == pytest.approx(pairs.std(ddof=1) / np.sqrt(2))
    above = tournament.matrix[np.triu_indices(4, 1)]
    assert tournament.cross_play.mean == pytest.approx(above.mean())
    assert tournament.cross_play_sem_over_pairs == pytest.approx(above.std(ddof=1) / np.sqrt(6))


def test_three_players_sit_in_triples():
    agents = {name: scripted_policy(name) for name in NAMES}
    result = play_tournament(agents, HanabiVariant.parse("3p-2c-3r-h3-i5-l3"), games=12, seed=0)
    assert 4 + 4 == len(result.teams)
    assert all(3 == len(team) for team in result.teams)


def test_figure_writes_every_score(tournament):
    texts = [text.get_text() for text in draw_crossplay_matrix(tournament).axes[0].texts]
    assert 16 == len(texts)
    assert f"{tournament.matrix[0, 0]:.2f}" in texts
