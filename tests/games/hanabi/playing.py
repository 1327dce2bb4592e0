"""How the tests of Hanabi play: at random, carefully at random, and beside open_spiel."""

import numpy as np
import pytest

from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.kernels import NO_MOVE
from offbelief.games.hanabi.variant import HanabiVariant


def random_moves(batch: HanabiBatch, generator: np.random.Generator) -> np.ndarray:
    """A random legal move of every game, or NO_MOVE where it is over."""
    legal = batch.legal_moves()
    return np.where(legal.any(axis=1), np.argmax(legal * generator.random(legal.shape), axis=1), NO_MOVE)


def careful_moves(batch: HanabiBatch, generator: np.random.Generator) -> np.ndarray:
    """Random moves with few blind plays, which would end most games by strikes; without them the deck runs out."""
    variant = batch.variant
    legal = batch.legal_moves()
    legal[:, variant.first_play : variant.first_colour_hint] &= generator.random((len(batch), 1)) < 0.1
    some = legal.any(axis=1)
    careful = np.argmax(legal * generator.random(legal.shape), axis=1)
    return np.where(some, careful, random_moves(batch, generator))


def open_spiel_game(variant: HanabiVariant, seed: int):
    """The same variant in open_spiel; skips the test where that is not installed."""
    pyspiel = pytest.importorskip("pyspiel", reason="open_spiel is the oracle here")
    return pyspiel.load_game(
        "hanabi",
        {
            "players": variant.players,
            "colors": variant.colours,
            "ranks": variant.ranks,
            "hand_size": variant.hand_size,
            "max_information_tokens": variant.hint_tokens,
            "max_life_tokens": variant.lives,
            "random_start_player": variant.random_start,
            "seed": seed,
        },
    )
