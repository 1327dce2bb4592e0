"""Layouts: every feature has a name, names share the buffer's memory, and the documentation says the same."""

import re
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from tests.games.hanabi.test_variant import variants

from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.games.hanabi.views import Layout, canonical_layout, cardwise_layout, v0_belief_layout
from offbelief.nouns import UserError

PAGE = Path(__file__).parents[3] / "docs" / "games" / "hanabi-observation.md"


def layouts_of(variant: HanabiVariant) -> dict[str, Layout]:
    layouts = [canonical_layout(variant)]
    layouts += [cardwise_layout(variant, last_move=last_move) for last_move in (False, True)]
    layouts += [
        v0_belief_layout(variant, part, greedy_move=greedy_move)
        for part in ("full", "private", "public")
        for greedy_move in (False, True)
    ]
    return {layout.name: layout for layout in layouts}


@pytest.mark.parametrize(
    ("variant", "canonical", "full", "private", "public"),
    [  # HLE's sizes, and those of the public OBL code
        ("full-2p", 658, 783, 658, 533),
        ("full-3p", 956, 1081, 956, 706),
        ("full-4p", 1041, None, None, None),
        ("full-5p", 1280, None, None, None),
        ("small", 171, None, None, None),
        ("mini", 197, None, None, None),
    ],
)
def test_sizes_are_the_published_ones(variant, canonical, full, private, public):
    rules = HanabiVariant.parse(variant)
    assert canonical == canonical_layout(rules).size
    if full is not None:
        assert (full, private, public) == tuple(
            v0_belief_layout(rules, part).size for part in ("full", "private", "public")
        )


def test_greedy_move_adds_the_size_of_a_last_move():
    assert 838 == v0_belief_layout(HanabiVariant(), "full", greedy_move=True).size
    assert 1081 + 57 == v0_belief_layout(HanabiVariant(players=3), "full", greedy_move=True).size


def test_cardwise_sizes_are_as_documented():
    layout = cardwise_layout(HanabiVariant())
    assert (5, 45) == layout["own_cards"].shape
    assert (1, 5, 74) == layout["partner_cards"].shape
    assert 123 == layout.size - layout["fireworks"].start
    assert 178 == cardwise_layout(HanabiVariant(), last_move=True).size - layout["fireworks"].start


@settings(deadline=None, max_examples=30)
@given(variant=variants())
def test_sections_name_every_feature_once(variant):
    for layout in layouts_of(variant).values():
        named = np.zeros(layout.size, dtype=int)
        places = layout.view(np.arange(layout.size))
        for section in layout.sections:
            assert section.shape == places[section.name].shape
            if not section.is_group:
                named[places[section.name]] += 1
        assert np.all(named == 1)
        for group in layout.sections:
            if group.is_group:  # its parts are the features of its cards, in order
                parts = [places[part.name] for part in layout.sections if part.name.startswith(group.name + ".")]
                cards = group.shape[:-1]
                joined = np.concatenate([part.reshape(*cards, -1) for part in parts], axis=-1)
                assert np.array_equal(places[group.name], joined)


def test_views_share_memory_with_any_batch_axes():
    layout = canonical_layout(HanabiVariant.parse("mini"))
    buffer = np.zeros((4, 7, layout.size), dtype=np.float32)
    views = layout.view(buffer)
    assert (4, 7, 2, 3, 3, 3) == views["knowledge.possible"].shape
    views["knowledge.told_rank"][1, 2, 1, 0, 2] = 5
    # The observer's three cards come first, 9 + 3 + 3 features each; then the partner's oldest, its rank 2 last.
    assert 5 == buffer[1, 2, layout["knowledge"].start + 3 * 15 + 9 + 3 + 2]
    assert 5 == buffer.sum()
    assert 5 == views["knowledge"][1, 2, 1, 0, 14]


def test_views_of_a_read_only_buffer_are_read_only():
    layout = canonical_layout(HanabiVariant.parse("mini"))
    buffer = np.zeros(layout.size)
    buffer.flags.writeable = False
    assert not layout.view(buffer)["hands"].flags.writeable


def test_views_of_every_second_row_and_column_are_the_right_ones():
    layout = canonical_layout(HanabiVariant.parse("mini"))
    wide = np.arange(6 * 2 * layout.size).reshape(6, -1)
    plain = layout.view(wide[::2, ::2].copy())
    for name, view in layout.view(wide[::2, ::2]).items():
        assert np.array_equal(plain[name], view)


def test_wrong_buffer_and_unknown_section_are_refused():
    layout = canonical_layout(HanabiVariant())
    with pytest.raises(UserError, match="658 features"):
        layout.view(np.zeros((3, 657)))
    with pytest.raises(UserError, match="no section 'hand'"):
        layout["hand"]
    with pytest.raises(UserError, match="part is 'secret'"):
        v0_belief_layout(HanabiVariant(), "secret")


def test_tables_of_the_page_are_the_layouts():
    """Renew a table by printing ``layout.table()`` below its comment."""
    page = PAGE.read_text(encoding="utf-8")
    tables = re.findall(r"<!-- layout: (.+?), (\S+) -->\n\n(.+?)\n\n", page, flags=re.DOTALL)
    assert {"canonical", "v0-belief full", "card-wise with last move"} == {name for name, _, _ in tables}
    for name, variant, table in tables:
        assert layouts_of(HanabiVariant.parse(variant))[name].table() == table


def test_sizes_of_the_page_are_those_of_the_layouts():
    page = PAGE.read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w-]+)` \| (\d+) \| (\d+) / (\d+) / (\d+) \| (\d+) \|$", page, flags=re.MULTILINE)
    assert {"full-2p", "full-3p", "full-4p", "full-5p", "small", "very-small", "mini"} == {row[0] for row in rows}
    for name, *sizes in rows:
        layouts = layouts_of(HanabiVariant.parse(name))
        names = ["canonical", "v0-belief full", "v0-belief private", "v0-belief public", "card-wise"]
        assert [layouts[layout].size for layout in names] == [int(size) for size in sizes]
