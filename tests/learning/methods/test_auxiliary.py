import numpy as np
from tests.agents.networks.test_cardwise import middle_games

from offbelief.games.hanabi import HanabiBatch, HanabiVariant, move_id
from offbelief.learning.methods.auxiliary import NEITHER, NO_LABEL, PLAYABLE, PLAYED, card_labels


def test_classes_are_told_apart():
    assert [0, 1, 2] == [PLAYABLE, PLAYED, NEITHER]


def test_labels_by_hand():
    variant = HanabiVariant.parse("mini")
    cards = [(0, 0), (0, 2), (1, 0), (0, 0), (0, 1), (1, 2), (2, 2), (2, 1)]
    batch = HanabiBatch.from_decks(variant, [[variant.kind(*card) for card in cards]])
    assert [[PLAYABLE, NEITHER, PLAYABLE]] == card_labels(batch.states, variant).tolist()
    batch.step([move_id(variant, "play", 0)])  # colour 0 stands at rank 1; seat 1 holds (0, 0) (0, 1) (1, 2)
    assert [[PLAYED, PLAYABLE, NEITHER]] == card_labels(batch.states, variant).tolist()
    batch.step([move_id(variant, "play", 2)])  # a strike: (1, 2) is lost, so colour 1 can never be complete
    assert [[NEITHER, PLAYABLE, NEITHER]] == card_labels(batch.states, variant).tolist()  # (0, 2) (1, 0) (2, 2)


def test_labels_agree_with_the_rules_in_random_games():
    game, states = middle_games("mini", size=200, turns=14)
    labels = card_labels(states, game.variant)
    hands = game.variant.hand_size
    for slot in range(hands):
        held = slot < states["hand_sizes"][np.arange(len(states)), states["acting_seat"]]
        assert np.array_equal(~held, labels[:, slot] == NO_LABEL)
        after = states.copy()
        game.step(after, np.where(held, hands + slot, -1))  # playing the card scores exactly where it is playable
        assert np.array_equal(labels[held, slot] == PLAYABLE, after["last_scored"][held])


def test_labels_do_not_depend_on_the_names_of_colours():
    game, states = middle_games("mini", size=64, turns=10)
    names = np.tile([2, 0, 1], (64, 1))
    assert np.array_equal(card_labels(states, game.variant), card_labels(game.rename(states, names), game.variant))
