"""What a seat sees of a Hanabi game, in three encodings; `docs/games/hanabi-observation.md` draws them.

`observe_canonical` is HLE's observation bit for bit, `observe_v0_belief` the one of the OBL paper's agents, and
`observe_cardwise` a compact one for networks that share weights over cards. Each has a `Layout` that names its
features. Functions that end in ``_one``, and their loops over games, are the compiled kernels for hot loops.
"""

from offbelief.games.hanabi.views.bits import from_hex, pack_bits, to_hex, unpack_bits
from offbelief.games.hanabi.views.canonical import canonical_layout, observe_canonical, observe_canonical_packed
from offbelief.games.hanabi.views.cardwise import (
    CardwiseObservation,
    cardwise_layout,
    observe_cardwise,
    split_cardwise,
)
from offbelief.games.hanabi.views.layout import Layout, Section
from offbelief.games.hanabi.views.v0_belief import Part, observe_v0_belief, v0_belief_layout

__all__ = [
    "CardwiseObservation",
    "Layout",
    "Part",
    "Section",
    "canonical_layout",
    "cardwise_layout",
    "from_hex",
    "observe_canonical",
    "observe_canonical_packed",
    "observe_cardwise",
    "observe_v0_belief",
    "pack_bits",
    "split_cardwise",
    "to_hex",
    "unpack_bits",
    "v0_belief_layout",
]
