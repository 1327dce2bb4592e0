"""Off-belief learning for zero-shot coordination: exact on small games, deep on Hanabi.

The short public list of names; each is loaded when it is first used, so that ``import offbelief`` stays quick.
"""

import importlib
from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

_HOME = {
    "Belief": "beliefs.exact",
    "Game": "games.contract",
    "GameTables": "games.tables",
    "MatrixGame": "games.simultaneous",
    "OblSettings": "learning.exact_obl",
    "RandomGameSettings": "games.random_game",
    "SampledSettings": "learning.sampled",
    "TabularPolicy": "agents.tabular",
    "TinyHanabi": "games.tiny_hanabi",
    "ToyCommunicationGame": "games.toy_communication",
    "Tree": "games.tree",
    "UserError": "nouns",
    "as_turn_based": "games.simultaneous",
    "best_response": "learning.exact_baselines",
    "check_game": "games.check",
    "cognitive_hierarchy": "learning.exact_baselines",
    "crossplay": "evaluation.crossplay",
    "exact_belief": "beliefs.exact",
    "grounded_belief": "beliefs.exact",
    "k_level": "learning.exact_baselines",
    "lb_obl": "learning.sampled",
    "load_json_game": "games.json_game",
    "obl": "learning.exact_obl",
    "obl_from_belief": "learning.exact_obl",
    "obl_levels": "learning.exact_obl",
    "policy_from_mapping": "agents.tabular",
    "policy_from_probs": "agents.tabular",
    "q_obl": "learning.sampled",
    "random_game": "games.random_game",
    "seat_together": "agents.tabular",
    "self_play_optimum": "learning.exact_baselines",
    "self_play_q_learning": "learning.sampled",
    "subgame_perfect_epsilon": "learning.exact_baselines",
    "uniform_policy": "agents.tabular",
    "unroll": "games.tree",
    "value": "learning.exact_baselines",
}

__all__ = ["__version__", *_HOME]  # noqa: PLE0604

if not TYPE_CHECKING:

    def __getattr__(name: str) -> Any:
        """Load a public name from its home when it is first used."""
        if name not in _HOME:
            raise AttributeError(f"module 'offbelief' has no attribute {name!r}")
        return getattr(importlib.import_module(f"offbelief.{_HOME[name]}"), name)
else:
    # What type checkers see: the same names, imported plainly.
    from offbelief.agents.tabular import (
        TabularPolicy,
        policy_from_mapping,
        policy_from_probs,
        seat_together,
        uniform_policy,
    )
    from offbelief.beliefs.exact import Belief, exact_belief, grounded_belief
    from offbelief.evaluation.crossplay import crossplay
    from offbelief.games.check import check_game
    from offbelief.games.contract import Game
    from offbelief.games.json_game import load_json_game
    from offbelief.games.random_game import RandomGameSettings, random_game
    from offbelief.games.simultaneous import MatrixGame, as_turn_based
    from offbelief.games.tables import GameTables
    from offbelief.games.tiny_hanabi import TinyHanabi
    from offbelief.games.toy_communication import ToyCommunicationGame
    from offbelief.games.tree import Tree, unroll
    from offbelief.learning.exact_baselines import (
        best_response,
        cognitive_hierarchy,
        k_level,
        self_play_optimum,
        subgame_perfect_epsilon,
        value,
    )
    from offbelief.learning.exact_obl import OblSettings, obl, obl_from_belief, obl_levels
    from offbelief.learning.sampled import SampledSettings, lb_obl, q_obl, self_play_q_learning
    from offbelief.nouns import UserError
