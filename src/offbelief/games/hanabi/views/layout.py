"""Layout: which feature of an observation stands where, under which name, and what it means.

An observation is one flat row of numbers for the network. `Layout.view` gives people the same memory by name. Every
encoding builds its layout here with `LayoutBuilder`, and colour permutations read from it which features belong to a
colour. Nothing here knows how an encoding is filled in.
"""

import dataclasses
import math
from collections.abc import Sequence

import numpy as np

from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.nouns import AnyArray, UserError

COLOUR_AXIS = "colour"
"""Name of every axis that runs over colours."""


@dataclasses.dataclass(frozen=True, kw_only=True)
class Section:
    """A named part of an observation: an array of features with named axes."""

    name: str
    """Unique in its layout; "group.part" for a part of every card of a group."""
    start: int
    """Place of its first feature in the row."""
    axes: tuple[str, ...]
    """What its axes run over, such as ("partner", "slot", "colour", "rank")."""
    shape: tuple[int, ...]
    """Length of each axis."""
    strides: tuple[int, ...]
    """How many places apart two neighbours along each axis stand in the row."""
    meaning: str
    """What a feature says, in words."""
    is_group: bool = False
    """Whether its features are named again by parts of their own."""

    @property
    def size(self) -> int:
        """Number of features."""
        return math.prod(self.shape)


@dataclasses.dataclass(frozen=True, kw_only=True)
class Layout:
    """The sections of an encoding, in the order of the row."""

    name: str
    """Name of the encoding."""
    size: int
    """Features in a row."""
    sections: tuple[Section, ...]
    """Together they name every feature: once, or once by its group and once by a part of the group."""

    def __getitem__(self, name: str) -> Section:
        """Find a section by name."""
        for section in self.sections:
            if section.name == name:
                return section
        raise UserError(
            f"The {self.name} layout has no section {name!r}; choose one of {', '.join(s.name for s in self.sections)}."
        )

    def view(self, buffer: AnyArray) -> dict[str, AnyArray]:
        """Name the features of observations without copying them.

        Args:
            buffer: [..., F] observations of this layout, one number a feature (packed bits have to be unpacked first).

        Returns:
            For every section an array [..., *section.shape] that shares memory with ``buffer``: writing into one
            changes the other.
        """
        if buffer.ndim == 0 or buffer.shape[-1] != self.size:
            raise UserError(
                f"The {self.name} layout has {self.size} features in the last axis, but the buffer has shape "
                f"{buffer.shape}; give observations of the same variant and encoding."
            )
        step = buffer.strides[-1]
        return {
            section.name: np.lib.stride_tricks.as_strided(
                buffer[..., section.start :],
                shape=buffer.shape[:-1] + section.shape,
                strides=buffer.strides[:-1] + tuple(step * stride for stride in section.strides),
                writeable=buffer.flags.writeable,
            )
            for section in self.sections
        }

    def table(self) -> str:
        """Write the layout as a Markdown table."""
        lines = ["| section | start | size | shape | meaning |", "|---|---|---|---|---|"]
        for section in self.sections:
            shape = " x ".join(f"{length} {axis}" for axis, length in zip(section.axes, section.shape, strict=True))
            # The features of a part are spread over the cards of its group: the first stands at its start.
            lines.append(
                f"| `{section.name}` | {section.start} | {section.size} | {shape or 'one number'} | {section.meaning} |"
            )
        return "\n".join(lines)


class LayoutBuilder:
    """Lays sections one behind the other.

    Args:
        name: Name of the encoding.
        variant: Gives the lengths of the axes "seat" (observer first), "partner" (next seat first), "slot" (oldest
            card first), "colour", "rank", "copy", "token", "life", "card" and "move type".
    """

    def __init__(self, name: str, variant: HanabiVariant) -> None:
        self._name = name
        self._lengths = {
            "seat": variant.players,
            "partner": variant.players - 1,
            "slot": variant.hand_size,
            COLOUR_AXIS: variant.colours,
            "rank": variant.ranks,
            "cards played": variant.ranks + 1,
            "copy": sum(variant.copies_by_rank),
            "token": variant.hint_tokens,
            "life": variant.lives,
            "card": variant.deck_size - variant.players * variant.hand_size,
            "move type": 4,
        }
        self._sections: list[Section] = []
        self._size = 0

    def add(self, name: str, axes: Sequence[str], meaning: str) -> None:
        """Lay a section; no axes for a single number."""
        shape = self._shape(axes)
        self._sections.append(
            Section(
                name=name,
                start=self._size,
                axes=tuple(axes),
                shape=shape,
                strides=_packed_strides(shape),
                meaning=meaning,
            )
        )
        self._size += math.prod(shape)

    def add_group(
        self, name: str, axes: Sequence[str], meaning: str, parts: Sequence[tuple[str, Sequence[str], str]]
    ) -> None:
        """Lay a group: for every card along ``axes`` the same parts one behind the other.

        Args:
            name: Name of the group.
            axes: Axes over its cards.
            meaning: What a card's features are.
            parts: (name, axes, meaning) of each part of a card; its full name is "group.part".
        """
        features = sum(math.prod(self._shape(part_axes)) for _, part_axes, _ in parts)
        shape = (*self._shape(axes), features)
        strides = _packed_strides(shape)
        self._sections.append(
            Section(
                name=name,
                start=self._size,
                axes=(*axes, "feature"),
                shape=shape,
                strides=strides,
                meaning=meaning,
                is_group=True,
            )
        )
        start = self._size
        for part, part_axes, part_meaning in parts:
            part_shape = self._shape(part_axes)
            self._sections.append(
                Section(
                    name=f"{name}.{part}",
                    start=start,
                    axes=(*axes, *part_axes),
                    shape=shape[:-1] + part_shape,
                    strides=strides[:-1] + _packed_strides(part_shape),
                    meaning=part_meaning,
                )
            )
            start += math.prod(part_shape)
        self._size += math.prod(shape)

    def build(self) -> Layout:
        """Finish the layout."""
        return Layout(name=self._name, size=self._size, sections=tuple(self._sections))

    def _shape(self, axes: Sequence[str]) -> tuple[int, ...]:
        return tuple(self._lengths[axis] for axis in axes)


def _packed_strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    """Strides of an array whose features stand one behind the other."""
    return tuple(math.prod(shape[axis + 1 :]) for axis in range(len(shape)))
