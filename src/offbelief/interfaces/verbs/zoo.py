"""The trained agents that come with the package, and the beliefs that they were built on.

'obl zoo' lists them; 'obl zoo info NAME' shows a card: how it was made and what it scores.

Example: obl zoo info obl-1-a
"""

import json
from dataclasses import dataclass
from typing import Literal

import tyro

from offbelief.agents.loading import zoo_beliefs, zoo_card, zoo_names
from offbelief.nouns import UserError


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """What to show."""

    what: tyro.conf.Positional[Literal["list", "info"]] = "list"
    """list, or info NAME."""
    name: tyro.conf.Positional[str] = ""
    """An agent or belief, for info."""
    json: bool = False
    """Print JSON."""


def run(arguments: Arguments) -> int:
    """Show the zoo or one card."""
    if arguments.what == "info":
        if not arguments.name:
            raise UserError(f"Say whose card: 'obl zoo info NAME' with one of {', '.join(zoo_names())}.")
        card = zoo_card(arguments.name)
        if arguments.json:
            print(json.dumps(card))
        else:
            for key, value in card.items():
                print(f"{key:12} {value}")
        return 0
    cards = {name: zoo_card(name) for name in zoo_names() + zoo_beliefs()}
    if arguments.json:
        print(json.dumps(cards))
        return 0
    width = max(map(len, cards), default=0)
    for name, card in cards.items():
        if "score" in card:
            worth = f"{card['score']:.2f} ± {card['sem']:.2f}"
        else:
            worth = f"{card['nats_a_card']:.3f} nats a card ({card['nats_a_card_grounded']:.3f} by counting)"
        print(f"{name:{width}}  {worth}  {card['game']}, {card['cpu_minutes']:.0f} CPU-minutes")
    if not cards:
        print("The zoo is empty.")
    return 0
