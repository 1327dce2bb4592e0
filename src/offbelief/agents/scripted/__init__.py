"""Scripted players of Hanabi as batched policies: uniformly random, and rule lists from the literature."""

from offbelief.agents.scripted.bots import RULE_LISTS, ScriptedPolicy, Step, scripted_policy

__all__ = ["RULE_LISTS", "ScriptedPolicy", "Step", "scripted_policy"]
