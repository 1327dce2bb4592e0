"""The one command `obl`.

Each verb is a module of `offbelief.interfaces.verbs` with a dataclass `Arguments` and a function `run` that returns the
exit code. A verb's module, and whatever it imports, is loaded only when the verb is called, so `obl --help` is quick.
Bad input ends with exit code 2 and one sentence.
"""

import contextlib
import difflib
import importlib
import io
import os
import sys
from collections.abc import Sequence

from offbelief import __version__
from offbelief.errors import UserError

VERBS = {
    "solve": "exact OBL, baselines and cross-play on a small game",
    "toy": "the paper's toy figure: cross-play of SP, OBL and CH, exact and sampled",
    "demo": "train two small agents, pair them and write a report: a few minutes",
    "train": "train a policy by preset",
    "resume": "go on with a run that was stopped",
    "evaluate": "play agents together and report their score",
    "crossplay": "pair agents with each other: self-play, cross-play and the matrix",
    "report": "one HTML page about runs: curves, scores, cross-play, a game told move by move",
    "play": "play Hanabi with an agent, on a web page or in the terminal",
    "watch": "watch a game in the terminal, move by move, with what the agents think",
    "zoo": "the trained agents that come with the package",
    "replay": "replay recorded Hanabi games and check their scores",
    "bench": "our hot paths beside their rivals, in one run",
    "doctor": "versions, threads, and what is missing",
}

BAD_INPUT = 2
INTERRUPTED = 130


def main(arguments: Sequence[str] | None = None) -> int:
    """Run one verb and return the exit code."""
    words = list(sys.argv[1:] if arguments is None else arguments)
    if not words or words[0] in ("-h", "--help", "help"):
        print(_help())
        return 0
    if words[0] == "--version":
        print(f"offbelief {__version__}")
        return 0
    verb = words[0]
    if verb not in VERBS:
        close = difflib.get_close_matches(verb, VERBS, n=1)
        hint = f" Did you mean '{close[0]}'?" if close else ""
        print(f"obl: there is no verb '{verb}'; 'obl --help' lists them.{hint}", file=sys.stderr)
        return BAD_INPUT
    try:
        return _run(verb, words[1:])
    except UserError as error:
        print(f"obl {verb}: {error}", file=sys.stderr)
        return BAD_INPUT
    except KeyboardInterrupt:
        print(f"obl {verb}: stopped by Ctrl-C; run the same command again to start over.", file=sys.stderr)
        return INTERRUPTED
    except BrokenPipeError:  # the reader of our output (head, less) has gone; that is no error
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 0
    except OSError as error:
        where = f" ({error.filename})" if error.filename else ""
        print(f"obl {verb}: {error.strerror or error}{where}.", file=sys.stderr)
        return BAD_INPUT


def _run(verb: str, words: list[str]) -> int:
    import tyro

    module = importlib.import_module(f"offbelief.interfaces.verbs.{verb}")
    complaint = io.StringIO()
    try:
        with contextlib.redirect_stderr(complaint):
            parsed = tyro.cli(
                module.Arguments,
                args=words,
                prog=f"obl {verb}",
                description=module.__doc__,
                config=(tyro.conf.FlagCreatePairsOff,),
            )
    except SystemExit as ended:
        if ended.code != BAD_INPUT:  # --help ends with 0
            raise
        raise UserError(_as_sentence(complaint.getvalue(), verb)) from None
    code = module.run(parsed)
    sys.stdout.flush()
    return int(code)


def _as_sentence(complaint: str, verb: str) -> str:
    """Turn tyro's box about the options into one line."""
    lines = (line.strip("╰╯│─ \t") for line in complaint.splitlines() if not line.startswith("╭"))
    said = " ".join(line for line in lines if line)
    said = said.partition("For full helptext")[0].strip("─ ")
    return f"{said.rstrip('.')}; 'obl {verb} --help' explains the options."


def _help() -> str:
    width = max(len(verb) for verb in VERBS)
    lines = [
        "usage: obl VERB ...",
        "",
        "Off-belief learning for zero-shot coordination: exact on small games, deep on Hanabi.",
        "",
        *(f"  obl {verb.ljust(width)}  {meaning}" for verb, meaning in VERBS.items()),
        "",
        "Try:  obl solve toy",
        "'obl VERB --help' explains a verb with an example; 'obl --version' prints the version.",
    ]
    return "\n".join(lines)


if __name__ == "__main__":
    sys.exit(main())
