"""The package's rooms and the arrows between them: data flows one way."""

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "src" / "offbelief"
ROOMS = ("games", "beliefs", "agents", "learning", "evaluation", "interfaces")
COMMON = tuple(path.stem for path in PACKAGE.glob("*.py") if path.stem != "__init__")  # for every room; import none
SIDE_ROOM = "scale"  # may import everything but the doors

# Who alone may import a heavy neighbour, as a prefix of the module's path.
ONLY_HOME = {
    "ray": ("scale",),
    "pettingzoo": ("interfaces.adapters",),
    "gymnasium": ("interfaces.adapters",),
    "starlette": ("interfaces",),
    "uvicorn": ("interfaces",),
    "tyro": ("interfaces",),
    "rich": ("interfaces",),
    "matplotlib": ("evaluation", "interfaces"),
}
NOT_IN_GAMES = ("torch", "matplotlib", "ray")


def modules(package: Path = PACKAGE) -> Iterator[tuple[str, ast.Module]]:
    """Give (dotted path inside the package, parsed source) of every module."""
    for path in sorted(package.rglob("*.py")):
        parts = path.relative_to(package).with_suffix("").parts
        yield ".".join(part for part in parts if part != "__init__"), ast.parse(path.read_text(encoding="utf-8"))


def imports(module: str, source: ast.Module) -> Iterator[str]:
    """Give the full name of everything that a module imports, also inside its functions."""
    for node in ast.walk(source):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{module} imports relatively (line {node.lineno}); write the full name"
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def room_of(module: str) -> str:
    return module.split(".")[0]


def wrong_arrow(module: str, imported: str) -> str | None:
    """Say what is wrong with an import; None if nothing is."""
    here, parts = room_of(module), imported.split(".")
    if parts[0] != "offbelief":
        homes = ONLY_HOME.get(parts[0])
        if homes is not None and not any(module == home or module.startswith(f"{home}.") for home in homes):
            return f"{module} imports {parts[0]}, which only {' and '.join(homes)} may"
        if here == "games" and parts[0] in NOT_IN_GAMES:
            return f"{module} imports {parts[0]}, but games know no networks and no pictures"
        return None
    there = parts[1] if len(parts) > 1 else ""
    if here == "" or there in COMMON or there == "__version__":  # the package itself names everything
        return None
    if here in COMMON:
        return f"{module} is common ground and imports no room, but imports {imported}"
    if there not in (*ROOMS, SIDE_ROOM):
        return f"{module} imports {imported} through the front door; name the module it lives in"
    if here == SIDE_ROOM:
        return f"{module} imports {imported}: the side room knows no doors" if there == "interfaces" else None
    if there == SIDE_ROOM:
        return None if here == "interfaces" else f"{module} imports {imported}: only the doors open the side room"
    if ROOMS.index(there) > ROOMS.index(here):
        return f"{module} imports {imported}, but {there} comes after {here}"
    return None


def test_rooms_import_only_rooms_before_them() -> None:
    arrows = [(module, name) for module, source in modules() for name in imports(module, source)]
    assert len(arrows) > 100  # the drawing is not empty
    wrong = [complaint for module, name in arrows if (complaint := wrong_arrow(module, name))]
    assert not wrong


def test_rooms_are_the_only_folders() -> None:
    folders = {path.parent.relative_to(PACKAGE).parts[0] for path in PACKAGE.glob("*/**/*.py")}
    assert not folders - {*ROOMS, SIDE_ROOM}


def test_common_ground_is_what_the_rooms_share() -> None:
    assert {"errors", "jit", "nouns", "streams"} <= set(COMMON)


def test_rooms_have_docstring_that_says_what_lives_there() -> None:
    silent = [module for module, source in modules() if source.body and not ast.get_docstring(source)]
    assert not silent


@pytest.mark.parametrize(
    ("module", "imported", "allowed"),
    [
        ("games.tree", "offbelief.games.tables.GameTables", True),
        ("games.tree", "offbelief.beliefs.exact.Belief", False),
        ("games.tree", "offbelief.nouns.FloatArray", True),
        ("games.tree", "torch.nn", False),
        ("beliefs.exact", "offbelief.agents.tabular.TabularPolicy", False),
        ("agents.tabular", "offbelief.beliefs.exact.Belief", True),
        ("agents.networks", "torch", True),
        ("learning.sampled", "offbelief.evaluation.crossplay.crossplay", False),
        ("evaluation.crossplay", "offbelief.learning.exact_baselines.value", True),
        ("evaluation.crossplay", "offbelief.interfaces.cli.main", False),
        ("learning.rollout", "ray", False),
        ("scale.rollouts", "ray", True),
        ("scale.rollouts", "offbelief.evaluation.match.play", True),
        ("scale.rollouts", "offbelief.interfaces.cli.main", False),
        ("learning.rollout", "offbelief.scale.rollouts.play", False),
        ("interfaces.cli", "offbelief.scale.rollouts.play", True),
        ("interfaces.adapters", "pettingzoo", True),
        ("interfaces.cli", "pettingzoo", False),
        ("streams", "offbelief.jit.kernel", True),
        ("streams", "offbelief.games.tree.Tree", False),
        ("nouns", "offbelief.agents.tabular.TabularPolicy", False),
        ("learning.sampled", "offbelief.unroll", False),
    ],
)
def test_wrong_arrow_on_example_says_what_is_allowed(module: str, imported: str, allowed: bool) -> None:
    assert allowed == (wrong_arrow(module, imported) is None)
