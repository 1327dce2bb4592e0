"""Experiments are scripts, not a package: load one by its path."""

import importlib.util
from pathlib import Path

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


def load_experiment(name):
    spec = importlib.util.spec_from_file_location(name, EXPERIMENTS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
