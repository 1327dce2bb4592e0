"""Whole games as lessons: a naive twin that steps one game move by move gives the same numbers as the batched pass."""

import numpy as np
import pytest
import torch

from offbelief.agents.loading import load_agent
from offbelief.beliefs.building import build_belief
from offbelief.beliefs.hand_model import card_losses, true_hands
from offbelief.beliefs.recurrent_hand_model import RecurrentHandSettings
from offbelief.games.hanabi.state import NO_CARD
from offbelief.learning.belief_config import BeliefConfig
from offbelief.learning.game_lessons import GameLessons, review

CPU = torch.device("cpu")


def make_lessons(variant, games=12):
    torch.manual_seed(5)
    settings = RecurrentHandSettings(width=12, card_width=5)
    belief = build_belief(variant, settings)
    for parameter in belief.model.parameters():
        torch.nn.init.normal_(parameter, std=0.3)
    config = BeliefConfig(
        game=variant,
        of="bot:iggi",
        games=games,
        capacity=64,
        evaluation_games=6,
        exploration=(0.1, 0.4),
        model=settings,
    )
    return belief, GameLessons(config, load_agent("bot:iggi"), belief.game, CPU)


def watch(lessons, finished):
    while lessons.play.finished < finished:
        lessons.watch()
    return lessons


@pytest.mark.parametrize("variant", ["very-small", "mini", "3p-2c-3r-h2-i3-l2", "5p-3c-3r-h2-i3-l2"])
def test_stepping_one_game_gives_what_the_batched_pass_gives(variant):
    belief, lessons = make_lessons(variant)
    watch(lessons, 8)
    drawn = lessons.replay.sample(5, lessons.replay_stream)
    lesson = review(belief.game, drawn.games, drawn.seats[:, 0], CPU)
    with torch.no_grad():
        losses = card_losses(belief.model, lesson.observations, lesson.hands, lesson.counted).numpy()
    for index, seat in enumerate(drawn.seats[:, 0]):
        state, who = drawn.games.starts[index : index + 1].copy(), np.array([seat])
        memory = belief.new_memory(1)
        for turn in range(drawn.games.lengths[index]):
            memory = belief.remember(state, who, memory)
            hand = true_hands(state, who, belief.game.variant.hand_size)
            told = -belief.log_probs(state, who, hand, memory)[0]
            assert np.allclose(told, losses[turn, index], atol=1e-4)
            assert np.all((told > 0) | (hand[0] == NO_CARD) | np.isclose(told, 0, atol=1e-5))
            belief.game.step(state, drawn.games.moves[index, turn : turn + 1].astype(np.int64))
        assert state["is_over"][0]
        assert np.all(losses[drawn.games.lengths[index] :, index] == 0)  # nothing is learned after the end


def test_games_are_kept_as_they_were_played():
    _, lessons = make_lessons("mini")
    kept = []
    before = lessons.play.states.copy()
    while lessons.play.finished < 5:
        lessons.watch()
        now = lessons.play.states
        ended = np.flatnonzero(now["restarts"] != before["restarts"])
        kept += [(before[index]["score"], before[index]["turn"] + 1) for index in ended]
        before = now.copy()
    played = lessons.replay.games
    assert len(kept) == lessons.replay.added
    assert [turns for _, turns in kept] == played.lengths[: len(kept)].tolist()
    state = played.starts[:1].copy()
    for move in played.moves[0, : played.lengths[0]]:
        assert not state["is_over"][0]
        assert lessons.game.legal_moves(state)[0, move]
        lessons.game.step(state, np.array([move], np.int64))
    assert state["is_over"][0]


def test_an_exam_asks_every_acting_seat_once_and_is_the_same_every_time():
    belief, lessons = make_lessons("mini")
    first, again = list(lessons.exam()), list(lessons.exam())
    assert len(first) == belief.game.num_seats  # few games: one chunk, from every seat
    asked = sum((lesson.hands < 9).any(-1).int() for lesson in first)
    assert torch.equal(asked.sum(0), torch.from_numpy(lessons._measured.lengths.astype(np.int64)))
    assert asked.max() == 1
    assert all(torch.equal(one.observations, other.observations) for one, other in zip(first, again, strict=True))


def test_colours_are_renamed_in_deals_and_moves_alike():
    """Renamed games go on legally to their end, and their counted cards still fit the hands."""
    _, lessons = make_lessons("mini")
    watch(lessons, 8)
    lesson = lessons.draw(16)
    held = lesson.hands < 9
    chosen = lesson.counted.gather(-1, lesson.hands.clamp(max=8)[..., None])[..., 0]
    assert held.any()
    assert torch.all(chosen[held] >= 0)  # at least one card of the kind was left
    assert 1 < lesson.steps <= lesson.hands.shape[0]
