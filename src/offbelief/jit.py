"""How kernels are compiled, decided in one place.

Kernels have three storeys: a friendly function that checks its inputs, one loop over games or nodes, and a small
function for one of them (named ``*_one``). The lower two are compiled by numba through the decorators here.

`kernel` compiles a function for one core; `parallel_kernel` lets `prange` loops use several threads. Both cache their
machine code on disk, release the GIL and keep IEEE arithmetic (no fastmath: results must not depend on the compiler).
"""

from collections.abc import Callable
from typing import TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., object])

# numba's OpenMP layer dies after fork(); the work queue does not, and is always there.
setattr(numba.config, "THREADING_LAYER", "workqueue")  # noqa: B010 - numba fills this module at run time


def kernel(function: Function) -> Function:
    """Compile a function for one core."""
    return cast(Function, numba.njit(cache=True, nogil=True, error_model="numpy")(function))


def inline_kernel(function: Function) -> Function:
    """Compile a small function and paste it into its callers."""
    return cast(Function, numba.njit(cache=True, nogil=True, error_model="numpy", inline="always")(function))


def parallel_kernel(function: Function) -> Function:
    """Compile a function whose `numba.prange` loops may use several threads."""
    return cast(Function, numba.njit(cache=True, nogil=True, error_model="numpy", parallel=True)(function))
