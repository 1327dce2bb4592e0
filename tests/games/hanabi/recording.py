"""Recorded games for the tests of records, files, texts and faces."""

import numpy as np

from offbelief.games.hanabi.batch import HanabiBatch
from offbelief.games.hanabi.records import GameRecord
from offbelief.games.hanabi.variant import HanabiVariant


def sorted_deck(variant: HanabiVariant) -> tuple[int, ...]:
    """Every card in order of kind: seat 0 of "mini" is dealt R1 R1 R1, seat 1 R2 R2 R3, then come Y1 Y1 Y1 Y2 ..."""
    return tuple(np.repeat(np.arange(variant.card_kinds), variant.copies_by_kind).tolist())


def play_randomly(variant: str, games: int, *, seed: int = 1) -> list[GameRecord]:
    """Whole games of uniformly random legal moves."""
    batch = HanabiBatch(variant, games, seed=seed)
    generator = np.random.default_rng(seed)
    moves: list[list[int]] = [[] for _ in range(games)]
    while not batch.is_over.all():
        chosen = np.full(games, -1)
        for game, legal in enumerate(batch.legal_moves()):
            if legal.any():
                chosen[game] = generator.choice(np.flatnonzero(legal))
                moves[game].append(int(chosen[game]))
        batch.step(chosen)
    return [GameRecord.from_batch(batch, game, moves[game], id=game) for game in range(games)]
