"""Figures in README and docs are those of the committed results."""

import importlib.util
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def load_tables():
    spec = importlib.util.spec_from_file_location("tables", ROOT / "benchmarks" / "tables.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("page", ["README.md", "docs/results/speed.md"])
def test_page_shows_the_committed_results(page):
    text = (ROOT / page).read_text(encoding="utf-8")
    assert load_tables().with_table(text) == text
