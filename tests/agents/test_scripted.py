import numba
import numpy as np
import pytest
from tests.naive.hanabi_bots import PLAYERS, naive_move

from offbelief.agents.scripted import RULE_LISTS, ScriptedPolicy, Step, rules, scripted_policy
from offbelief.agents.scripted.bots import (
    DECK_EMPTY_AND_LIVES_TO_SPARE,
    FEW_HINT_TOKENS,
    LAST_LIFE,
    LIVES_TO_SPARE,
)
from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.kernels import NO_MOVE
from offbelief.games.hanabi.moves import move_id
from offbelief.games.hanabi.resample import resample
from offbelief.games.hanabi.state import NO_CARD
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.nouns import UserError
from offbelief.streams import new_stream

NAMES = ["random", "iggi", "piers", "internal", "outer", "flawed", "van-den-bergh"]
FULL, FULL_3P = HanabiVariant(players=2), HanabiVariant(players=3)
ANY_HAND = "B3 B3 W3 W3 G3"  # nothing playable, nothing useless on an empty table
VARIANTS = [
    "full-2p",
    "full-3p",
    "full-4p",
    "full-5p",
    "mini",
    "small",
    "2p-5c-5r-h5-i8-l20",  # strikes hardly matter: random play gets far
    "4p-3c-5r-h2-i2-l9+random-start",
    "3p-2c-3r-h4-i5-l3",  # no card is left to draw
    "2p-2c-1r-h1-i1-l2",  # a hand can be empty while every token is there
    "5p-5c-4r-h3-i0-l7+cap30",  # neither hints nor discards
]


def streams_for(size, seed=0):
    return np.array([new_stream(seed, 7, index)[0] for index in range(size)], dtype=np.uint64)


# ---------------------------------------------------------------------------------------------------------- by hand


def kind(card):
    """Kind of a card of the full game, written like R1."""
    return "RYGWB".index(card[0]) * 5 + int(card[1]) - 1


def position(*hands, fireworks="", discards="", tokens=7, lives=3, told=None, ruled_out=None, deck_empty=False):
    """A game of the full variant in which seat 0 is to move.

    ``told`` maps (seat, slot) to what hints named, such as "R", "3" or "R3"; ``ruled_out`` to what they excluded.
    """
    variant = HanabiVariant(players=len(hands))
    states = HanabiBatch(variant, 1).states
    game = states[0]
    for seat, hand in enumerate(hands):
        cards = [kind(card) for card in hand.split()]
        assert len(cards) == variant.hand_size
        game["hands"][seat, : len(cards)] = cards
    for card in fireworks.split():  # the highest card of a colour
        game["fireworks"]["RYGWB".index(card[0])] = int(card[1])
    for card in discards.split():
        game["discards"][kind(card)] += 1
    game["hint_tokens"], game["lives"] = tokens, lives
    game["cards_drawn"] = variant.deck_size if deck_empty else 20
    for (seat, slot), names in (told or {}).items():
        for name in names:
            if name in "RYGWB":
                game["colour_told"][seat, slot] = 1
                game["possible_colours"][seat, slot] = 1 << "RYGWB".index(name)
            else:
                game["rank_told"][seat, slot] = 1
                game["possible_ranks"][seat, slot] = 1 << (int(name) - 1)
    for (seat, slot), names in (ruled_out or {}).items():
        for name in names:
            if name in "RYGWB":
                game["possible_colours"][seat, slot] &= 31 ^ 1 << "RYGWB".index(name)
            else:
                game["possible_ranks"][seat, slot] &= 31 ^ 1 << (int(name) - 1)
    return variant, states


def move_of(step, variant_and_states, stream=0):
    """What a player with a single rule does, in words; None if the rule does not fire."""
    variant, states = variant_and_states
    policy = ScriptedPolicy("one rule", (step,))
    move = int(policy.act(states, variant, np.array([stream], dtype=np.uint64))[0])
    if move == NO_MOVE:
        return None
    if move < 2 * variant.hand_size:
        return f"{'discard' if move < variant.hand_size else 'play'} {move % variant.hand_size}"
    move -= 2 * variant.hand_size
    colour_hints = (variant.players - 1) * variant.colours
    if move < colour_hints:
        return f"tell +{1 + move // variant.colours} {'RYGWB'[move % variant.colours]}"
    return f"tell +{1 + (move - colour_hints) // variant.ranks} {1 + (move - colour_hints) % variant.ranks}"


def test_play_told_plays_the_oldest_card_told_in_full_and_playable():
    step = Step(rules.PLAY_TOLD)
    told = {(0, 1): "R3", (0, 2): "1", (0, 3): "Y1", (0, 4): "R2"}
    assert move_of(step, position(ANY_HAND, ANY_HAND, told=told)) == "play 3"
    assert move_of(step, position(ANY_HAND, ANY_HAND, fireworks="R1 Y1", told=told)) == "play 4"
    assert move_of(step, position(ANY_HAND, ANY_HAND, fireworks="Y1", told=told)) is None
    # Ruling out all other colours is not telling.
    assert move_of(step, position(ANY_HAND, ANY_HAND, told={(0, 0): "1"}, ruled_out={(0, 0): "YGWB"})) is None


def test_play_safe_plays_what_every_hint_and_count_leaves_playable():
    step = Step(rules.PLAY_SAFE)
    assert move_of(step, position(ANY_HAND, ANY_HAND, told={(0, 2): "1", (0, 4): "1"})) == "play 2"
    # A red 1 is on the table, so a 1 may be red ...
    assert move_of(step, position(ANY_HAND, ANY_HAND, fireworks="R1", told={(0, 2): "1"})) is None
    # ... unless hints say no, or the other two red 1s are in sight.
    assert move_of(step, position(ANY_HAND, ANY_HAND, fireworks="R1", told={(0, 2): "1"}, ruled_out={(0, 2): "R"})) == (
        "play 2"
    )
    assert move_of(step, position(ANY_HAND, "R1 R3 Y3 Y3 G3", fireworks="R1", discards="R1", told={(0, 2): "1"})) == (
        "play 2"
    )


def test_play_most_likely_takes_the_threshold_itself_and_the_oldest_of_equals():
    # A 5 is playable in three of five colours, and there is one of each: exactly 60 %.
    told = {(0, 3): "5", (0, 4): "5"}
    at_60 = position(ANY_HAND, ANY_HAND, fireworks="R4 Y4 G4", told=told)
    assert move_of(Step(rules.PLAY_MOST_LIKELY, percent=60), at_60) == "play 3"
    assert move_of(Step(rules.PLAY_MOST_LIKELY, percent=61), at_60) is None
    # The partner's red 5 cannot be mine: 2 of 4.
    at_50 = position(ANY_HAND, "R5 R3 Y3 Y3 G3", fireworks="R4 Y4 G4", told=told)
    assert move_of(Step(rules.PLAY_MOST_LIKELY, percent=60), at_50) is None
    assert move_of(Step(rules.PLAY_MOST_LIKELY, percent=50), at_50) == "play 3"
    # Without a threshold it plays even what cannot score.
    hopeless = position(ANY_HAND, ANY_HAND, told={(0, slot): "5" for slot in range(5)})
    assert move_of(Step(rules.PLAY_MOST_LIKELY), hopeless) == "play 0"
    assert move_of(Step(rules.PLAY_MOST_LIKELY, percent=1), hopeless) is None


@pytest.mark.parametrize(
    ("told", "ruled_out", "fireworks", "discards", "expected"),
    [
        ("R", "", "R5", "", "discard 3"),  # colour complete
        ("R", "", "R4", "", None),
        ("1", "", "R1 Y1 G1 W1 B1", "", "discard 3"),  # rank played in every colour
        ("1", "", "R1 Y1 G1 W1", "", None),
        ("R2", "", "R2", "", "discard 3"),  # already played
        ("R3", "", "R2", "", None),
        ("R4", "", "R1", "R3 R3", "discard 3"),  # above the reachable top, a red 2
        ("R2", "", "R1", "R3 R3", None),
        ("R", "123", "R1", "R3 R3", "discard 3"),  # the lowest rank it can have is a 4
        ("R", "12", "R1", "R2 R2", "discard 3"),  # a red 3 at least; no red card can score at all
        ("R", "2", "R1", "R3 R3", None),  # may be a 1: not told useless, and its lowest rank is low
        ("R", "", "R1", "R2 R2", "discard 3"),  # nothing red can score any more
        ("", "123YGWB", "R1", "R3 R3", None),  # the colour was not told
        ("", "2345", "R1 Y1 G1 W1 B1", "", None),  # the rank was not told
    ],
)
def test_osawa_discards_what_was_told_to_be_useless(told, ruled_out, fireworks, discards, expected):
    game = {"told": {(0, 3): told}, "ruled_out": {(0, 3): ruled_out}, "fireworks": fireworks, "discards": discards}
    assert move_of(Step(rules.DISCARD_OSAWA), position(ANY_HAND, ANY_HAND, **game)) == expected
    assert move_of(Step(rules.DISCARD_OSAWA), position(ANY_HAND, ANY_HAND, tokens=8, **game)) is None


def test_osawa_discards_the_oldest():
    told = {(0, 1): "Y", (0, 2): "1", (0, 4): "R1"}
    assert move_of(Step(rules.DISCARD_OSAWA), position(ANY_HAND, ANY_HAND, fireworks="R1", told=told)) == "discard 4"
    every_one = "R1 Y1 G1 W1 B1"
    assert move_of(Step(rules.DISCARD_OSAWA), position(ANY_HAND, ANY_HAND, fireworks=every_one, told=told)) == (
        "discard 2"
    )


def test_discard_oldest_and_random_need_a_missing_token():
    assert move_of(Step(rules.DISCARD_OLDEST), position(ANY_HAND, ANY_HAND)) == "discard 0"
    assert move_of(Step(rules.DISCARD_OLDEST), position(ANY_HAND, ANY_HAND, tokens=8)) is None
    drawn = {move_of(Step(rules.DISCARD_RANDOM), position(ANY_HAND, ANY_HAND), stream) for stream in range(60)}
    assert drawn == {f"discard {slot}" for slot in range(5)}
    assert move_of(Step(rules.DISCARD_RANDOM), position(ANY_HAND, ANY_HAND, tokens=8)) is None


def test_surely_useless_counts_all_a_seat_knows():
    step = Step(rules.DISCARD_SURELY_USELESS)
    ones = "R1 Y1 G1 W1 B1"
    assert move_of(step, position(ANY_HAND, ANY_HAND, fireworks=ones, ruled_out={(0, 2): "2345"})) == "discard 2"
    assert move_of(step, position(ANY_HAND, ANY_HAND, fireworks=ones, ruled_out={(0, 2): "345"})) is None
    # A 1 could be blue and useful, but all blue 1s are in sight.
    seen = position(ANY_HAND, "B1 B1 B1 Y3 G3", fireworks="R1 Y1 G1 W1", told={(0, 2): "1"})
    assert move_of(step, seen) == "discard 2"
    full = position(ANY_HAND, ANY_HAND, fireworks=ones, ruled_out={(0, 2): "2345"}, tokens=8)
    assert move_of(step, full) is None


def test_most_likely_useless_prefers_the_likelier_then_the_older():
    step = Step(rules.DISCARD_MOST_LIKELY_USELESS)
    assert move_of(step, position(ANY_HAND, ANY_HAND)) == "discard 0"
    # Slot 0 was told to be a 5, which can always score; 1s are useless in one colour of five.
    some = position(ANY_HAND, ANY_HAND, fireworks="R1", told={(0, 0): "5", (0, 2): "1", (0, 3): "1"})
    assert move_of(step, some) == "discard 2"
    assert move_of(step, position(ANY_HAND, ANY_HAND, tokens=8)) is None


def test_tell_useful_tells_rank_then_colour_of_the_first_playable_card():
    step = Step(rules.TELL_USEFUL)
    hands = (ANY_HAND, "R3 Y1 G1 B3 B3", "W1 R3 Y3 Y3 G3")
    assert move_of(step, position(*hands)) == "tell +1 1"
    assert move_of(step, position(*hands, told={(1, 1): "1"})) == "tell +1 Y"
    assert move_of(step, position(*hands, told={(1, 1): "Y1"})) == "tell +1 1"  # now for the green 1
    assert move_of(step, position(*hands, told={(1, 1): "Y1", (1, 2): "1"})) == "tell +1 G"
    both = {(1, 1): "Y1", (1, 2): "G1"}
    assert move_of(step, position(*hands, told=both)) == "tell +2 1"
    assert move_of(Step(rules.TELL_USEFUL_TO_NEXT), position(*hands, told={(1, 1): "Y1", (1, 2): "1"})) == "tell +1 G"
    assert move_of(Step(rules.TELL_USEFUL_TO_NEXT), position(*hands, told=both)) is None
    assert move_of(step, position(*hands, told={**both, (2, 0): "W1"})) is None
    assert move_of(step, position(*hands, tokens=0)) is None


def test_tell_playable_to_next_flips_a_coin_and_may_repeat():
    step = Step(rules.TELL_PLAYABLE_TO_NEXT)
    hands = (ANY_HAND, "R3 Y1 G1 B3 B3", "W1 R3 Y3 Y3 G3")
    drawn = [move_of(step, position(*hands, told={(1, 1): "Y1"}), stream) for stream in range(400)]
    assert set(drawn) == {"tell +1 1", "tell +1 Y"}
    assert 150 < drawn.count("tell +1 1") < 250
    assert move_of(step, position(ANY_HAND, ANY_HAND, "W1 R3 Y3 Y3 G3")) is None
    assert move_of(step, position(*hands, tokens=0)) is None


@pytest.mark.parametrize(
    ("card", "told", "fireworks", "discards", "expected"),
    [
        ("R1", "", "R1 Y1 G1 W1 B1", "", "tell +1 1"),  # the rank says it: played in every colour
        ("R1", "", "R5 Y1 G1 W1 B1", "", "tell +1 1"),  # rank before colour
        ("R1", "", "R5 Y1 G1 W1", "", "tell +1 R"),  # the colour says it: complete
        ("R1", "", "R1", "R2 R2", "tell +1 R"),  # dead
        ("R4", "", "R1", "R2 R2", "tell +1 R"),
        ("R1", "", "R1", "", None),  # no one hint says it
        ("R1", "R", "R1", "", "tell +1 1"),  # the missing half
        ("R1", "1", "R1", "", "tell +1 R"),
        ("R4", "4", "R1", "R3 R3", "tell +1 R"),
        ("R1", "R1", "R1", "", None),  # known already
        ("R1", "R", "R5", "", None),
        ("R1", "1", "R1 Y1 G1 W1 B1", "", None),
        ("R2", "R", "R1", "", None),  # not useless
    ],
)
def test_tell_dispensable_gives_the_hint_that_lets_its_owner_know(card, told, fireworks, discards, expected):
    hand = f"B5 B4 {card} W5 W4"
    game = {"told": {(1, 2): told}, "fireworks": fireworks, "discards": discards}
    assert move_of(Step(rules.TELL_DISPENSABLE), position(ANY_HAND, hand, **game)) == expected
    assert move_of(Step(rules.TELL_DISPENSABLE), position(ANY_HAND, hand, tokens=0, **game)) is None


def test_tell_unknown_tells_colour_then_rank_of_the_oldest():
    step = Step(rules.TELL_UNKNOWN_TO_NEXT)
    hand = "R3 Y1 G1 B3 B3"
    assert move_of(step, position(ANY_HAND, hand)) == "tell +1 R"
    assert move_of(step, position(ANY_HAND, hand, told={(1, 0): "R"})) == "tell +1 3"
    assert move_of(step, position(ANY_HAND, hand, told={(1, 0): "R3"})) == "tell +1 Y"
    all_told = {(1, slot): card for slot, card in enumerate(hand.split())}
    assert move_of(step, position(ANY_HAND, hand, told=all_told)) is None
    assert move_of(step, position(ANY_HAND, hand, "W1 R3 Y3 Y3 G3", told=all_told)) is None
    assert move_of(step, position(ANY_HAND, hand, tokens=0)) is None


def test_tell_most_new_counts_untold_attributes():
    step = Step(rules.TELL_MOST_NEW)
    assert move_of(step, position(ANY_HAND, "R2 R3 R4 B3 B5")) == "tell +1 R"  # three reds
    assert move_of(step, position(ANY_HAND, "R3 R2 Y2 B3 B5")) == "tell +1 2"  # ties: rank first, low first
    assert move_of(step, position(ANY_HAND, "R2 R3 R4 B3 B5", told={(1, 0): "R"})) == "tell +1 3"
    assert move_of(step, position(ANY_HAND, "R2 R3 R4 B3 B5", "Y1 Y2 Y3 W4 W5")) == "tell +1 R"  # ties: next seat
    assert move_of(step, position(ANY_HAND, "R2 R3 G4 B3 B5", "Y1 Y2 Y3 W4 W5")) == "tell +2 Y"
    all_told = {(1, slot): card for slot, card in enumerate(["R2", "R3", "R4", "B3", "B5"])}
    assert move_of(step, position(ANY_HAND, "R2 R3 R4 B3 B5", told=all_told)) is None
    assert move_of(step, position(ANY_HAND, "R2 R3 R4 B3 B5", tokens=0)) is None


def test_random_hints_reach_every_legal_hint_and_no_other():
    hands = (ANY_HAND, "R2 R3 R4 B3 B5", "Y1 Y1 Y1 Y2 Y2")
    to_next = {"tell +1 R", "tell +1 B", "tell +1 2", "tell +1 3", "tell +1 4", "tell +1 5"}
    drawn = {move_of(Step(rules.TELL_RANDOM_TO_NEXT), position(*hands), stream) for stream in range(150)}
    assert drawn == to_next
    drawn = {move_of(Step(rules.TELL_RANDOM), position(*hands), stream) for stream in range(150)}
    assert drawn == to_next | {"tell +2 Y", "tell +2 1", "tell +2 2"}
    assert move_of(Step(rules.TELL_RANDOM), position(*hands, tokens=0)) is None


def test_random_draws_every_legal_move_equally_often():
    variant, states = position(ANY_HAND, "R2 R3 R4 B3 B5")
    moves = scripted_policy("random").act(np.repeat(states, 16_000), variant, streams_for(16_000))
    counts = np.bincount(moves, minlength=variant.num_moves)
    legal = HanabiBatch.from_states(variant, states).legal_moves()[0]
    assert legal.sum() == 16
    assert not counts[~legal].any()
    assert np.abs(counts[legal] - 1000).max() < 150


@pytest.mark.parametrize(
    ("when", "fires", "does_not"),
    [
        (LIVES_TO_SPARE, {"lives": 2}, {"lives": 1}),
        (LAST_LIFE, {"lives": 1}, {"lives": 2}),
        (DECK_EMPTY_AND_LIVES_TO_SPARE, {"deck_empty": True, "lives": 2}, {"deck_empty": False}),
        (DECK_EMPTY_AND_LIVES_TO_SPARE, {"deck_empty": True, "lives": 3}, {"deck_empty": True, "lives": 1}),
        (FEW_HINT_TOKENS, {"tokens": 3}, {"tokens": 4}),
    ],
)
def test_a_step_is_tried_only_under_its_condition(when, fires, does_not):
    step = Step(rules.DISCARD_OLDEST, when=when)
    assert move_of(step, position(ANY_HAND, ANY_HAND, **fires)) == "discard 0"
    assert move_of(step, position(ANY_HAND, ANY_HAND, **does_not)) is None


# ------------------------------------------------------------------------------------------------------------ judge


def varied_games(variant, size, turns, seed):
    """Play a batch in which every game follows a player of its own, and yield its positions turn by turn."""
    batch = HanabiBatch(variant, size, seed=seed)
    policies = [scripted_policy(name) for name in NAMES]
    streams = streams_for(size, seed)
    for turn in range(turns):
        yield turn, batch.states
        moves = np.full(size, NO_MOVE)
        for number, policy in enumerate(policies):
            mine = np.arange(size) % len(policies) == number
            own_streams = streams[mine]
            moves[mine] = policy.act(batch.states[mine], batch.variant, own_streams)
            streams[mine] = own_streams
        batch.step(moves)  # refuses what is illegal
        if turn % 3 == 0:  # finished games stay for a while
            batch.restart_finished()


@pytest.mark.parametrize("variant_name", VARIANTS)
def test_fast_players_move_as_the_naive_judge_does(variant_name):
    variant = HanabiVariant.parse(variant_name)
    size = 7
    for turn, states in varied_games(variant, size, 40, seed=3):
        for name in NAMES:
            before = streams_for(size, seed=1000 + turn)
            after = before.copy()
            moves = scripted_policy(name).act(states, variant, after)
            judged = [naive_move(name, states[game], variant, before[game]) for game in range(size)]
            assert [move for move, _ in judged] == moves.tolist(), (name, turn)
            assert [stream for _, stream in judged] == after.tolist(), (name, turn)


def test_judge_knows_the_same_players():
    assert list(RULE_LISTS) == NAMES == list(PLAYERS)


# ------------------------------------------------------------------------------------------------------------- laws


def imagined_hands(variant, states, seats, random):
    """Draw for each seat a hand that it may hold for all it knows, oldest card first."""
    batch = HanabiBatch.from_states(variant, states)
    counts, possible = batch.private_counts(seats).astype(int), batch.possible_kinds(seats)
    hands = np.full((len(states), variant.hand_size), NO_CARD)
    for game in range(len(states)):
        for slot in range(states["hand_sizes"][game, seats[game]]):
            weights = counts[game] * possible[game, slot]
            hands[game, slot] = random.choice(variant.card_kinds, p=weights / weights.sum())
            counts[game, hands[game, slot]] -= 1
    return hands


@pytest.mark.parametrize("variant_name", ["full-2p", "full-5p", "mini", "2p-5c-5r-h5-i8-l20"])
def test_a_player_does_not_see_its_own_cards_nor_the_deck(variant_name):
    variant, random, changed = HanabiVariant.parse(variant_name), np.random.default_rng(5), 0
    for turn, states in varied_games(variant, 14, 30, seed=11):
        seats = states["acting_seat"].astype(np.int64)
        hands = imagined_hands(variant, states, seats, random)
        copies = resample(states, variant, seats, hands, streams_for(14, seed=turn))
        changed += int((copies["hands"] != states["hands"]).sum())
        for name in NAMES:
            here, there = streams_for(14, seed=50 + turn), streams_for(14, seed=50 + turn)
            policy = scripted_policy(name)
            assert policy.act(states, variant, here).tolist() == policy.act(copies, variant, there).tolist()
            assert here.tolist() == there.tolist()
    assert changed > 300


@pytest.mark.parametrize("variant_name", VARIANTS)
def test_every_move_is_legal_until_the_end(variant_name):
    for name in NAMES:
        batch, streams = HanabiBatch(variant_name, 20, seed=8), streams_for(20)
        while not batch.is_over.all():
            batch.step(scripted_policy(name).act(batch.states, batch.variant, streams))  # refuses what is illegal


def play_out(name, variant, states, streams):
    """Final states and streams of games, each played to its end."""
    batch, streams = HanabiBatch.from_states(variant, states), streams.copy()
    while not batch.is_over.all():
        batch.step_trusted(scripted_policy(name).act(batch.states, variant, streams))
    return batch.states, streams


@pytest.mark.parametrize("name", NAMES)
def test_a_game_does_not_depend_on_its_batch(name):
    states, streams = HanabiBatch(FULL_3P, 20, seed=2).states, streams_for(20)
    together, streams_after = play_out(name, FULL_3P, states, streams)
    order = np.random.default_rng(0).permutation(20)
    shuffled, shuffled_after = play_out(name, FULL_3P, states[order], streams[order])
    assert together[order].tobytes() == shuffled.tobytes()
    assert streams_after[order].tolist() == shuffled_after.tolist()
    alone, alone_after = play_out(name, FULL_3P, states[17:18], streams[17:18])
    assert together[17:18].tobytes() == alone.tobytes()
    assert streams_after[17:18].tolist() == alone_after.tolist()


def test_games_that_are_over_get_no_move_and_flip_no_coin():
    states, streams = play_out("random", FULL, HanabiBatch(FULL, 5).states, streams_for(5))
    before = streams.copy()
    assert scripted_policy("random").act(states, FULL, streams).tolist() == [NO_MOVE] * 5
    assert streams.tolist() == before.tolist()


def test_acting_leaves_the_games_alone():
    states = HanabiBatch(FULL, 5).states
    before = states.tobytes()
    for name in NAMES:
        scripted_policy(name).act(states, FULL, streams_for(5))
    assert states.tobytes() == before


@pytest.mark.skipif(numba.config.DISABLE_JIT, reason="thousands of games need compiled code")
@pytest.mark.parametrize(
    ("name", "low", "high"),
    [("random", 0, 0.1), ("iggi", 17.2, 18.0), ("piers", 17.1, 18.0), ("outer", 14.3, 15.3), ("flawed", 0, 0.2)],
)
def test_scores_are_near_the_table(name, low, high):
    final, _ = play_out(name, FULL, HanabiBatch(FULL, 400, seed=4).states, streams_for(400))
    assert low <= final["score"].mean() <= high


# ------------------------------------------------------------------------------------------------------------ errors


def test_unknown_player_is_refused_with_the_names():
    with pytest.raises(UserError, match=r"no scripted player 'igi'; choose one of random, iggi, .*van-den-bergh"):
        scripted_policy("igi")


def test_bad_arrays_are_refused():
    states, policy = HanabiBatch(FULL, 4).states, scripted_policy("iggi")
    with pytest.raises(UserError, match="states must be"):
        policy.act(np.zeros(4), FULL, streams_for(4))
    for streams in (streams_for(3), np.zeros(4, dtype=np.int64), streams_for(8)[::2]):
        with pytest.raises(UserError, match="streams must be a contiguous array of 4 uint64"):
            policy.act(states, FULL, streams)


def test_empty_batch_has_no_moves():
    assert scripted_policy("piers").act(HanabiBatch(FULL, 0).states, FULL, streams_for(0)).shape == (0,)


def test_move_ids_are_those_of_the_engine():
    for variant in (FULL, FULL_3P):
        hands = ["R3 R3 Y3 Y3 G3", "R3 B1 Y3 Y3 G3", "W1 W1 W1 W1 W1"][: variant.players]
        _, states = position(*hands)
        move = ScriptedPolicy("one rule", (Step(rules.TELL_USEFUL),)).act(states, variant, streams_for(1))[0]
        assert move == move_id(variant, type="rank", offset=1, value=0)
