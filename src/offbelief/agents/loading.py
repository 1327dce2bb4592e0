"""Agents by name: a scripted player, a run's folder, or an agent of the zoo that comes with the package."""

import json
from collections.abc import Sequence
from importlib import resources
from pathlib import Path
from typing import Any, TypeAlias

import torch
from torch import nn

from offbelief.agents.acting import choose_moves, look
from offbelief.agents.checkpoint import load_tensors
from offbelief.agents.memory_agent import MemoryAgent
from offbelief.agents.networks.building import build_network, build_recurrent, read_network
from offbelief.agents.networks.recurrent import RecurrentSettings
from offbelief.agents.recurrent_agent import RecurrentAgent, plays_alike
from offbelief.agents.scripted import ScriptedPolicy, scripted_policy
from offbelief.agents.seat_views import hanabi_views
from offbelief.beliefs.building import Belief, build_belief, read_hand_settings
from offbelief.beliefs.hanabi_game import HanabiGame, ViewSettings
from offbelief.beliefs.hand_model import LearnedBelief
from offbelief.games.batched import NO_MOVE
from offbelief.games.hanabi.variant import HanabiVariant
from offbelief.nouns import AnyArray, IntArray, UserError

BOT = "bot:"


class NetworkAgent:
    """A trained network that plays its best move, or softly around it.

    Args:
        name: what reports call it.
        game: what it was trained for.
        network: the network.
        device: where the network is; the CPU if left out.
    """

    def __init__(self, name: str, game: HanabiGame, network: nn.Module, device: torch.device | None = None) -> None:
        self.name = name
        self.game = game
        self.network = network
        self.device = device or torch.device("cpu")
        self.temperature = 0.0
        """Of its moves; 0 plays the best one."""

    def act(self, states: AnyArray, variant: HanabiVariant, streams: AnyArray) -> IntArray:
        """[B] moves; NO_MOVE where the game is over. Draws from the streams only if the temperature is not 0."""
        if not plays_alike(variant, self.game.variant):
            raise UserError(f"{self.name} was trained for {self.game.name} and cannot play {variant.name}.")
        moves = choose_moves(self.network, look(self.game, states, self.device), self.temperature, streams)
        moves[states["is_over"]] = NO_MOVE
        return moves


Agent: TypeAlias = NetworkAgent | MemoryAgent | RecurrentAgent | ScriptedPolicy


def load_agent(name: str, device: torch.device | None = None, *, temperature: float = 0.0) -> Agent:
    """Load an agent by name: ``bot:iggi``, ``runs/obl-1-2p-0``, or one that ``obl zoo`` lists.

    Args:
        name: whom.
        device: where its network computes; the CPU if left out.
        temperature: of its moves; 0 plays the best one.

    Raises:
        UserError: there is no such agent, its weights are broken, or it knows no temperature.
    """
    agent = _load_agent(name, device)
    if temperature != 0.0:
        if not isinstance(agent, NetworkAgent | MemoryAgent):
            raise UserError(f"{name} cannot play softly: only card-wise networks know a temperature; set it to 0.")
        agent.temperature = temperature
    return agent


def _load_agent(name: str, device: torch.device | None) -> Agent:
    if name.startswith(BOT):
        return scripted_policy(name.removeprefix(BOT))
    if Path(name).is_dir():
        weights = Path(name) / "agent.safetensors"
        if not weights.exists():
            raise UserError(f"The run {name} is not finished; go on with 'obl resume {name}' first.")
        return _load_network(name, weights, device)
    if name in zoo_names():
        with resources.as_file(_zoo() / f"{name}.safetensors") as weights:
            return _load_network(name, weights, device)
    known = ", ".join(zoo_names()) or "nobody yet"
    raise UserError(
        f"There is no agent '{name}'; give a run's folder, a scripted player (bot:iggi), or one of the zoo: {known}."
    )


def load_table(
    names: Sequence[str], variant: str | None, device: torch.device | None = None
) -> tuple[dict[str, Agent], HanabiVariant]:
    """Load agents and settle what they play: the variant named, else that of the first trained agent, else full-2p."""
    agents = {name: load_agent(name, device) for name in names}
    if variant is not None:
        return agents, HanabiVariant.parse(variant)
    trained = [agent.game.variant for agent in agents.values() if not isinstance(agent, ScriptedPolicy)]
    return agents, trained[0] if trained else HanabiVariant()


def zoo_names() -> list[str]:
    """The agents that come with the package."""
    return _stems(_zoo())


def zoo_beliefs() -> list[str]:
    """The learned beliefs that come with the package."""
    return _stems(_zoo() / "beliefs")


def zoo_card(name: str) -> dict[str, Any]:
    """What is known of an agent or belief of the zoo: command, seed, minutes, score, parents, versions."""
    folder = _zoo() / "beliefs" if name in zoo_beliefs() else _zoo()
    if name not in _stems(folder):
        known = ", ".join(zoo_names() + zoo_beliefs()) or "nobody yet"
        raise UserError(f"There is no '{name}' in the zoo; it holds {known}.")
    card: dict[str, Any] = json.loads((folder / f"{name}.json").read_text(encoding="utf-8"))
    return card


def zoo_config(name: str) -> dict[str, Any]:
    """The config of the run that made an agent or belief of the zoo, as config.json had it."""
    folder = _zoo() / "beliefs" if name in zoo_beliefs() else _zoo()
    with resources.as_file(folder / f"{name}.safetensors") as weights:
        config: dict[str, Any] = load_tensors(weights)[1]["config"]
    return config


def _stems(folder: Any) -> list[str]:
    names = (Path(entry.name) for entry in folder.iterdir()) if folder.is_dir() else iter(())
    return sorted(path.stem for path in names if path.suffix == ".safetensors")


def _zoo() -> Any:
    return resources.files("offbelief.agents") / "zoo"


def load_belief(name: str, device: torch.device | None = None) -> Belief:
    """Load a learned belief by name: the folder of a belief run, or one of the zoo.

    Raises:
        UserError: there is no such belief, or its weights are broken.
    """
    if Path(name).is_dir():
        weights = Path(name) / "belief.safetensors"
        if not weights.exists():
            raise UserError(f"{name} holds no finished belief; train one with 'obl train belief-2p --of AGENT'.")
        return _load_belief(weights, device)
    if name in zoo_beliefs():
        with resources.as_file(_zoo() / "beliefs" / f"{name}.safetensors") as weights:
            return _load_belief(weights, device)
    known = ", ".join(zoo_beliefs()) or "none yet"
    raise UserError(f"There is no belief '{name}'; give the folder of a belief run, or one of the zoo: {known}.")


def _load_belief(weights: Path, device: torch.device | None) -> Belief:
    tensors, metadata = load_tensors(weights)
    try:
        config = metadata["config"]
        belief = build_belief(config["game"], read_hand_settings(config["model"]), device)
        belief.model.load_state_dict(tensors)
    except (KeyError, TypeError, RuntimeError) as error:
        raise UserError(f"The weights at {weights} do not fit this version of offbelief: {error}.") from None
    belief.model.eval()
    return belief


def _load_network(name: str, weights: Path, device: torch.device | None) -> NetworkAgent | MemoryAgent | RecurrentAgent:
    tensors, metadata = load_tensors(weights)
    try:
        config = metadata["config"]
        settings = read_network(config["network"])
        if isinstance(settings, RecurrentSettings):
            game = HanabiGame(config["game"], "v0-belief")
            views = hanabi_views(game, greedy_move=config["view"]["announced"])
            recurrent = build_recurrent(views, settings)
            recurrent.load_state_dict(tensors)
            return RecurrentAgent(name, game, views, recurrent.eval().to(device or "cpu"))
        game = HanabiGame(config["game"], view=ViewSettings(**config.get("view", {})))
        network = build_network(game, settings)
        network.load_state_dict(tensors)
    except (KeyError, TypeError, RuntimeError) as error:
        raise UserError(f"The weights at {weights} do not fit this version of offbelief: {error}.") from None
    network = network.eval().to(device or "cpu")
    if not game.view.memory:
        return NetworkAgent(name, game, network, device)
    named = config.get("belief", "")
    there = named in zoo_beliefs() or (Path(named) / "belief.safetensors").exists()
    belief = load_belief(named, device) if named and there else None
    # One that remembers a seat's history cannot be asked about a position alone.
    return MemoryAgent(name, game, network, device, belief if isinstance(belief, LearnedBelief) else None)
