"""What can be wrong with what a user gives. Imports nothing, so that the command line starts quickly."""


class UserError(ValueError):
    """Something the user gave is wrong; the message is one sentence that says what, and what to do.

    The command line prints the message alone and ends with exit code 2.
    """


class GameError(UserError):
    """A game breaks the contract; the message names the state or history."""


class PolicyError(UserError):
    """A policy does not fit its game; the message names the history."""
