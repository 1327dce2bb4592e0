"""Figures in README and docs are those of the committed results."""

import importlib.util
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]


def load_tables():
    sys.path.append(str(ROOT / "benchmarks"))  # a script, not a package: it imports those beside it
    spec = importlib.util.spec_from_file_location("tables", ROOT / "benchmarks" / "tables.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


TABLES = load_tables()


@pytest.mark.parametrize("page", TABLES.PAGES, ids=lambda page: page.name)
def test_page_shows_the_committed_results(page):
    assert TABLES.with_tables(page) == page.read_text(encoding="utf-8")
