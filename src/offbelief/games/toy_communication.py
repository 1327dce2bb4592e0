"""The toy communication game: a pet, a light bulb, a barrier, and two ways to bail out (paper, Section 5, Fig. 3).

Alice sees the pet. She may switch a light on or leave it off (cheap talk), bail out for 1, or pay 5 to remove a
barrier so that Bob sees the pet too. Bob then guesses (+10 or -10) or bails out for 0.5.

Where the paper is silent: the fourth action is leaving the light off; bailing out by Alice ends the game; the price of
the barrier is added to what follows.
"""

from collections.abc import Hashable, Iterable, Sequence

PETS = ("cat", "dog")
ALICE_REWARDS = {"light on": 0.0, "light off": 0.0, "bail": 1.0, "remove barrier": -5.0}
BOB_BAILS = 0.5
RIGHT_GUESS, WRONG_GUESS = 10.0, -10.0

_State = tuple[str, str | None]  # the pet, and what Alice did; ("over", None) at the end
_OVER: _State = ("over", None)


class ToyCommunicationGame:
    """The toy game as a `Game`."""

    name = "toy"
    player_names: Sequence[str] = ("Alice", "Bob")
    max_length = 2
    public_actions = True
    private_legality = False

    def initial_states(self) -> Iterable[tuple[float, _State]]:
        """The pet is a cat or a dog with equal probability."""
        return [(0.5, (pet, None)) for pet in PETS]

    def acting_player(self, state: _State) -> int | None:
        """Alice moves, then Bob."""
        if state == _OVER:
            return None
        return 0 if state[1] is None else 1

    def legal_actions(self, state: _State) -> Sequence[Hashable]:
        """Four actions for Alice, three for Bob."""
        if state[1] is None:
            return tuple(ALICE_REWARDS)
        return ("bail", "guess cat", "guess dog")

    def transitions(self, state: _State, action: Hashable) -> Iterable[tuple[float, float, _State]]:
        """Nothing is random after the deal."""
        pet, alice_did = state
        if alice_did is None:
            reward = ALICE_REWARDS[str(action)]
            return [(1.0, reward, _OVER if action == "bail" else (pet, str(action)))]
        if action == "bail":
            return [(1.0, BOB_BAILS, _OVER)]
        return [(1.0, RIGHT_GUESS if action == f"guess {pet}" else WRONG_GUESS, _OVER)]

    def public_observation(self, state: _State) -> Hashable:
        """Alice's action is public anyway."""
        return None

    def private_observation(self, state: _State, player: int) -> Hashable:
        """Alice sees the pet from the start, Bob once the barrier is gone."""
        pet, alice_did = state
        if (player == 0 and alice_did is None) or (player == 1 and alice_did == "remove barrier"):
            return pet
        return None
