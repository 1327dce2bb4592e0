"""The built wheel carries what the package needs at run time: install it and use it."""

import json
import os
import subprocess
import sys
import zipfile
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


@pytest.fixture(scope="module")
def installed(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    subprocess.run(
        [sys.executable, "-m", "hatchling", "build", "-t", "wheel", "-d", str(folder)],
        cwd=ROOT,
        check=True,
        capture_output=True,
    )
    (wheel,) = folder.glob("*.whl")
    target = folder / "site"
    subprocess.run(
        [sys.executable, "-m", "uv", "pip", "install", "-q", "--no-deps", "--target", str(target), str(wheel)],
        check=True,
        capture_output=True,
    )
    return wheel, target


@pytest.mark.slow
def test_wheel_runs_without_the_checkout(installed, tmp_path):
    _, target = installed
    environment = {**os.environ, "PYTHONPATH": str(target), "NUMBA_CACHE_DIR": str(tmp_path / "cache")}
    code = "import offbelief, sys; sys.stdout.write(offbelief.__file__)"
    where = subprocess.run(
        [sys.executable, "-c", code], env=environment, cwd=tmp_path, capture_output=True, text=True, check=True
    )
    assert where.stdout.startswith(str(target))
    shown = subprocess.run(
        [sys.executable, "-m", "offbelief.interfaces.cli", "solve", "toy", "--json"],
        env=environment,
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=True,
    )
    assert 4 == len(json.loads(shown.stdout)["levels"])


@pytest.mark.slow
def test_wheel_is_typed_licensed_and_holds_no_tests(installed):
    names = zipfile.ZipFile(installed[0]).namelist()
    assert "offbelief/py.typed" in names
    assert "offbelief/__init__.pyi" in names
    assert "offbelief/interfaces/web/static/index.html" in names
    assert any(name.endswith("LICENSE") for name in names)
    assert not any(name.startswith(("tests/", "docs/")) for name in names)
    assert not any("__pycache__" in name or name.endswith((".nbi", ".nbc")) for name in names)
