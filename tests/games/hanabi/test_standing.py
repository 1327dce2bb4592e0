"""How kinds of cards stand: by hand, and beside what the card-wise observation says."""

import numpy as np
import pytest
from tests.games.hanabi.playing import careful_moves
from tests.games.hanabi.recording import sorted_deck

from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.moves import COLOUR_LETTERS, move_id
from offbelief.games.hanabi.standing import card_standing
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.games.hanabi.views.cardwise import observe_cardwise, split_cardwise

MINI = HanabiVariant.parse("mini")


def kinds(*names: str) -> list[int]:
    return [COLOUR_LETTERS.index(name[0]) * MINI.ranks + int(name[1]) - 1 for name in names]


def test_standing_is_as_worked_out_by_hand():
    # Seat 0 holds R1 R1 R1, seat 1 R2 R2 R3. Seat 0 plays R1; seat 1 strikes with R3, the only one of its kind; seat 0
    # strikes with R1; now R2 is playable, R1 and R3 are useless, and every 3 is the only copy from the start.
    batch = HanabiBatch.from_decks(MINI, [sorted_deck(MINI)])
    for slot in (0, 2, 0):
        batch.step([move_id(MINI, "play", slot)])
    standing = card_standing(batch.states[0], MINI)
    assert kinds("R2", "Y1", "G1") == np.flatnonzero(standing.playable).tolist()
    assert kinds("R1", "R3") == np.flatnonzero(standing.useless).tolist()
    assert kinds("Y3", "G3") == np.flatnonzero(standing.critical).tolist()
    assert 2 + 3 + 3 == standing.best_possible


def test_discarding_all_copies_but_one_makes_a_kind_critical():
    batch = HanabiBatch.from_decks(MINI, [sorted_deck(MINI)])
    batch.step([move_id(MINI, "rank", 1, 1)])
    batch.step([move_id(MINI, "discard", 0)])  # one of two R2
    assert kinds("R2", "R3", "Y3", "G3") == np.flatnonzero(card_standing(batch.states[0], MINI).critical).tolist()


@pytest.mark.parametrize("variant", ["mini", "full-3p", "2p-1c-1r-h1-i1-l1"])
def test_standing_agrees_with_what_networks_see_of_partners_cards(variant):
    batch = HanabiBatch(variant, 40, seed=5)
    generator = np.random.default_rng(5)
    compared = 0
    while not batch.is_over.all():
        partners = split_cardwise(observe_cardwise(batch.states, batch.variant), batch.variant).partner_cards
        count = batch.variant.card_kinds
        for game, cards in zip(batch.states, partners.reshape(len(batch), -1, partners.shape[-1]), strict=True):
            standing = card_standing(game, batch.variant)
            for card in cards[cards[:, :count].any(axis=1)]:
                kind = int(card[:count].argmax())
                expected = [standing.playable[kind], standing.useless[kind], standing.critical[kind]]
                assert expected == (card[count : count + 3] == 1).tolist()
                compared += 1
        batch.step(careful_moves(batch, generator))
    assert compared > 30
