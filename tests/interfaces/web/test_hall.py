"""What happens at the tables, without sockets: visitors speak to a hall and read their outboxes."""

import asyncio
import json
import threading
from pathlib import Path

import numpy as np
import pytest

from offbelief.agents.scripted import scripted_policy
from offbelief.interfaces.web.hall import MAX_VISITORS, Hall, Visitor
from offbelief.interfaces.web.messages import (
    Again,
    AskMind,
    Compare,
    Create,
    GiveUp,
    Imagine,
    Import,
    Join,
    Leave,
    Play,
    Switch,
)
from offbelief.interfaces.web.offers import Offers
from offbelief.interfaces.web.shelf import Shelf
from offbelief.nouns import UserError

HUMAN_AND_BOT = Create(variant="full-2p", seats=("human", "bot:iggi"), seed=3)


class RememberingBot:
    """Plays like a scripted one and remembers how many moves it has seen: its memory is that number."""

    def __init__(self):
        self.seen_when_acting = []

    def act(self, states, variant, streams, memory=None):
        self.seen_when_acting.append(memory.tolist())
        return scripted_policy("iggi").act(states, variant, streams)

    def new_memory(self, states, seat):
        return np.zeros(len(states))

    def remember(self, memory, before, moves, after, seat):
        assert (before["turn"] + 1 == after["turn"]).all()
        memory += 1


def play(test, tmp_path, **agents):
    """Run an asynchronous test in a hall of its own."""
    offers = Offers("bot:iggi", tmp_path / "runs")
    offers._loaded.update(agents)

    async def scene():
        hall = Hall(offers, Shelf(tmp_path / "games"))
        try:
            await asyncio.wait_for(test(hall), 60)
        finally:
            hall.close()

    asyncio.run(scene())


def enter(hall, **options):
    visitor = Visitor(**{"is_local": True, **options})
    hall.enter(visitor)
    return visitor


async def hear(visitor, kind=None):
    while True:
        text = await visitor.outbox.get()
        message = json.loads(text)
        if kind is None or message["type"] == kind:
            return message


async def say(hall, visitor, message, kind=None):
    await hall.hear(visitor, message)
    return await hear(visitor, kind)


async def settle(hall, table):
    """Wait until the agents have moved and the game is saved."""
    while table.id in hall._turns or hall._unwritten or hall._writing:
        await asyncio.sleep(0.005)


def test_agents_answer_and_the_turn_comes_back(tmp_path):
    async def test(hall):
        me = enter(hall)
        opened = await say(hall, me, HUMAN_AND_BOT)
        assert ("table", 0, 0) == (opened["type"], opened["table"]["seat"], opened["table"]["turn"])
        await hall.hear(me, Play(turn=0, move=6))
        own, answer = await hear(me), await hear(me)
        assert [1, 2] == [own["view"]["turn"], answer["view"]["turn"]]
        assert answer["view"]["refusals"] is not None

    play(test, tmp_path)


def test_who_leaves_before_the_ending_is_drawn_is_not_called_back(tmp_path):
    async def test(hall):
        me, watcher = enter(hall), enter(hall)
        opened = await say(hall, me, HUMAN_AND_BOT)
        await hall.hear(me, GiveUp())
        await hall.hear(watcher, Join(table=opened["table"]["id"]))
        assert "left" == (await say(hall, me, Leave()))["type"]
        while hall._endings:
            await asyncio.sleep(0.005)
        assert me.outbox.empty()
        assert (await hear(watcher, "table"))["table"]["done"]

    play(test, tmp_path)


def test_stale_foreign_and_illegal_moves_change_nothing(tmp_path):
    async def test(hall):
        me = enter(hall)
        await say(hall, me, HUMAN_AND_BOT)
        table = me.table
        for message, sentence in [
            (Play(turn=1, move=6), "meant for turn 2"),
            (Play(turn=-1, move=6), "meant for turn 0"),
            (Play(turn=0, move=0), "hint tokens"),
            (Play(turn=0, move=-1), "does not exist"),
            (Play(turn=0, move=2**40), "does not exist"),
        ]:
            with pytest.raises(UserError, match=sentence):
                await hall.hear(me, message)
        assert (0, 1) == (table.turn, len(table.positions))

    play(test, tmp_path)


def test_move_out_of_turn_is_refused(tmp_path):
    async def test(hall):
        one, two = enter(hall), enter(hall)
        opened = await say(hall, one, Create(variant="full-2p", seats=("human", "human")))
        joined = await say(hall, two, Join(table=opened["table"]["id"]))
        assert [0, 1] == [opened["table"]["seat"], joined["table"]["seat"]]
        with pytest.raises(UserError, match="not your turn"):
            await hall.hear(two, Play(turn=0, move=6))
        third = enter(hall)
        with pytest.raises(UserError, match="still running"):
            await hall.hear(third, Join(table=opened["table"]["id"]))
        assert None is third.table

    play(test, tmp_path)


def test_two_tabs_on_one_seat_see_the_same_and_cannot_both_move(tmp_path):
    async def test(hall):
        one, two = enter(hall), enter(hall)
        opened = await say(hall, one, HUMAN_AND_BOT)
        await say(hall, two, Join(table=opened["table"]["id"], key=opened["key"]))
        await hall.hear(one, Play(turn=0, move=6))
        with pytest.raises(UserError):
            await hall.hear(two, Play(turn=0, move=7))
        assert (await hear(one))["view"] == (await hear(two))["view"]
        await settle(hall, one.table)
        assert 2 == one.table.turn

    play(test, tmp_path)


def test_game_goes_on_after_everybody_left_and_after_a_restart(tmp_path):
    async def first(hall):
        me = enter(hall)
        opened = await say(hall, me, HUMAN_AND_BOT)
        await hall.hear(me, Play(turn=0, move=6))
        await settle(hall, me.table)
        hall.leave(me)
        assert {} == hall.tables
        back = enter(hall)
        joined = await say(hall, back, Join(table=opened["table"]["id"], key=opened["key"]))
        assert (0, 2) == (joined["table"]["seat"], joined["table"]["turn"])
        kept.update(opened)

    async def second(hall):
        (listed,) = hall.shelf.newest()
        assert (kept["table"]["id"], 2, False) == (listed["id"], listed["turns"], listed["done"])
        joined = await say(hall, enter(hall), Join(table=listed["id"], key=kept["key"]))
        assert (0, 2) == (joined["table"]["seat"], joined["table"]["turn"])

    kept = {}
    play(first, tmp_path)
    play(second, tmp_path)


def test_agent_whose_turn_it_was_moves_after_a_restart(tmp_path):
    async def first(hall):
        me = enter(hall)
        opened = await say(hall, me, HUMAN_AND_BOT)
        await settle(hall, me.table)
        me.table.play(6)  # as if the server had died before the agent answered
        hall.shelf.save(me.table)
        ids.append(opened["table"]["id"])

    async def second(hall):
        me = enter(hall)
        await say(hall, me, Join(table=ids[0]))
        assert 2 == (await hear(me, "turn"))["view"]["turn"]

    ids = []
    play(first, tmp_path)
    play(second, tmp_path)


def test_only_player_gets_the_seat_back_without_a_key_on_this_machine_alone(tmp_path):
    async def test(hall):
        me = enter(hall)
        id = (await say(hall, me, HUMAN_AND_BOT))["table"]["id"]
        with pytest.raises(UserError, match="still running"):
            await hall.hear(enter(hall, is_local=False), Join(table=id, key="guess"))
        again = await say(hall, enter(hall), Join(table=id, key="lost"))
        assert 0 == again["table"]["seat"]
        assert again["key"]

    play(test, tmp_path)


def test_minds_are_closed_until_opened_or_done(tmp_path):
    async def test(hall):
        me = enter(hall)
        await say(hall, me, HUMAN_AND_BOT)
        questions = [
            AskMind(turn=0, agent="bot:iggi"),
            Imagine(turn=0, agent="bot:iggi"),
            Compare(agent="bot:iggi", other="bot:piers"),
        ]
        for question in questions:
            with pytest.raises(UserError, match="minds are closed"):
                await hall.hear(me, question)
        await say(hall, me, Switch(open_hand=False, open_mind=True), "table")
        assert 0 == (await say(hall, me, questions[0], "mind"))["mind"]["seat"]
        await hall.hear(me, GiveUp())
        assert await say(hall, me, questions[2], "compared")

    play(test, tmp_path)


def test_what_a_partner_imagines_stays_closed_while_own_cards_are(tmp_path):
    async def test(hall):
        me = enter(hall)
        await say(hall, me, Create(variant="full-2p", seats=("human", "bot:iggi"), open_mind=True))
        await hall.hear(me, Play(turn=0, move=6))
        await settle(hall, me.table)
        assert await say(hall, me, Imagine(turn=0, agent="bot:iggi"), "imagined")  # the own seat's
        with pytest.raises(UserError, match="shows your cards"):
            await hall.hear(me, Imagine(turn=1, agent="bot:iggi"))
        await say(hall, me, Switch(open_hand=True, open_mind=True), "table")
        assert 1 == (await say(hall, me, Imagine(turn=1, agent="bot:iggi"), "imagined"))["imagined"]["seat"]

    play(test, tmp_path)


def test_questions_about_other_turns_or_agents_are_refused(tmp_path):
    async def test(hall):
        me = enter(hall)
        await say(hall, me, Create(variant="full-2p", seats=("human", "bot:iggi"), open_mind=True))
        for question, sentence in [
            (AskMind(turn=1, agent="bot:iggi"), "no turn 2 yet"),
            (AskMind(turn=-1, agent="bot:iggi"), "no turn 0"),
            (AskMind(turn=0, agent="/etc/passwd"), "no agent"),
            (Imagine(turn=0, agent="bot:iggi", sample=-1), "samples"),
            (Imagine(turn=0, agent="bot:iggi", move=0), "cannot be made"),
            (Compare(agent="bot:iggi", other="nobody"), "no agent"),
        ]:
            with pytest.raises(UserError, match=sentence):
                await hall.hear(me, question)

    play(test, tmp_path)


def test_same_deal_comes_again_when_the_game_is_over(tmp_path):
    async def test(hall):
        me = enter(hall)
        await say(hall, me, Create(variant="mini", seats=("human", "bot:iggi")))
        with pytest.raises(UserError, match="when this game is over"):
            await hall.hear(me, Again())
        old = me.table
        await hall.hear(me, GiveUp())
        await hall.hear(me, Again())
        assert old is not me.table
        assert (old.positions[0] == me.table.positions[0]).all()
        assert old.settings.seed == me.table.describe(0)["seed"]

    play(test, tmp_path)


def test_agents_alone_play_while_somebody_watches(tmp_path):
    async def test(hall):
        me = enter(hall)
        await say(hall, me, Create(variant="mini", seats=("bot:iggi", "bot:piers")))
        await settle(hall, me.table)
        assert me.table.is_over
        assert None is me.seat
        with pytest.raises(UserError, match="only watch"):
            await hall.hear(me, Play(turn=me.table.turn, move=0))

    play(test, tmp_path)


def test_agent_that_fails_is_reported_and_asked_again_on_return(tmp_path):
    class Broken:
        def act(self, states, variant, streams):
            raise UserError("it has no ideas.")

    async def test(hall):
        me = enter(hall)
        opened = await say(hall, me, HUMAN_AND_BOT)
        await hall.hear(me, Play(turn=0, move=6))
        assert "bot:iggi cannot move: it has no ideas." == (await hear(me, "error"))["sentence"]
        hall.offers._loaded["bot:iggi"] = scripted_policy("iggi")
        await hall.hear(me, Join(table=opened["table"]["id"], key=opened["key"]))
        assert 2 == (await hear(me, "turn"))["view"]["turn"]

    play(test, tmp_path, **{"bot:iggi": Broken()})


def test_agent_with_memory_is_shown_every_move_once(tmp_path):
    async def test(hall):
        me = enter(hall)
        await say(hall, me, Create(variant="mini", seats=("human", "bot:iggi"), open_mind=True))
        for _ in range(3):
            await hall.hear(me, Play(turn=me.table.turn, move=me.table.view(me.table.turn, 0)["refusals"].index(None)))
            await settle(hall, me.table)
        assert [[1.0], [3.0], [5.0]] == bot.seen_when_acting
        bot.seen_when_acting.clear()
        await say(hall, me, AskMind(turn=4, agent="bot:iggi"), "mind")
        await say(hall, me, Compare(agent="bot:iggi", other="bot:piers"), "compared")
        assert [[4.0], [0.0, 1.0, 2.0, 3.0, 4.0, 5.0, 6.0]] == bot.seen_when_acting

    bot = RememberingBot()
    play(test, tmp_path, **{"bot:iggi": bot})


def test_game_goes_on_when_the_disk_is_full(tmp_path, monkeypatch):
    async def test(hall):
        me = enter(hall)
        await say(hall, me, HUMAN_AND_BOT)
        monkeypatch.setattr(hall.shelf, "write", full)
        await hall.hear(me, Play(turn=0, move=6))
        assert "could not be saved" in (await hear(me, "error"))["sentence"]
        await settle(hall, me.table)
        table = me.table
        hall.leave(me)
        assert {table.id: table} == hall.tables  # not forgotten, since nothing else remembers it

    def full(id, text):
        raise OSError(28, "No space left on device")

    play(test, tmp_path)


def test_slow_disk_holds_up_nobody_and_the_newest_move_is_written(tmp_path, monkeypatch):
    async def test(hall):
        write, gate = hall.shelf.write, threading.Event()
        monkeypatch.setattr(hall.shelf, "write", lambda id, text: (gate.wait(30), write(id, text)))
        me = enter(hall)
        await say(hall, me, HUMAN_AND_BOT)
        await hall.hear(me, Play(turn=0, move=6))
        assert 2 == [await hear(me), await hear(me)][1]["view"]["turn"]  # the game goes on while the disk sleeps
        hall.leave(me)
        again = await say(hall, enter(hall), Join(table=next(iter(hall.tables))), "table")
        assert 2 == again["table"]["turn"]  # from memory: the disk does not know yet
        gate.set()
        await settle(hall, next(iter(hall.tables.values())))
        assert 2 == hall.shelf.newest()[0]["turns"]

    play(test, tmp_path)


def test_page_that_does_not_read_is_hung_up_on(tmp_path):
    async def test(hall):
        me = enter(hall)
        for _ in range(2000):
            me.tell(type="left")
        assert None is me.outbox.get_nowait() or me.outbox.qsize() <= 512

    play(test, tmp_path)


def test_hall_has_room_for_so_many(tmp_path):
    async def test(hall):
        for _ in range(MAX_VISITORS):
            enter(hall)
        with pytest.raises(UserError, match="full"):
            enter(hall)

    play(test, tmp_path)


@pytest.mark.parametrize(
    "message",
    [
        Play(turn=0, move=0),
        Switch(open_hand=True, open_mind=True),
        GiveUp(),
        Again(),
        AskMind(turn=0, agent="bot:iggi"),
    ],
)
def test_nothing_happens_without_a_table(message, tmp_path):
    async def test(hall):
        with pytest.raises(UserError, match="table first"):
            await hall.hear(enter(hall), message)

    play(test, tmp_path)


def test_leaving_lets_go_of_the_table(tmp_path):
    async def test(hall):
        me = enter(hall)
        await say(hall, me, HUMAN_AND_BOT)
        table = me.table
        assert "left" == (await say(hall, me, Leave()))["type"]
        await settle(hall, table)  # it is forgotten only when it is on disk
        assert (None, {}) == (me.table, hall.tables)

    play(test, tmp_path)


def test_recorded_human_game_is_imported(tmp_path, recorded_data):
    text = Path(recorded_data / "hanablive_example_3p.json").read_text(encoding="utf-8")

    async def test(hall):
        me = enter(hall)
        opened = await say(hall, me, Import(text=text))
        assert (3, True, None) == (opened["table"]["players"], opened["table"]["done"], opened["table"]["seat"])
        assert len(opened["views"]) == opened["table"]["turn"] + 1

    play(test, tmp_path)
