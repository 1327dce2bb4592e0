"""Experiments are scripts, not a package: load one by its path, beside those that it imports."""

import importlib.util
import sys
from pathlib import Path

EXPERIMENTS = Path(__file__).parents[2] / "experiments"


def load_experiment(name):
    if str(EXPERIMENTS) not in sys.path:
        sys.path.append(str(EXPERIMENTS))
    spec = importlib.util.spec_from_file_location(name, EXPERIMENTS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module
