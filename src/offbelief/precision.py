"""How exactly networks compute in training: in float32, or with their matrix products in bfloat16.

A processor with instructions for bfloat16 (AVX512-BF16) makes these products twice as fast, others slower or not at
all, so float32 is the default. Last layers stay in float32 whatever is chosen (`exactly`): values are about twenty and
moves often a few hundredths apart, less than what bfloat16 can tell from each other.
"""

import functools
import subprocess
import sys
from typing import Literal, TypeAlias

import torch
from torch import Tensor, nn

from offbelief.nouns import UserError

Precision: TypeAlias = Literal["float32", "bfloat16"]


_COMPARE = """
import time, torch
torch.set_num_threads(1)

def seconds(kind):
    left, right = torch.ones(1024, 256, dtype=kind), torch.ones(256, 256, dtype=kind)
    left @ right
    started = time.perf_counter()
    for _ in range(50):
        left @ right
    return time.perf_counter() - started

print(min(seconds(torch.float32) for _ in range(3)) / min(seconds(torch.bfloat16) for _ in range(3)))
"""


@functools.cache
def bfloat16_speed() -> float | None:
    """How fast this processor multiplies matrices in bfloat16, relative to float32; None if it cannot.

    Tried in a process of its own: some processors name instructions that end the process which uses them.
    """
    try:
        answer = subprocess.run(
            [sys.executable, "-c", _COMPARE], capture_output=True, text=True, timeout=60, check=True
        )
        return round(float(answer.stdout), 2)
    except (OSError, subprocess.SubprocessError, ValueError):
        return None


def check_processor(precision: Precision, device: torch.device) -> None:
    """Refuse a precision that would end the process.

    Raises:
        UserError: the processor cannot compute so.
    """
    if precision == "bfloat16" and device.type == "cpu" and bfloat16_speed() is None:
        raise UserError("This processor cannot multiply matrices in bfloat16; train with --precision float32.")


def check_precision(precision: str) -> None:
    """Refuse what is neither.

    Raises:
        UserError: it is something else.
    """
    if precision not in ("float32", "bfloat16"):
        raise UserError(f"The precision is 'float32' or 'bfloat16', not {precision!r}.")


def products_in(precision: Precision, device: torch.device) -> torch.autocast:
    """A context in which networks compute their matrix products so.

    Weights are rounded anew at every use: kept roundings would not follow them when they learn.
    """
    wanted = precision == "bfloat16"
    return torch.autocast(device.type, torch.bfloat16 if wanted else None, enabled=wanted, cache_enabled=False)


def exactly(layer: nn.Module, values: Tensor) -> Tensor:
    """Apply a layer in float32, also inside of `products_in`."""
    with torch.autocast(values.device.type, enabled=False):
        result: Tensor = layer(values.float())
    return result
