# Two commands on a fresh machine: `make run` does the main job, `make test` runs every check.
PYTHON ?= $(shell command -v python3.11 || command -v python3 || echo python3.11)
VENV := .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.current

.DEFAULT_GOAL := help
.PHONY: help setup run play toy test lint types tests quick docs clean

help:  ## what you can do here
	@grep -hE '^[a-z]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 10

setup: $(STAMP)  ## build the environment into .venv; does nothing when it is current

$(STAMP): pyproject.toml constraints.txt Makefile
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null || { echo "offbelief needs Python 3.11 or newer: install it, or name one with 'make PYTHON=python3.11 $(MAKECMDGOALS)'."; exit 2; }
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet uv
	UV_FIND_LINKS="$$PIP_FIND_LINKS" $(BIN)/uv pip install --quiet --python $(BIN)/python -c constraints.txt -e ".[dev]"
	touch $(STAMP)

run: setup  ## train two small agents for a few minutes, pair them, write runs/demo/report.html
	$(BIN)/obl demo --out runs/demo
	@echo "'obl' is $(BIN)/obl here; 'make play' opens the page to play on."

play: setup  ## play Hanabi with a trained agent, on a web page
	$(BIN)/obl play --browser

toy: setup  ## the paper's toy experiment: figures and a report in runs/toy
	$(BIN)/obl toy --runs 10 --out runs/toy

test: setup lint types tests  ## every check: lint, strict types, all tests

lint: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

types: setup
	$(BIN)/mypy

tests: setup
	$(BIN)/pytest -n 2

quick: setup  ## the tests without the slow ones
	$(BIN)/pytest -n 2 -m "not slow"

docs: setup  ## build the documentation into site/
	$(BIN)/mkdocs build --strict

clean:  ## remove the environment and build products; runs/ stays
	rm -rf $(VENV) site dist .pytest_cache .mypy_cache .ruff_cache .hypothesis
