"""Off-belief learning for zero-shot coordination: exact on small games, deep on Hanabi.

The short public list of names; each is loaded when it is first used, so that ``import offbelief`` stays quick.
`__init__.pyi` says the same to type checkers.
"""

import importlib
from typing import Any

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
    "load_agent": "agents.loading",
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

__all__ = ["__version__", *_HOME]


def __getattr__(name: str) -> Any:
    """Load a public name from its home when it is first used."""
    if name not in _HOME:
        raise AttributeError(f"module 'offbelief' has no attribute {name!r}")
    return getattr(importlib.import_module(f"offbelief.{_HOME[name]}"), name)
