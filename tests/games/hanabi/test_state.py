"""The record of one game."""

import io

import numpy as np

from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.state import HANABI_STATE, NO_CARD, NOTHING, copy_states, overwrite_states


def test_record_is_small():
    assert HANABI_STATE.itemsize == 272  # the promise is at most 512


def test_no_byte_is_padding():
    assert HANABI_STATE.itemsize == sum(HANABI_STATE.fields[name][0].itemsize for name in HANABI_STATE.names)


def test_stream_is_aligned_in_every_record():
    assert HANABI_STATE.fields["stream"][1] == 0 and HANABI_STATE.itemsize % 8 == 0


def test_fresh_game_has_the_documented_empty_values():
    game = HanabiBatch("small", 1, seed=3).states[0]
    assert tuple(game["hand_sizes"]) == (2, 2, 0, 0, 0)
    assert np.all(game["hands"][:2, 2:] == NO_CARD) and np.all(game["hands"][2:] == NO_CARD)
    assert np.all(game["deal_indices"][2:] == NOTHING)
    assert np.all(game["possible_colours"][:2, :2] == 0b11) and np.all(game["possible_ranks"][:2, :2] == 0b11111)
    assert game["possible_colours"][2:].sum() + game["possible_ranks"][:, 2:].sum() == 0
    assert np.all(game["deck"][20:] == NO_CARD) and np.all(game["deck"][:20] < 10)
    assert NOTHING == game["last_actor"] == game["last_type"] == game["last_card"]
    assert tuple(
        int(game[name]) for name in ("turn", "restarts", "cards_drawn", "turns_left", "hint_tokens", "lives")
    ) == (0, 0, 4, 2, 3, 1)


def test_states_survive_a_file():
    states = HanabiBatch("full-5p", 7, seed=1).save()
    file = io.BytesIO()
    np.save(file, states)
    file.seek(0)
    assert states.tobytes() == np.load(file).tobytes()


def test_copies_are_equal_and_independent():
    states = HanabiBatch("full-3p", 6, seed=2).states
    copied = copy_states(states)
    assert copied.tobytes() == states.tobytes() == states.copy().tobytes()
    copied["turn"] = 9
    assert not states["turn"].any()
    assert copy_states(states[::2]).tobytes() == states[::2].tobytes()
    overwrite_states(copied, states)
    assert copied.tobytes() == states.tobytes()
