"""The wire: a real server, a raw client, and everything that may go wrong between them."""

import http.client
import json
import socket

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from tests.interfaces.web.serving import careful, first_legal, serving
from websockets.exceptions import ConnectionClosed, InvalidHandshake

from offbelief.interfaces.cli import main
from offbelief.interfaces.web.messages import MAX_MESSAGE, MESSAGES
from offbelief.interfaces.web.server import HARD_LIMIT, LOOPBACK, is_loopback, is_own_host, open_socket
from offbelief.nouns import UserError

# Every key that may travel to a page, and no other: a new one must be thought about.
ABOUT_THE_TABLE = {
    "id",
    "variant",
    "colours",
    "ranks",
    "players",
    "hand_size",
    "max_hints",
    "max_lives",
    "max_score",
} | {
    *("copies", "seats", "humans", "seat", "seed", "recorded", "done", "given_up", "open_hand", "open_mind"),
    *("can_switch", "turn", "moves", "name", "has_hanablive"),
}
ABOUT_A_POSITION = {"turn", "seat", "over", "end", "hints", "lives", "deck", "turns_left", "score", "best"} | {
    *("fireworks", "discards", "critical", "playable", "useless", "hands", "last", "refusals"),
    *("order", "kind", "possible", "colour_told", "rank_told"),
    *("actor", "type", "slot", "scored", "token_gained", "target", "value", "touched"),
}
KEYS_ON_THE_WIRE = {"type", "key", "table", "view", "views"} | ABOUT_THE_TABLE | ABOUT_A_POSITION


def get(server, path, host=None):
    connection = http.client.HTTPConnection(LOOPBACK, server.port, timeout=30)
    try:
        connection.request("GET", path, headers={} if host is None else {"Host": host})
        answer = connection.getresponse()
        return answer.status, dict(answer.getheaders()), answer.read()
    finally:
        connection.close()


def keys_of(value):
    if isinstance(value, dict):
        return set(value).union(*(keys_of(inner) for inner in value.values()))
    return set().union(*(keys_of(inner) for inner in value)) if isinstance(value, list) else set()


def open_table(page, **settings):
    settings = {"variant": "full-2p", "seats": ["human", "bot:iggi"], **settings}
    return page.ask(type="create", **settings)


# --------------------------------------------------------------------------------------------------- what stays hidden


@pytest.mark.parametrize(("variant", "seats"), [("full-2p", 2), ("full-4p", 4), ("mini", 2)])
def test_no_message_of_a_running_game_holds_a_hidden_card(page, server, variant, seats):
    opened = open_table(page, variant=variant, seats=["human"] + ["bot:piers"] * (seats - 1))
    id = opened["table"]["id"]
    ended = page.play_to_the_end(opened, careful)
    running = [json.loads(text) for text in page.heard[:-1]]
    assert len(running) > 5
    for message in running:
        assert keys_of(message) <= KEYS_ON_THE_WIRE
        assert None is message["table"]["seed"]
        for view in message.get("views", [message.get("view")]):
            assert [None] * len(view["hands"][0]) == [card["kind"] for card in view["hands"][0]]
            assert isinstance(view["deck"], int)
    assert ended["table"]["seed"] is not None  # now it may be known
    assert None not in [card["kind"] for view in ended["views"] for card in view["hands"][0]]
    assert (200, 200) == (get(server, f"/api/games/{id}/record")[0], get(server, f"/api/games/{id}/record")[0])


@pytest.mark.parametrize("what", ["record", "hanablive", "link"])
def test_record_of_a_running_game_is_not_given_out(page, server, what):
    id = open_table(page, open_hand=True)["table"]["id"]
    status, _, body = get(server, f"/api/games/{id}/{what}")
    assert 404 == status
    assert "still running" in json.loads(body)["error"]


def test_lobby_tells_no_secret_of_running_games(page, server):
    opened = open_table(page)
    listed = next(
        game for game in json.loads(get(server, "/api/lobby")[2])["games"] if game["id"] == opened["table"]["id"]
    )
    assert {"id", "variant", "seats", "turns", "done", "recorded", "score", "written"} == set(listed)
    assert None is listed["score"]


def test_finished_game_can_be_downloaded_and_looked_at_by_anybody(page, server):
    id = open_table(page)["table"]["id"]
    page.ask(type="give_up")
    assert "deck" in json.loads(get(server, f"/api/games/{id}/record")[2])
    assert "players" in json.loads(get(server, f"/api/games/{id}/hanablive")[2])
    assert json.loads(get(server, f"/api/games/{id}/link")[2])["url"].startswith("https://hanab.live/")
    with server.page() as other:
        assert None is other.ask(type="join", table=id)["table"]["seat"]


# -------------------------------------------------------------------------------------------------------- bad messages


def test_bad_messages_are_answered_and_change_nothing(page):
    opened = open_table(page)
    for text in ["", "nonsense", "{}", '{"type": "play"}', '{"type": "play", "turn": 0, "move": 99}', "[" * 50_000]:
        page.connection.send(text)
        assert "error" == page.hear()["type"]
    page.connection.send(b"\x00\xff")
    assert "error" == page.hear()["type"]
    page.connection.send("x" * (MAX_MESSAGE + 1))
    assert "characters" in page.hear()["sentence"]
    again = page.ask(type="join", table=opened["table"]["id"], key=opened["key"])
    assert opened["views"] == again["views"]


def test_enormous_message_closes_the_socket_and_harms_nobody(server):
    with server.page() as other:
        opened = open_table(other)
        with pytest.raises(ConnectionClosed), server.page() as page:  # the server hangs up without reading it all
            page.connection.send("x" * (HARD_LIMIT + 1))
            page.hear()
        assert "turn" == other.ask(type="play", turn=0, move=6)["type"], opened


ODD = st.one_of(
    st.none(), st.booleans(), st.integers(-3, 60), st.text(max_size=5), st.just("bot:iggi"), st.just("human")
)
SAID = st.fixed_dictionaries(
    {"type": st.sampled_from(sorted(set(MESSAGES) - {"create", "again", "import", "leave", "give_up"}))},
    optional={
        name: ODD
        for name in (
            "turn",
            "move",
            "table",
            "key",
            "agent",
            "other",
            "sample",
            "open_hand",
            "open_mind",
            "seats",
            "text",
        )
    },
)


@settings(max_examples=150, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(said=SAID)
def test_whatever_is_said_is_answered_and_the_game_stays_a_game(server, said):
    with server.page() as page:
        open_table(page)
        heard = page.ask(**said)
        assert heard["type"] in ("error", "turn", "table", "mind", "imagined", "compared")
        page.say(type="leave")
        page.until("left")


# ------------------------------------------------------------------------------------------------------- whose request


@pytest.mark.parametrize(
    "origin", [None, "http://evil.example", "null", "http://127.0.0.1:1", "https://localhost.evil.example"]
)
def test_socket_of_another_page_is_refused(server, origin):
    with pytest.raises(InvalidHandshake), server.page(origin=origin):
        pass


@pytest.mark.parametrize("host", ["evil.example", "evil.example:8765", "127.0.0.1.evil.example", "", "10.0.0.1"])
def test_another_host_is_refused(server, host):
    assert 421 == get(server, "/", host)[0]
    assert 421 == get(server, "/api/lobby", host)[0]


@pytest.mark.parametrize("host", ["localhost", "LOCALHOST:99", "127.0.0.1", "[::1]:8765"])
def test_own_names_are_served(server, host):
    assert 200 == get(server, "/", host)[0]


@pytest.mark.parametrize(
    ("named", "host", "expected"),
    [
        ("192.168.1.5:8765", "0.0.0.0", True),
        ("[fe80::1]:8765", "::", True),
        ("evil.example", "0.0.0.0", False),
        ("table.example:80", "table.example", True),
        ("192.168.1.5", "127.0.0.1", False),
    ],
)
def test_server_on_a_network_answers_to_addresses_and_its_name(named, host, expected):
    assert expected == is_own_host(named, host)


@pytest.mark.parametrize(
    "path",
    [
        "/static/../server.py",
        "/static/%2e%2e/server.py",
        "/static/..%2fserver.py",
        "/static//etc/passwd",
        "/api/games/../x/record",
    ],
)
def test_paths_do_not_escape(server, path):
    assert get(server, path)[0] in (400, 404)


def test_page_asks_for_nothing_from_elsewhere(server):
    status, headers, _ = get(server, "/")
    assert 200 == status
    assert "default-src 'self'" in headers["content-security-policy"]
    assert "server" not in {name.lower() for name in headers}
    modules = [path for path in server_files() if path.suffix in (".js", ".css", ".html")]
    assert len(modules) > 8
    for module in modules:
        text = module.read_text(encoding="utf-8").replace("http://www.w3.org/2000/svg", "")
        assert "http://" not in text and "https://" not in text and "innerHTML" not in text, module


def server_files():
    from offbelief.interfaces.web.server import STATIC

    return sorted(STATIC.iterdir())


# ------------------------------------------------------------------------------------------------------ coming back


def test_game_survives_a_restart_of_the_server(tmp_path):
    with serving(tmp_path) as server, server.page() as page:
        opened = open_table(page)
        page.say(type="play", turn=0, move=6)
        page.until("turn")
        page.until("turn")
    with serving(tmp_path) as server, server.page() as page:
        back = page.ask(type="join", table=opened["table"]["id"], key=opened["key"])
        assert (0, 2) == (back["table"]["seat"], back["table"]["turn"])
        assert "turn" == page.ask(type="play", turn=2, move=first_legal(back["views"][-1]))["type"]


def test_tables_are_separate(server):
    with server.page() as one, server.page() as two:
        first, second = open_table(one), open_table(two)
        one.say(type="play", turn=0, move=6)
        assert 1 == one.hear()["view"]["turn"]
        again = two.ask(type="join", table=second["table"]["id"], key=second["key"])
        assert 0 == again["table"]["turn"]
        taken_over = two.ask(type="join", table=first["table"]["id"], key=second["key"])
        assert None is not taken_over["key"]  # the key of one table opens no seat of another


# --------------------------------------------------------------------------------------------------------- the command


def test_port_that_is_taken_is_one_sentence(capsys):
    with socket.create_server((LOOPBACK, 0)) as taken:
        assert 2 == main(["play", "bot:iggi", "--port", str(taken.getsockname()[1])])
    shown = capsys.readouterr().err
    assert "--port" in shown
    assert 1 == shown.count("\n")


@pytest.mark.parametrize(
    ("words", "sentence"),
    [
        (["--port", "70000"], "0 to 65535"),
        (["nobody"], "There is no agent 'nobody'"),
        (["bot:iggi", "--seed", "3"], "go with --terminal"),
        (["bot:iggi", "--host", "999.1.1.1", "--port", "0"], "Cannot listen"),
    ],
)
def test_bad_options_are_one_sentence(words, sentence, capsys):
    assert 2 == main(["play", *words])
    assert sentence in capsys.readouterr().err


def test_loopback_is_told_from_the_network():
    assert [True, True, True, False, False] == [
        is_loopback(host) for host in ("127.0.0.1", "::1", "localhost", "0.0.0.0", "x.example")
    ]


def test_socket_does_not_wait_for_company():
    with open_socket(LOOPBACK, 0) as listening:
        assert socket.IPPROTO_TCP == listening.proto  # else asyncio leaves Nagle's delay on
    with pytest.raises(UserError, match="Cannot listen"):
        open_socket("192.0.2.1", 0)
