"""What people type, from the plainest words to any text at all."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.games.hanabi.playing import careful_moves
from tests.games.hanabi.recording import sorted_deck

from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.moves import COLOUR_NAMES, move_id, read_move, why_illegal
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.interfaces.terminal.commands import HELP, read_command
from offbelief.interfaces.terminal.picture import SEAT_NAMES
from offbelief.nouns import UserError

MINI = HanabiVariant.parse("mini")
THREE = HanabiVariant.parse("full-3p")


def mini_game() -> np.void:
    """Seat 0 holds R1 R1 R1 and sees R2 R2 R3; four of five tokens are left."""
    batch = HanabiBatch.from_decks(MINI, [sorted_deck(MINI)])
    batch.step([move_id(MINI, "colour", 0, 1)])
    batch.step([move_id(MINI, "play", 2)])
    return batch.states[0]


@pytest.mark.parametrize(
    ("line", "move"),
    [
        ("play 2", ("play", 2, 0)),
        ("  P   0 ", ("play", 0, 0)),
        ("play slot 1", ("play", 1, 0)),
        ("discard 1", ("discard", 1, 0)),
        ("d 2", ("discard", 2, 0)),
        ("hint red", ("colour", 0, 1)),
        ("HINT R bob", ("colour", 0, 1)),
        ("h 2", ("rank", 1, 1)),
        ("hint 2s to Bob", ("rank", 1, 1)),
        ("clue 2 next", ("rank", 1, 1)),
        ("tell 2 b", ("rank", 1, 1)),
        ("hint 2 seat 1", ("rank", 1, 1)),
    ],
)
def test_plain_words_become_moves(line, move):
    type, value, offset = move
    assert move_id(MINI, type, value, offset) == read_command(line, mini_game(), MINI, ("You", "Bob"))


@pytest.mark.parametrize(("line", "wanted"), [("help", "help"), ("?", "help"), ("QUIT", "quit"), ("exit now", "quit")])
def test_requests_are_no_moves(line, wanted):
    assert wanted == read_command(line, mini_game(), MINI, ("You", "Bob"))


@pytest.mark.parametrize(
    ("line", "sentence"),
    [
        ("", "Type play, discard or hint"),
        ("undo", "Type play, discard or hint"),
        ("play", "Say which card, like 'play 0': your cards are in slots 0 to 2."),
        ("play 3", "slots 0 to 2"),
        ("play -1", "slots 0 to 2"),
        ("play ²", "slots 0 to 2"),
        ("play 1 2", "Say which card"),
        ("discard " + "9" * 5000, "Say which card, like 'discard 0'"),
        ("hint", "Say what to hint"),
        ("hint 4", "'4' cannot be hinted; name a colour (red, yellow, green) or 1 to 3."),
        ("hint blue", "name a colour (red, yellow, green)"),
        ("hint reddish", "cannot be hinted"),
        ("hint green", "Bob holds no green card, and a hint must touch one; name another."),
        ("hint 1", "Bob holds no 1 card"),
        ("hint red you", "There is nobody called 'you' to tell; name one seat: Bob."),
        ("hint red bob bob", "nobody called 'bob bob'"),
        ("hint red 0", "nobody called '0'"),
    ],
)
def test_wrong_words_are_answered_with_one_sentence(line, sentence):
    with pytest.raises(UserError) as refused:
        read_command(line, mini_game_without_ones(), MINI, ("You", "Bob"))
    assert sentence in str(refused.value)
    assert str(refused.value).endswith(".") or "help" in str(refused.value)


def mini_game_without_ones() -> np.void:
    """Seat 1 holds R2 R2 R3; nothing has happened but a hint each."""
    batch = HanabiBatch.from_decks(MINI, [sorted_deck(MINI)])
    batch.step([move_id(MINI, "colour", 0, 1)])
    batch.step([move_id(MINI, "colour", 0, 1)])
    return batch.states[0]


def test_tokens_decide_what_is_refused():
    game = HanabiBatch.from_decks(MINI, [sorted_deck(MINI)]).states[0].copy()
    with pytest.raises(UserError, match="You cannot discard while all 5 hint tokens are there"):
        read_command("discard 0", game, MINI, ("You", "Bob"))
    game["hint_tokens"] = 0
    with pytest.raises(UserError, match="There is no hint token left; play or discard"):
        read_command("hint red", game, MINI, ("You", "Bob"))


def test_single_card_is_spoken_of_as_one():
    game = mini_game().copy()
    game["hand_sizes"][0] = 1
    with pytest.raises(UserError, match="your card is in slot 0"):
        read_command("play 1", game, MINI, ("You", "Bob"))


def test_with_three_players_a_hint_names_somebody():
    batch = HanabiBatch(THREE, 1, seed=3)
    names = ("You", "Bob", "Cathy")
    rank = int(batch.states["hands"][0, 2, 0]) % 5
    with pytest.raises(UserError, match=f"Say whom to tell, like 'hint {rank + 1} bob': Bob or Cathy."):
        read_command(f"hint {rank + 1}", batch.states[0], THREE, names)
    for whom in ("cathy", "c", "2", "seat 2", "to Cathy"):
        assert move_id(THREE, "rank", rank, 2) == read_command(f"hint {rank + 1} {whom}", batch.states[0], THREE, names)


@pytest.mark.parametrize("variant", ["mini", "full-3p", "full-5p", "very-small"])
def test_every_legal_move_can_be_typed(variant):
    batch, generator = HanabiBatch(variant, 1, seed=4), np.random.default_rng(4)
    names = SEAT_NAMES[: batch.variant.players]
    while not batch.is_over[0]:
        for move, legal in enumerate(batch.legal_moves()[0].tolist()):
            meaning = read_move(batch.variant, move)
            target = names[(int(batch.acting_seats[0]) + meaning.offset) % batch.variant.players].lower()
            line = {
                "play": f"play {meaning.value}",
                "discard": f"discard {meaning.value}",
                "colour": f"hint {COLOUR_NAMES[meaning.value]} {target}",
                "rank": f"hint {meaning.value + 1} {target}",
            }[meaning.type]
            if legal:
                assert move == read_command(line, batch.states[0], batch.variant, names)
            else:
                with pytest.raises(UserError):
                    read_command(line, batch.states[0], batch.variant, names)
        batch.step(careful_moves(batch, generator))


_WORDS = st.sampled_from(
    ["play", "p", "discard", "hint", "h", "0", "1", "4", "5", "red", "b", "blue", "bob", "you", "next", "to", "seat"]
)


@settings(deadline=None, max_examples=300)
@given(st.one_of(st.text(max_size=60), st.lists(_WORDS, max_size=5).map(" ".join)), st.sampled_from([MINI, THREE]))
def test_any_text_is_a_legal_move_a_request_or_one_sentence(line, variant):
    game = HanabiBatch(variant, 1, seed=1).states[0]
    try:
        command = read_command(line, game, variant, ("You", "Bob", "Cathy")[: variant.players])
    except UserError as error:
        said = str(error)
        assert said.isprintable()
        assert len(said) < 200
    else:
        assert command in ("help", "quit") or why_illegal(variant, game, command) is None


def test_help_fits_a_narrow_terminal():
    assert max(len(line) for line in HELP.splitlines()) <= 80
