"""The documentation does what it says: examples run, outputs are what is printed, links and navigation are whole.

How an example is written decides how it is checked. Every page is read from top to bottom in one empty folder:

- ```python: runs, all blocks of a page in one namespace; a ```text block right after it is what it prints;
- ```console: every line `$ obl ...` runs and ends with exit code 0, and prints the lines below it;
- ```console fails: the same, but the command ends with exit code 2;
- ```console with no `$` is a list of commands: they are not run, but their verbs and options exist;
- ```console slow, ```python slow: only checked with the slow tests, apart from the rest of the page;
- ```json game: a valid game, saved as my_game.json for the commands below it.

In an expected output, `...` stands for anything.
"""

import contextlib
import importlib.util
import io
import json
import re
import shlex
import subprocess
import sys
import traceback
from dataclasses import dataclass
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest
import yaml

import offbelief
from offbelief.games.json_game import JsonGame, load_json_game
from offbelief.interfaces.cli import main

ROOT = Path(__file__).parents[1]
DOCS = ROOT / "docs"
PAGES = sorted([ROOT / "README.md", ROOT / "CONTRIBUTING.md", *DOCS.rglob("*.md")])
COLUMNS = "100"


@dataclass(frozen=True)
class Block:
    """A fenced block of a page."""

    line: int
    language: str
    words: tuple[str, ...]
    text: str
    follows_directly: bool
    """Nothing but empty lines stands between this block and the one before."""


def read_blocks(page: Path) -> list[Block]:
    blocks: list[Block] = []
    lines = page.read_text(encoding="utf-8").splitlines()
    number, last_end = 0, -1
    while number < len(lines):
        if lines[number].startswith("```"):
            language, *words = lines[number][3:].split() or [""]
            end = next((index for index in range(number + 1, len(lines)) if lines[index] == "```"), None)
            assert end is not None, f"{page}:{number + 1} opens a block that never ends"
            between = lines[last_end + 1 : number]
            direct = last_end >= 0 and not any(line.strip() for line in between)
            text = "".join(line + "\n" for line in lines[number + 1 : end])
            blocks.append(Block(number + 1, language, tuple(words), text, direct))
            number = last_end = end
        number += 1
    return blocks


def expected_output(blocks: list[Block], index: int) -> str | None:
    """The text block right after a Python block, if there is one."""
    after = blocks[index + 1] if index + 1 < len(blocks) else None
    return after.text if after and after.language == "text" and after.follows_directly else None


def read_commands(block: Block) -> list[tuple[str, str]]:
    """Every command of a console block with what it prints."""
    commands: list[tuple[str, str]] = []
    for line in block.text.splitlines():
        if line.startswith("$ "):
            commands.append((line[2:], ""))
        elif commands:
            commands[-1] = (commands[-1][0], f"{commands[-1][1]}{line}\n")
    return commands


def is_as_expected(expected: str, actual: str) -> bool:
    pattern = re.escape(tidy(expected)).replace(re.escape("..."), ".*")
    return re.fullmatch(pattern, tidy(actual), re.DOTALL) is not None


def tidy(text: str) -> str:
    return "\n".join(line.rstrip() for line in text.splitlines()).strip("\n")


def run_python(page: Path, block: Block, names: dict[str, Any]) -> str:
    printed = io.StringIO()
    source = "\n" * block.line + block.text  # so that a traceback names the line of the page
    try:
        with contextlib.redirect_stdout(printed):
            exec(compile(source, str(page), "exec"), names)
    except Exception:
        pytest.fail(f"{name_of(page)}:{block.line}: the example fails\n{traceback.format_exc()}")
    return printed.getvalue()


def run_command(command: str) -> tuple[int, str]:
    """Run `obl ...` in this process; gives the exit code and everything it prints."""
    printed = io.StringIO()
    try:
        with contextlib.redirect_stdout(printed), contextlib.redirect_stderr(printed):
            code = main(shlex.split(command)[1:])
    except SystemExit as stopped:
        code = stopped.code if isinstance(stopped.code, int) else 1
    return code, printed.getvalue()


def check_page(page: Path, *, slow: bool) -> None:
    """Run the examples of a page in the current folder."""
    names: dict[str, Any] = {"__name__": "page"}
    blocks = read_blocks(page)
    for index, block in enumerate(blocks):
        where = f"{name_of(page)}:{block.line}"
        if block.language == "json" and "game" in block.words:
            Path("my_game.json").write_text(block.text, encoding="utf-8")
            offbelief.check_game(load_json_game("my_game.json"))
        if slow != ("slow" in block.words):
            continue
        if block.language == "python":
            printed, expected = run_python(page, block, names), expected_output(blocks, index)
            if expected is not None and not is_as_expected(expected, printed):
                pytest.fail(f"{where}: the example prints\n{printed}\nbut the page says\n{expected}")
        elif block.language == "console":
            for command, expected in read_commands(block):
                if not command.startswith("obl "):
                    continue
                code, printed = run_command(command)
                wanted = 2 if "fails" in block.words else 0
                assert wanted == code, f"{where}: '{command}' ends with {code}\n{printed}"
                if not is_as_expected(expected, printed):
                    pytest.fail(f"{where}: '{command}' prints\n{printed}\nbut the page says\n{expected}")


def name_of(page: Path) -> str:
    return page.relative_to(ROOT).as_posix()


def pages_with_examples(*, slow: bool) -> list[Path]:
    return [
        page
        for page in PAGES
        if any(
            slow == ("slow" in block.words) and (block.language in ("python", "console") or "game" in block.words)
            for block in read_blocks(page)
        )
    ]


@pytest.fixture(autouse=True)
def empty_folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", COLUMNS)
    return tmp_path


@pytest.mark.parametrize("page", pages_with_examples(slow=False), ids=name_of)
def test_examples_run_and_print_what_the_page_says(page: Path) -> None:
    check_page(page, slow=False)


@pytest.mark.slow
@pytest.mark.parametrize("page", pages_with_examples(slow=True), ids=name_of)
def test_slow_examples_run_and_print_what_the_page_says(page: Path) -> None:
    check_page(page, slow=True)


def test_blocks_are_written_in_a_known_way() -> None:
    """A misspelt mark would quietly leave an example unchecked."""
    known = {"python": {"slow"}, "console": {"slow", "fails"}, "json": {"game"}}
    for page in PAGES:
        for block in read_blocks(page):
            unknown = set(block.words) - known.get(block.language, set())
            assert not unknown, f"{name_of(page)}:{block.line}: a {block.language} block with {unknown}"
            if block.language == "console" and read_commands(block):
                assert block.text.startswith("$ "), f"{name_of(page)}:{block.line}: lines before the first command"


def test_listed_commands_have_known_verbs_and_options() -> None:
    for page in PAGES:
        for block in read_blocks(page):
            if block.language != "console" or read_commands(block):
                continue
            for words in (shlex.split(line, comments=True) for line in block.text.splitlines()):
                if words[:1] != ["obl"] or words[1].startswith("-"):
                    continue
                code, printed = run_command(f"obl {words[1]} --help")
                assert 0 == code, f"{name_of(page)}:{block.line}: {words}"
                for option in words[2:]:
                    assert not option.startswith("-") or option in printed, f"{name_of(page)}:{block.line}: {option}"


def read_nav() -> list[str]:
    def pages_of(entry: Any) -> list[str]:
        if isinstance(entry, str):
            return [entry]
        return [page for part in (entry.values() if isinstance(entry, dict) else entry) for page in pages_of(part)]

    return pages_of(yaml.safe_load((ROOT / "mkdocs.yml").read_text(encoding="utf-8"))["nav"])


def test_navigation_lists_every_page_once() -> None:
    listed = read_nav()
    assert len(set(listed)) == len(listed)
    assert sorted(page.relative_to(DOCS).as_posix() for page in DOCS.rglob("*.md")) == sorted(listed)


def test_relative_links_lead_to_files_and_headings() -> None:
    broken = []
    for page in PAGES:
        prose = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
        for target in re.findall(r"\]\(([^)\s]+)\)", prose) + re.findall(r'(?:src|href)="([^"]+)"', prose):
            if re.match(r"[a-z]+:", target):
                continue
            path, _, heading = target.partition("#")
            linked = (page.parent / path).resolve() if path else page
            if not linked.exists() or (heading and heading not in headings_of(linked)):
                broken.append(f"{name_of(page)}: {target}")
    assert [] == broken


def headings_of(page: Path) -> set[str]:
    """The anchors of a page's headings, as mkdocs and GitHub spell them."""
    prose = re.sub(r"^```.*?^```$", "", page.read_text(encoding="utf-8"), flags=re.DOTALL | re.MULTILINE)
    titles = re.findall(r"^#+ (.+)$", prose, flags=re.MULTILINE)
    return {re.sub(r"[\s-]+", "-", re.sub(r"[^\w\s-]", "", title.lower()).strip()) for title in titles}


def test_documentation_builds_without_a_warning(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--site-dir", str(tmp_path / "site")]
    built = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert 0 == built.returncode, built.stderr  # no --quiet: it would hide the warnings from --strict, too
    page = (tmp_path / "site" / "games" / "json.html").read_text(encoding="utf-8")
    assert "```" not in page, "a fence was not recognised"
    assert not list((tmp_path / "site").rglob("*.py"))


def load_figures() -> ModuleType:
    spec = importlib.util.spec_from_file_location("make_figures", DOCS / "figures" / "make_figures.py")
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_figures_show_what_the_library_computes_now(tmp_path: Path) -> None:
    """Renew them with `python docs/figures/make_figures.py`. Every text in an SVG stands in a comment beside it."""
    written = load_figures().save(tmp_path)
    assert sorted(path.name for path in DOCS.glob("figures/*.svg")) == sorted(path.name for path in written)
    for path in written:
        committed = DOCS / "figures" / path.name
        assert texts_of(committed) == texts_of(path), f"{committed} is out of date"
        assert texts_of(path)


def texts_of(picture: Path) -> list[str]:
    return re.findall(r"<!-- (.*?) -->", picture.read_text(encoding="utf-8"), flags=re.DOTALL)


def broken_games() -> list[tuple[str, Any]]:
    """One game for every row of the table of mistakes in docs/games/json.md, in its order."""
    good: dict[str, Any] = {
        "name": "signal",
        "players": ["Alice", "Bob"],
        "start": {"cat": 0.5, "dog": 0.5},
        "states": {
            "cat": {"player": "Alice", "private": {"Alice": "cat"}, "actions": {"meow": {"next": "cat told"}}},
            "dog": {"player": "Alice", "private": {"Alice": "dog"}, "actions": {"meow": {"next": "dog told"}}},
            "cat told": {"player": "Bob", "actions": {"guess cat": {"reward": 10}, "guess dog": {"reward": -10}}},
            "dog told": {"player": "Bob", "actions": {"guess cat": {"reward": -10}, "guess dog": {"reward": 10}}},
        },
    }

    def change(*path: str, to: Any) -> dict[str, Any]:
        broken: dict[str, Any] = json.loads(json.dumps(good))
        inner: Any = broken
        for key in path[:-1]:
            inner = inner[key]
        inner[path[-1]] = to
        return broken

    def drop(*path: str) -> dict[str, Any]:
        broken = change(*path, to=None)
        inner: Any = broken
        for key in path[:-1]:
            inner = inner[key]
        del inner[path[-1]]
        return broken

    def text(changed: dict[str, Any], old: str, new: str) -> str:
        return json.dumps(changed).replace(old, new, 1)

    half = {"probability": 0.5, "next": "cat told"}
    huge = text(good, '"reward": 10', f'"reward": 1{"0" * 400}')
    return [
        ("no such file", None),
        ("not text", b"\xff"),
        ("not JSON", json.dumps(good)[:-1]),
        ("a name twice", text(good, '"dog": {', '"cat": {')),
        ("not an object", "[]"),
        ("unknown key", change("state", to={})),
        ("missing key", drop("start")),
        ("players", change("players", to="Alice")),
        ("player twice", change("players", to=["Alice", "Alice"])),
        ("flag", change("public_actions", to="no")),
        ("max_length", change("max_length", to=0)),
        ("no states", change("states", to={})),
        ("start", change("start", to=0.5)),
        ("start state", change("start", to={"cat": 0.5, "dogg": 0.5})),
        ("start probability", change("start", to={"cat": "half", "dog": 0.5})),
        ("start sum", change("start", to={"cat": 0.5, "dog": 0.4})),
        ("unknown player", change("states", "cat", "player", to="Carol")),
        ("players at once", change("states", "cat", "player", to=["Alice", "Bob"])),
        ("private", change("states", "cat", "private", to="cat")),
        ("no actions", change("states", "cat", "actions", to={})),
        ("no outcome", change("states", "cat", "actions", "meow", to=[])),
        ("no probability", change("states", "cat", "actions", "meow", to=[half, {"next": "cat told"}])),
        ("outcome sum", change("states", "cat", "actions", "meow", to=[half, {**half, "probability": 0.4}])),
        ("zero probability", change("states", "cat", "actions", "meow", to={"probability": 0})),
        ("reward", change("states", "cat told", "actions", "guess cat", "reward", to="ten")),
        ("huge reward", huge),
        ("infinite reward", text(good, '"reward": 10', '"reward": Infinity')),
        ("next", change("states", "cat", "actions", "meow", "next", to="cat tlod")),
        ("loop", change("states", "cat told", "actions", "guess cat", "next", to="cat")),
        ("too long", change("max_length", to=1)),
        ("unknown legality", change("states", "dog told", "actions", to={"guess dog": {"reward": 10}})),
        ("legality leaks", change("states", "dog", "actions", to={"woof": {"next": "dog told"}})),
    ]


def read_mistakes() -> list[str]:
    """The sentences of the table in docs/games/json.md."""
    page = (DOCS / "games" / "json.md").read_text(encoding="utf-8")
    table = page.partition("| mistake | the sentence |")[2].partition("\n\n")[0]
    return [row.split(" | ", 1)[1].removesuffix(" |").strip("`") for row in table.splitlines()[2:]]


def test_every_mistake_in_a_game_file_gets_the_sentence_on_the_page(tmp_path: Path) -> None:
    complaints = []
    path = tmp_path / "my_game.json"
    for _, game in broken_games():
        if isinstance(game, bytes):
            path.write_bytes(game)
        elif game is not None:
            path.write_text(game if isinstance(game, str) else json.dumps(game), encoding="utf-8")
        code, printed = run_command(f"obl solve {path.name}")
        assert 2 == code
        complaints.append(tidy(printed).removeprefix("obl solve: "))
    assert read_mistakes() == complaints


@pytest.mark.parametrize("text", ["[" * 100_000 + "]" * 100_000, "1" * 5_000, ""], ids=["deep", "digits", "empty"])
def test_monstrous_game_file_gets_a_sentence(tmp_path: Path, text: str) -> None:
    (tmp_path / "my_game.json").write_text(text, encoding="utf-8")
    code, printed = run_command("obl solve my_game.json")
    assert 2 == code
    assert printed.startswith("obl solve: The game file my_game.json ")


def test_names_in_a_game_file_are_printed_as_they_are() -> None:
    """Square brackets and colons are markup to the library that prints tables, not to whoever names an action."""
    state = {"player": 0, "public": "[red]x", "actions": {"[/go]": {"reward": 1}, ":cat:": {}}}
    game = {"name": "a [bold] game", "players": 1, "start": "s", "states": {"s": state}}
    Path("my_game.json").write_text(json.dumps(game), encoding="utf-8")
    code, printed = run_command("obl solve my_game.json --levels 1")
    assert 0 == code
    for name in ("a [bold] game", "sees [red]x", "[/go]"):
        assert name in printed


def test_json_page_explains_every_key() -> None:
    from offbelief.games import json_game

    page = (DOCS / "games" / "json.md").read_text(encoding="utf-8")
    for key in (*json_game._GAME_KEYS, *json_game._STATE_KEYS, *json_game._OUTCOME_KEYS):
        assert f"| `{key}` |" in page


def test_json_page_knows_the_default_of_max_length() -> None:
    game = JsonGame({"players": 1, "start": "s", "states": {"s": {"player": 0, "actions": {"end": {}}}}})
    assert 1 == game.max_length


def test_glossary_explains_the_shared_words() -> None:
    page = (DOCS / "glossary.md").read_text(encoding="utf-8")
    words = ["seat", "policy", "agent", "level", "history", "deal", "variant", "node", "decision", "entry"]
    words += ["pi0", "pi1", "temperature", "t_max", "fict_"]
    for word in words:
        assert re.search(rf"^\*\*`?{word}`?\*\*", page, flags=re.MULTILINE), word
    for axis in "BPTAHKFS":
        assert f"| `{axis}` |" in page


def test_citation_names_this_version_and_the_paper() -> None:
    citation = yaml.safe_load((ROOT / "CITATION.cff").read_text(encoding="utf-8"))
    assert offbelief.__version__ == citation["version"]
    (paper,) = citation["references"]
    families = [author["family-names"] for author in paper["authors"]]
    assert ["Hu", "Lerer", "Cui", "Wu", "Pineda", "Brown", "Foerster"] == families


def test_hooks_need_no_network() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-config.yaml").read_text(encoding="utf-8"))
    assert ["local"] == [repo["repo"] for repo in hooks["repos"]]
    names = {hook["id"] for hook in hooks["repos"][0]["hooks"]}
    assert {"ruff-check", "ruff-format", "mypy", "end-of-file", "large-files"} <= names
