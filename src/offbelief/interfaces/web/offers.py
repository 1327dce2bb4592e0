"""Which agents a page may name: those of the zoo, scripted players, finished runs, and the one given at the start.

A page names an agent by a word of this list, never by a path, so nothing outside the zoo and the folder of runs can be
opened through it. Weights are read by `offbelief.agents.loading`, which reads safetensors alone.
"""

import json
from pathlib import Path
from typing import Any

from offbelief.agents.loading import BOT, Agent, load_agent, zoo_card, zoo_names
from offbelief.agents.recurrent_agent import plays_alike
from offbelief.agents.scripted.bots import RULE_LISTS
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.nouns import UserError


class Offers:
    """The agents on offer.

    Args:
        favourite: The agent that the page proposes; offered whatever it is, since whoever starts the server named it.
        runs: Folder whose finished runs are offered, too.
    """

    def __init__(self, favourite: str, runs: Path) -> None:
        self.favourite = favourite
        self.runs = runs
        self._loaded: dict[str, Agent] = {}
        self._known: dict[str, dict[str, Any]] = {}

    def offered(self) -> list[dict[str, Any]]:
        """Every agent: name, kind (zoo, run, bot), its variant or None if it plays all, and its mean score if known."""
        found = [
            {"name": name, "kind": "zoo", "variant": card.get("game"), "score": card.get("score")}
            for name in zoo_names()
            for card in [zoo_card(name)]
        ]
        found += [{"name": name, "kind": "run", "variant": game, "score": None} for name, game in self._finished()]
        found += [{"name": BOT + name, "kind": "bot", "variant": None, "score": None} for name in RULE_LISTS]
        if self.favourite not in {agent["name"] for agent in found}:
            variant = self._variant_of(self.load(self.favourite))
            found.insert(0, {"name": self.favourite, "kind": "run", "variant": variant, "score": None})
        self._known = {str(agent["name"]): agent for agent in found}
        return found

    def check(self, name: str, variant: HanabiVariant) -> None:
        """Refuse an agent that is not on offer, or that was trained for another variant."""
        if name not in self._known:
            self.offered()  # it may be a run that has just been finished
        if name not in self._known:
            raise UserError(f"There is no agent {name[:80]!r} here; choose one of the list.")
        trained = self._known[name]["variant"]
        if trained is not None and not plays_alike(HanabiVariant.parse(trained), variant):
            raise UserError(f"{name} was trained for {trained} and cannot play {variant.name}.")

    def load(self, name: str) -> Agent:
        """Load an agent, once. For the thread that thinks."""
        if name not in self._loaded:
            self._loaded[name] = load_agent(name)
        return self._loaded[name]

    def _finished(self) -> list[tuple[str, str]]:
        """Finished runs with their variants; a link that leads out of the folder is none."""
        if not self.runs.is_dir():
            return []
        root = self.runs.resolve()
        finished = []
        for folder in sorted(self.runs.iterdir()):
            weights = folder / "agent.safetensors"
            if folder.is_dir() and weights.is_file() and weights.resolve().is_relative_to(root):
                try:
                    game = json.loads((folder / "config.json").read_text(encoding="utf-8"))["game"]
                    finished.append((folder.as_posix(), HanabiVariant.parse(game).name))
                except (OSError, ValueError, KeyError, TypeError, AttributeError):
                    continue  # no run of Hanabi, or still being written
        return finished

    @staticmethod
    def _variant_of(agent: Agent) -> str | None:
        game = getattr(agent, "game", None)
        return None if game is None else str(game.variant.name)
