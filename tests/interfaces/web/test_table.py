import json

import pytest

from offbelief.games.hanabi.replays import replay
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.interfaces.web.table import HUMAN, Table, TableSettings
from offbelief.nouns import UserError


def deal(seats=(HUMAN, "bot:iggi"), variant="full-2p", seed=5, known=False, **switches):
    settings = TableSettings(variant=HanabiVariant.parse(variant), seats=tuple(seats), seed=seed, is_seed_known=known)
    return Table.deal(settings, **switches)


def finish(table):
    while not table.is_over:
        refusals = table.view(table.turn, table.acting_seat)["refusals"]
        table.play(refusals.index(None))
    return table


def test_saved_table_comes_back_as_it_was():
    table = deal()
    table.play(6)
    key = table.hand_out_key(0)
    again = Table.from_json(json.loads(json.dumps(table.as_json())))
    assert table.as_json() == again.as_json()
    assert (table.positions[-1] == again.positions[-1]).all()
    assert 0 == again.seat_of(key)


def test_saved_table_holds_no_key_but_its_hash():
    table = deal()
    key = table.hand_out_key(0)
    assert key not in json.dumps(table.as_json())
    assert None is table.seat_of(key + "x")


@pytest.mark.parametrize(
    "damage",
    [{"format": "other"}, {"record": None}, {"seats": 3}, {"key_hashes": []}, {"seed": None}, {"seats": ["human"]}],
)
def test_damaged_table_is_refused_with_a_sentence(damage):
    with pytest.raises(UserError):
        Table.from_json({**deal().as_json(), **damage})


def test_seed_is_secret_until_the_end_unless_somebody_chose_it():
    assert None is deal().describe(0)["seed"]
    assert 5 == deal(known=True).describe(0)["seed"]
    assert 5 == finish(deal()).describe(0)["seed"]


def test_moves_of_a_view_are_offered_at_the_present_turn_alone():
    table = deal()
    assert table.view(0, 0)["refusals"] is not None
    table.play(6)
    assert None is table.view(0, 0)["refusals"]
    assert None is table.view(1, 0)["refusals"]  # the agent's turn


def test_open_hand_shows_own_cards_and_still_offers_moves():
    table = deal(open_hand=True)
    view = table.view(0, 0)
    assert None not in [card["kind"] for card in view["hands"][0]]
    assert view["refusals"] is not None


def test_visitor_sees_nothing_of_a_running_game_of_people_and_all_of_a_finished_one():
    table = deal()
    with pytest.raises(UserError, match="still running"):
        table.view(0, None)
    table.is_given_up = True
    assert None not in [card["kind"] for hand in table.view(0, None)["hands"] for card in hand]


def test_visitor_sees_all_of_a_game_of_agents():
    assert None not in [card["kind"] for hand in deal(("bot:iggi",) * 2).view(0, None)["hands"] for card in hand]


def test_illegal_move_changes_nothing():
    table = deal()
    with pytest.raises(UserError, match="hint tokens"):
        table.play(0)  # discarding with all tokens there
    assert (0, 1) == (table.turn, len(table.positions))


def test_record_of_a_finished_table_replays():
    table = finish(deal(variant="full-3p", seats=(HUMAN, "bot:iggi", "bot:piers")))
    (result,) = replay([table.record()])
    assert result.ok
    assert table.turn == result.turns


def test_switches_are_fixed_where_several_people_play():
    table = deal((HUMAN, HUMAN))
    with pytest.raises(UserError, match="several people"):
        table.switch(open_hand=True, open_mind=True)
    assert not table.open_hand


def test_same_coins_whenever_a_turn_is_asked_about():
    table = deal()
    assert table.coins(3).tolist() == table.coins(3).tolist()
    assert table.coins(3).tolist() != table.coins(4).tolist()


def test_seats_must_fit_the_variant():
    with pytest.raises(UserError, match="3 seats"):
        deal(variant="full-3p")
