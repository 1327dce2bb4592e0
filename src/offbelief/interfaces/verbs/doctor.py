"""Say what is installed, what this processor is good for, and what is missing.

Example: obl doctor
"""

import importlib.metadata
import json
import os
import platform
import sys
from dataclasses import dataclass

from offbelief import __version__

PACKAGES = {
    "numpy": "needed",
    "numba": "needed",
    "torch": "needed",
    "safetensors": "needed",
    "matplotlib": "needed",
    "tyro": "needed",
    "rich": "needed",
    "open-spiel": "optional: oracle of the tests and rival of the benchmarks (extra 'rivals')",
    "pettingzoo": "optional: the PettingZoo environment (extra 'pettingzoo')",
}


WORTHWHILE = 1.5
"""Products that are so much faster make up for rounding what goes into them."""


@dataclass(frozen=True, kw_only=True)
class Arguments:
    """How to report."""

    json: bool = False
    """Print one JSON object."""


def run(arguments: Arguments) -> int:
    """Print the findings; exit code 1 if something needed is missing."""
    packages = {name: _version(name) for name in PACKAGES}
    missing = [name for name, version in packages.items() if version is None and PACKAGES[name] == "needed"]
    bfloat16 = _bfloat16_speed() if not missing else None
    found = {
        "offbelief": __version__,
        "python": platform.python_version(),
        "platform": platform.platform(),
        "cpus": os.cpu_count(),
        "threads": len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count(),
        "packages": packages,
        "kernels": _try_kernel() if not missing else "not tried",
        "bfloat16": bfloat16,
        "missing": missing,
    }
    if arguments.json:
        print(json.dumps(found))
    else:
        print(f"offbelief {found['offbelief']}, Python {found['python']}, {found['platform']}")
        print(f"{found['cpus']} processors, {found['threads']} usable by this process")
        for name, version in packages.items():
            print(f"  {name:12} {version or 'missing'}{'' if version else f' ({PACKAGES[name]})'}")
        print(f"compiled kernels: {found['kernels']}")
        print(f"matrix products in bfloat16: {_advise(bfloat16)}")
        if missing:
            print(f"Install what is missing: pip install {' '.join(missing)}", file=sys.stderr)
    return 1 if missing or found["kernels"] not in ("work", "not tried") else 0


def _advise(ratio: float | None) -> str:
    if ratio is None:
        return "not possible here"
    advice = "train with --precision bfloat16" if ratio > WORTHWHILE else "train in float32, the default"
    return f"{ratio:.1f} times the speed of float32; {advice}"


def _version(name: str) -> str | None:
    try:
        return importlib.metadata.version(name)
    except importlib.metadata.PackageNotFoundError:
        return None


def _try_kernel() -> str:
    """Compile or load the smallest kernel and see that it computes."""
    try:
        from offbelief.streams import draw_below, new_stream

        draw_below(new_stream(0), 10)
    except Exception as error:  # whatever is broken in the compiler's installation should be shown, not raised
        return f"do not work: {error}"
    return "work"


def _bfloat16_speed() -> float | None:
    from offbelief.precision import bfloat16_speed

    return bfloat16_speed()
