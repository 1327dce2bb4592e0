"""How kernels are compiled, decided in one place.

Kernels have three storeys: a friendly function that checks its inputs, one loop over games or nodes, and a small
function for one of them (named ``*_one``). The lower two are compiled by numba through the decorators here.

They are cached on disk, release the GIL (so that threads can share a batch, see `threads.py`) and keep IEEE arithmetic:
no fastmath, since results must not depend on the compiler.

numba's cache looks only at the file a kernel stands in, not at the kernels it calls from other files, so an edit could
leave old machine code in use. Here every state of the package's kernels has a cache folder of its own.
"""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., object])


def cache_folder(package: Path) -> Path:
    """Name a folder by the text of a package's files with kernels; beside the package, or with the user's caches."""
    digest = hashlib.sha256()
    for path in sorted(package.rglob("*.py")):
        text = path.read_bytes()
        if b"offbelief.jit" in text:
            digest.update(text)
    chosen = os.environ.get("NUMBA_CACHE_DIR")
    if chosen:
        base = Path(chosen)
    elif os.access(package, os.W_OK):
        base = package / "__pycache__"
    else:
        base = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "offbelief"
    return base / f"kernels-{digest.hexdigest()[:16]}"


# numba fills its config module at run time, so type checkers do not know this name.
setattr(numba.config, "CACHE_DIR", str(cache_folder(Path(__file__).parent)))  # noqa: B010


def kernel(function: Function) -> Function:
    """Compile a function."""
    return cast(Function, numba.njit(cache=True, nogil=True, error_model="numpy")(function))


def inline_kernel(function: Function) -> Function:
    """Compile a small function and paste it into its callers."""
    return cast(Function, numba.njit(cache=True, nogil=True, error_model="numpy", inline="always")(function))
