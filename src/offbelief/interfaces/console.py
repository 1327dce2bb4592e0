"""The terminal that verbs print tables to."""

from typing import NoReturn

from rich.console import Console


class TableConsole(Console):
    """A rich console that leaves a reader who has gone away (head, less) to the command line, where it is no error."""

    def on_broken_pipe(self) -> NoReturn:
        """Pass the error on instead of ending with exit code 1."""
        raise BrokenPipeError
