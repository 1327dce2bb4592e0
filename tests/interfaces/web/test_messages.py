import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from offbelief.interfaces.web.messages import MAX_MESSAGE, MESSAGES, Create, Join, Play, read_message
from offbelief.nouns import UserError

ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=8),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=6), inner, max_size=4),
    max_leaves=8,
)
FIELDS = sorted({name for kind in MESSAGES.values() for name in kind.__dataclass_fields__})


def test_messages_are_read_with_their_defaults():
    assert Play(turn=3, move=4) == read_message('{"type": "play", "turn": 3, "move": 4}')
    assert Join(table="x", key=None) == read_message('{"type": "join", "table": "x"}')
    expected = Create(variant="mini", seats=("human", "bot:iggi"), seed=None, open_hand=False, open_mind=True)
    said = {"type": "create", "variant": "mini", "seats": ["human", "bot:iggi"], "seed": None, "open_mind": True}
    assert expected == read_message(json.dumps(said))


@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        (None, "not bytes"),
        (b"{}", "not bytes"),
        ("", "no JSON"),
        ("{", "no JSON"),
        ("[" * 100_000, "no JSON"),
        ('{"type": "play", "turn": ' + "9" * 5000 + ', "move": 1}', "no JSON"),
        ("[]", "JSON object"),
        ("null", "JSON object"),
        ("{}", "one of the types"),
        ('{"type": ["play"]}', "one of the types"),
        ('{"type": "hack"}', "one of the types"),
        ('{"type": "play", "turn": 1}', "needs the field 'move'"),
        ('{"type": "play", "turn": 1, "move": 2, "seat": 1}', "no field 'seat'"),
        ('{"type": "play", "turn": true, "move": 2}', "wrong kind"),
        ('{"type": "play", "turn": "1", "move": 2}', "wrong kind"),
        ('{"type": "play", "turn": 1.5, "move": 2}', "wrong kind"),
        ('{"type": "play", "turn": null, "move": 2}', "wrong kind"),
        ('{"type": "play", "turn": 99999999999999999999, "move": 2}', "too large"),
        ('{"type": "switch", "open_hand": 1, "open_mind": false}', "wrong kind"),
        ('{"type": "create", "variant": "mini", "seats": "human"}', "wrong kind"),
        ('{"type": "create", "variant": "mini", "seats": [1, 2]}', "wrong kind"),
        (json.dumps({"type": "join", "table": "x" * 300}), "longer than"),
        (json.dumps({"type": "import", "text": "x" * MAX_MESSAGE}), "at most"),
    ],
)
def test_what_is_no_message_is_refused_with_a_sentence(text, sentence):
    with pytest.raises(UserError, match=sentence):
        read_message(text)


@given(st.text())
def test_any_text_is_a_message_or_refused(text):
    with pytest.raises(UserError):
        read_message(text)


@given(st.sampled_from(sorted(MESSAGES)), st.dictionaries(st.sampled_from(FIELDS), ANYTHING, max_size=5))
def test_any_fields_are_a_message_or_refused(name, fields):
    try:
        message = read_message(json.dumps({**fields, "type": name}))
    except UserError as error:
        assert "\n" not in str(error)
    else:
        assert MESSAGES[name] is type(message)
