"""The views as a whole: the same tests hold when nothing is compiled."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

HERE = Path(__file__).parent


@pytest.mark.slow
@pytest.mark.skipif(os.environ.get("NUMBA_DISABLE_JIT") == "1", reason="this is the uncompiled run")
def test_views_and_colours_hold_uncompiled():
    files = [str(path) for path in sorted(HERE.glob("test_views_*.py"))] + [str(HERE / "test_colours.py")]
    assert len(files) == 7
    command = [sys.executable, "-m", "pytest", "-q", "-x", "-p", "no:cacheprovider", "-m", "not slow", *files]
    environment = {**os.environ, "NUMBA_DISABLE_JIT": "1"}
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-2000:]
