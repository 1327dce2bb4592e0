"""The short public list: every name loads, type checkers see the same list, and importing it costs little."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import offbelief


@pytest.mark.parametrize("name", offbelief.__all__)
def test_public_name_loads_from_its_home(name: str) -> None:
    assert getattr(offbelief, name) is not None


def test_unknown_name_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="'offbelief' has no attribute 'no_such_name'"):
        offbelief.no_such_name  # noqa: B018


def test_stub_lists_the_same_names_from_the_same_homes() -> None:
    stub = Path(offbelief.__file__).with_suffix(".pyi")
    listed = {}
    for node in ast.parse(stub.read_text(encoding="utf-8")).body:
        if isinstance(node, ast.ImportFrom):
            assert node.module is not None
            for alias in node.names:
                assert alias.name == alias.asname  # a stub exports only what it renames
                listed[alias.name] = node.module.removeprefix("offbelief.")
    assert listed == offbelief._HOME


def test_import_loads_nothing_heavy() -> None:
    heavy = ("numpy", "numba", "torch", "matplotlib", "ray")
    script = f"import offbelief, sys; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"


def test_import_of_games_loads_no_network_library() -> None:
    heavy = ("torch", "matplotlib", "ray")
    script = f"import offbelief.games.tree, sys; print([name for name in {heavy!r} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
