"""What a seat is sent does not depend on what it must not see."""

import json

import numpy as np
import pytest

from offbelief.agents.scripted import scripted_policy
from offbelief.beliefs.counting import imagine
from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.moves import move_id
from offbelief.games.hanabi.state import HANABI_STATE
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.interfaces.web.sight import see
from offbelief.streams import new_stream


def positions(variant, seed, player="iggi"):
    """A whole game as states [1], one per turn."""
    batch = HanabiBatch(variant, 1, seed=seed)
    bot, coins = scripted_policy(player), new_stream(seed, 5)
    found = [batch.save()]
    while not batch.is_over[0]:
        batch.step(bot.act(batch.states, batch.variant, coins))
        found.append(batch.save())
    return batch.variant, found


def redealt(states, variant, seat, seed):
    """The same game with other cards in a seat's hand and in the deck, as far as the seat can tell."""
    copies = np.empty((1, 1), HANABI_STATE)
    imagine(states, variant.parameters, np.array([seat]), new_stream(seed, 9), copies)
    return copies[:, 0]


@pytest.mark.parametrize(
    ("name", "player"),
    [("full-2p", "iggi"), ("full-2p", "random"), ("full-3p", "piers"), ("full-5p", "outer"), ("mini", "iggi")],
)
def test_view_is_the_same_for_every_hand_that_the_seat_may_hold(name, player):
    differences = 0
    for seed in range(3 if name == "full-2p" else 1):
        variant, game = positions(name, seed, player)
        for turn in range(len(game)):
            before = game[turn - 1] if turn else None
            for seat in range(variant.players):
                other = redealt(game[turn], variant, seat, seed)
                expected = json.dumps(see(before, game[turn], variant, seat))
                assert expected == json.dumps(see(before, other, variant, seat))
                differences += json.dumps(see(before, game[turn], variant, None)) != json.dumps(
                    see(before, other, variant, None)
                )
    assert differences > 20  # the re-dealt games do differ


def test_open_view_shows_every_card():
    variant, game = positions("full-2p", 1)
    view = see(None, game[0], variant, None)
    assert game[0]["hands"][0, :2].tolist() == [[card["kind"] for card in hand] for hand in view["hands"]]


def test_pips_follow_hints_and_visible_copies():
    # All three R1 are in the partner's hand, so none can be in ours.
    variant = HanabiVariant()
    deck = [1, 1, 2, 2, 3, 0, 0, 0, 5, 6]  # own: R2 R2 R3 R3 R4; partner: R1 R1 R1 Y1 Y2
    batch = HanabiBatch.from_decks(variant, [deck])
    own = see(None, batch.states, variant, 0)["hands"][0][0]
    assert 0 not in own["possible"]
    assert 24 == len(own["possible"])
    before = batch.save()
    batch.step([move_id(variant, "rank", 0, 1)])  # "these are ones": slots 0, 1, 2 and 3 of the partner
    view = see(before, batch.states, variant, 0)
    assert [True, True, True, True, False] == [card["rank_told"] for card in view["hands"][1]]
    assert [kind for kind in range(25) if kind % 5 == 0] == view["hands"][1][0]["possible"]
    assert not {kind for kind in range(25) if kind % 5 == 0} & set(view["hands"][1][4]["possible"])
    assert {"actor": 0, "type": "rank", "target": 1, "value": 0, "touched": [5, 6, 7, 8]} == view["last"]


def test_refusals_are_for_the_seat_to_move_alone():
    variant, game = positions("full-2p", 2)
    acting = int(game[0]["acting_seat"][0])
    assert None is see(None, game[0], variant, 1 - acting)["refusals"]
    assert variant.num_moves == len(see(None, game[0], variant, acting)["refusals"])


def test_end_names_its_reason_and_offers_no_move():
    variant, game = positions("mini", 3)
    view = see(game[-2], game[-1], variant, int(game[-1]["acting_seat"][0]))
    assert view["over"] and view["end"] and view["refusals"] is None
