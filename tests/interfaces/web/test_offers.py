import json
from pathlib import Path

import pytest

from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.interfaces.web.offers import Offers
from offbelief.nouns import UserError


def make_run(folder, game="mini"):
    folder.mkdir(parents=True)
    (folder / "agent.safetensors").write_bytes(b"weights")
    (folder / "config.json").write_text(json.dumps({"game": game}))


def test_offered_are_zoo_bots_and_finished_runs(tmp_path):
    make_run(tmp_path / "runs" / "mine")
    (tmp_path / "runs" / "unfinished").mkdir()
    make_run(tmp_path / "runs" / "toy", game="toy")
    offered = {agent["name"]: agent for agent in Offers("obl-1-a", tmp_path / "runs").offered()}
    mine = (tmp_path / "runs" / "mine").as_posix()
    assert {"obl-1-a", "bot:iggi", mine} <= set(offered)
    assert "mini" == offered[mine]["variant"]
    assert not any("unfinished" in name or "toy" in name for name in offered)


def test_link_out_of_the_runs_is_not_offered(tmp_path):
    make_run(tmp_path / "elsewhere")
    (tmp_path / "runs").mkdir()
    (tmp_path / "runs" / "link").symlink_to(tmp_path / "elsewhere")
    assert not any("link" in agent["name"] for agent in Offers("bot:iggi", tmp_path / "runs").offered())


@pytest.mark.parametrize(
    "name", ["../elsewhere", "/etc", "bot:../x", "runs/../../elsewhere", "", "human", "bot:iggi/../x"]
)
def test_other_names_are_refused(tmp_path, name):
    make_run(tmp_path / "elsewhere")
    with pytest.raises(UserError, match="no agent"):
        Offers("bot:iggi", tmp_path / "runs").check(name, HanabiVariant())


def test_agent_of_another_variant_is_refused():
    with pytest.raises(UserError, match="trained for full-2p"):
        Offers("obl-1-a", Path("none")).check("obl-1-a", HanabiVariant(players=3))


def test_agent_plays_variants_that_look_alike():
    Offers("obl-1-a", Path("none")).check("obl-1-a", HanabiVariant.parse("full-2p+cards-played"))
