"""Fixtures that several rooms share."""

import os
from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def recorded_data() -> Path:
    """Folder with recorded games; tests that need it are skipped where there is none."""
    folder = os.environ.get("OFFBELIEF_DATA")
    if not folder:
        pytest.skip("OFFBELIEF_DATA is not set: it names the folder with recorded games")
    if not Path(folder).is_dir():
        pytest.skip(f"OFFBELIEF_DATA is {folder}, which is not a folder")
    return Path(folder)
