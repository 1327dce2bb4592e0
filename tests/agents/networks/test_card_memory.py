"""A memory for every card: it follows the card, as a list that cards are taken from would."""

import numpy as np
import pytest
import torch

from offbelief.agents.networks.card_memory import CardMemory
from offbelief.beliefs.hanabi_game import HanabiGame
from offbelief.games.hanabi.views.v0_belief import v0_belief_layout


def play_randomly(game, states, rng):
    legal = game.legal_moves(states)
    moves = np.array([rng.choice(np.flatnonzero(row)) for row in legal])
    game.step(states, moves)


@pytest.mark.parametrize("variant", ["mini", "3p-2c-3r-h3-i5-l3"])
def test_memories_follow_their_cards(variant):
    torch.manual_seed(0)
    game = HanabiGame(variant, "v0-belief")
    layout = v0_belief_layout(game.variant)
    network = CardMemory(layout, context=2, width=4)
    players, cards, width = network.shape
    rng = np.random.default_rng(0)
    states, seat = game.deal(1, 3), 1
    memory = torch.zeros(1, *network.shape)
    by_card = [[torch.zeros(width) for _ in range(cards)] for _ in range(players)]  # the judge: lists of cards
    left_hands = 0
    while not game.is_over(states)[0]:
        seen = torch.from_numpy(game.observe(states, np.array([seat])))
        context = torch.from_numpy(rng.random((1, 2), np.float32))
        with torch.no_grad():
            memory = network(seen, context, memory)
        features = layout.view(seen.numpy()[0])
        if features["last_slot"].any():
            hand = by_card[int(features["last_actor"].argmax())]
            hand.pop(int(features["last_slot"].argmax()))
            hand.append(torch.zeros(width))
            left_hands += 1
        for owner, hand in enumerate(by_card):
            for slot, remembered in enumerate(hand):
                touched = bool(features["last_target"][owner] and features["last_touched"][slot])
                known = torch.tensor(features["knowledge"][owner, slot])
                heard = torch.cat([known, torch.tensor([float(touched)]), context[0]])
                with torch.no_grad():
                    hand[slot] = network.cell(heard[None], remembered[None])[0]
        expected = torch.stack([torch.stack(hand) for hand in by_card])
        assert torch.allclose(expected, memory[0], atol=1e-6)
        play_randomly(game, states, rng)
    assert left_hands > 3
