"""Small games that separate the two readings of OBL from each other and from the paper's theorems.

`disagreement` (CE1): the counterfactual and the Bellman form choose differently for a uniform pi0. `no_improvement`
(CE2): the Bellman form gets worse than pi0, so Theorem 2 does not hold for it. `softmax_gap` (CE4): one decision that
loses exactly T * W((N-1)/e) against its best action, more than the T/e of the paper's Lemma 2. docs/operator.md draws
the first as a tree.
"""

from typing import Any

from offbelief.games.json_game import JsonGame


def disagreement() -> JsonGame:
    """CE1: Bob's "continue" is bad news in pi0's world and good news in truth.

    Alice may take a safe 0.6 or go on. Bob, who knows whether the prize is good, may stop or continue; Alice may then
    quit, or collect +2 (good) or -1 (bad). A uniform Bob continues with a bad prize as often as with a good one, so a
    new draw of the belief at Alice's second turn makes her quit too often: Q(go) is 0.25, where it is really 1.
    """
    states: dict[str, Any] = {}
    for kind, prize in (("good", 2.0), ("bad", -1.0)):
        states[kind] = {
            "player": "Alice",
            "private": {"Bob": f"{kind} prize"},
            "actions": {"safe": {"reward": 0.6}, "go": {"next": f"{kind}, go"}},
        }
        states[f"{kind}, go"] = {"player": "Bob", "actions": {"stop": {}, "continue": {"next": f"{kind}, continue"}}}
        states[f"{kind}, continue"] = {"player": "Alice", "actions": {"quit": {}, "collect": {"reward": prize}}}
    return JsonGame(
        {
            "name": "disagreement",
            "players": ["Alice", "Bob"],
            "start": {"good": 0.5, "bad": 0.5},
            "states": states,
        }
    )


def no_improvement(*, pay_early: bool = False) -> JsonGame:
    """CE2: Alice stops for -0.5, or goes on and Bob chooses a or b, knowing his type.

    The return of Bob's choice is paid at a dummy move of Alice's; by then, Bellman-Alice interprets the choice as a
    uniform Bob's and expects -20 too often. Paid at Bob's move (`pay_early`), it is counted as what it is.
    """
    states: dict[str, Any] = {}
    for kind, returns in (("good", {"a": 1.0, "b": -20.0}), ("bad", {"a": 0.9, "b": 1.0})):
        states[kind] = {
            "player": "Alice",
            "private": {"Bob": f"{kind} type"},
            "actions": {"stop": {"reward": -0.5}, "go": {"next": f"{kind}, go"}},
        }
        choices: dict[str, Any] = {}
        for choice, paid in returns.items():
            choices[choice] = {"next": f"{kind}, {choice}", "reward": paid if pay_early else 0.0}
            states[f"{kind}, {choice}"] = {
                "player": "Alice",
                "actions": {"see": {"reward": 0.0 if pay_early else paid}},
            }
        states[f"{kind}, go"] = {"player": "Bob", "actions": choices}
    return JsonGame(
        {
            "name": "no-improvement",
            "players": ["Alice", "Bob"],
            "start": {"good": 0.1, "bad": 0.9},
            "states": states,
        }
    )


def softmax_gap(num_actions: int, loss: float) -> JsonGame:
    """CE4: one decision; the first action pays nothing and every other one costs `loss`."""
    actions = {f"action {number}": {"reward": 0.0 if number == 0 else -loss} for number in range(num_actions)}
    return JsonGame(
        {"name": "softmax-gap", "players": 1, "start": "start", "states": {"start": {"player": 0, "actions": actions}}}
    )
