import numpy as np
import pytest

from offbelief.agents.scripted import scripted_policy
from offbelief.errors import UserError
from offbelief.evaluation.match import KNOWLEDGE, play_all_orders, play_team
from offbelief.games.hanabi.variant import HanabiVariant

MINI = HanabiVariant.parse("mini")
FULL = HanabiVariant.parse("full-2p")


class _Recorder:
    """Plays like another agent and remembers every position and move."""

    def __init__(self, agent):
        self.agent = agent
        self.seen = []

    def act(self, states, variant, streams):
        moves = self.agent.act(states, variant, streams)
        self.seen += [(state.copy(), int(move)) for state, move in zip(states, moves, strict=True)]
        return moves


def test_same_seed_gives_every_team_the_same_deals():
    iggi, outer = scripted_policy("iggi"), scripted_policy("outer")
    first, again = (play_team([iggi, outer], FULL, 50, seed=3) for _ in range(2))
    assert np.array_equal(first.scores, again.scores)
    longer = play_team([iggi, outer], FULL, 80, seed=3)
    assert np.array_equal(first.scores, longer.scores[:50])


def test_seat_orders_share_the_games_evenly():
    iggi, outer = scripted_policy("iggi"), scripted_policy("outer")
    both = play_all_orders([iggi, outer], FULL, 100, seed=0)
    there, back = play_team([iggi, outer], FULL, 50, seed=0), play_team([outer, iggi], FULL, 50, seed=0)
    assert sorted(both.scores) == sorted([*there.scores, *back.scores])
    assert 40 == len(play_all_orders([iggi, iggi], FULL, 40, seed=0).scores)


def test_three_seats_have_an_order_per_arrangement():
    iggi, outer = scripted_policy("iggi"), scripted_policy("outer")
    variant = HanabiVariant.parse("3p-2c-3r-h3-i5-l3")
    assert 30 == len(play_all_orders([iggi, iggi, outer], variant, 30, seed=0).scores)  # three orders of ten


def test_iggi_scores_as_its_table_says():
    result = play_team([scripted_policy("iggi")] * 2, FULL, 2000, seed=5)
    assert result.mean == pytest.approx(17.65, abs=0.15)
    assert 0 == result.struck_out.sum()


def test_random_player_strikes_out_and_scores_nothing():
    result = play_team([scripted_policy("random")] * 2, FULL, 100, seed=0)
    assert result.struck_out.mean() > 0.95
    assert 0 == result.scores[result.struck_out].sum()


def test_knowledge_of_played_cards_is_what_enumeration_says():
    recorder = _Recorder(scripted_policy("piers"))
    result = play_team([recorder, recorder], MINI, 20, seed=1)
    expected = dict.fromkeys(KNOWLEDGE, 0)
    plays = 0
    for state, move in recorder.seen:
        slot = move - MINI.first_play
        if not 0 <= slot < MINI.hand_size:
            continue
        plays += 1
        seat = int(state["acting_seat"])
        unseen = list(MINI.copies_by_kind)
        for colour in range(MINI.colours):
            for rank in range(int(state["fireworks"][colour])):
                unseen[MINI.kind(colour, rank)] -= 1
        for kind, count in enumerate(state["discards"][: MINI.card_kinds]):
            unseen[kind] -= int(count)
        for kind in state["hands"][1 - seat][: MINI.hand_size]:
            if kind != 255:
                unseen[kind] -= 1
        possible = [
            divmod(kind, MINI.ranks)
            for kind in range(MINI.card_kinds)
            if unseen[kind] > 0
            and state["possible_colours"][seat, slot] >> (kind // MINI.ranks) & 1
            and state["possible_ranks"][seat, slot] >> (kind % MINI.ranks) & 1
        ]
        colour_known, rank_known = (len({card[part] for card in possible}) == 1 for part in (0, 1))
        expected[KNOWLEDGE[colour_known + 2 * rank_known]] += 1
    assert plays > 50
    assert expected == dict(zip(KNOWLEDGE, result.known, strict=True))


def test_wrong_number_of_agents_is_refused():
    with pytest.raises(UserError, match="2 seats"):
        play_team([scripted_policy("iggi")], FULL, 1, seed=0)
    with pytest.raises(UserError, match="seat orders"):
        play_all_orders([scripted_policy("iggi"), scripted_policy("outer")], FULL, 1, seed=0)


class _Witness:
    """Plays like a scripted player, and keeps in its memory how many turns it has been shown."""

    def __init__(self):
        self.agent = scripted_policy("iggi")

    def new_memory(self, states, seat):
        return np.zeros(len(states), np.int64)

    def remember(self, memory, before, moves, after, seat):
        running = ~before["is_over"]
        assert np.all(after["turn"][running] == before["turn"][running] + 1)
        memory[running] += 1

    def act(self, states, variant, streams, memory=None):
        assert np.array_equal(states["turn"], memory)
        return self.agent.act(states, variant, streams)


def test_agent_with_a_memory_is_shown_every_turn():
    plain = play_team([scripted_policy("iggi")] * 2, MINI, 40, seed=0)
    watched = play_team([scripted_policy("iggi"), _Witness()], MINI, 40, seed=0)
    assert np.array_equal(plain.scores, watched.scores)
