"""How kernels are compiled, decided in one place.

Kernels have three storeys: a friendly function that checks its inputs, one loop over games or nodes, and a small
function for one of them (named ``*_one``). The lower two are compiled by numba through the decorators here.

They are cached on disk, release the GIL (so that threads can share a batch, see `threads.py`) and keep IEEE arithmetic:
no fastmath, since results must not depend on the compiler.

numba's cache looks only at the file a kernel stands in, not at the kernels it calls from other files, so an edit could
leave old machine code in use. Here every state of the package's kernels has a cache folder of its own.
"""

import contextlib
import hashlib
import os
import shutil
from collections.abc import Callable
from pathlib import Path
from typing import TypeVar, cast

import numba

Function = TypeVar("Function", bound=Callable[..., object])

CACHES_KEPT = 5
"""Caches of older kernels that stay, since other processes may still run them."""


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


def _forget_old(folder: Path) -> None:
    """When the kernels have changed, keep only the newest of their caches."""
    with contextlib.suppress(OSError):
        caches = sorted(folder.parent.glob("kernels-*"), key=lambda cache: cache.stat().st_mtime)
        for old in caches[:-CACHES_KEPT]:
            shutil.rmtree(old, ignore_errors=True)


_FOLDER = cache_folder(Path(__file__).parent)
if not _FOLDER.exists():
    _forget_old(_FOLDER)
# numba fills its config module at run time, so type checkers do not know this name.
setattr(numba.config, "CACHE_DIR", str(_FOLDER))  # noqa: B010


def kernel(function: Function) -> Function:
    """Compile a function."""
    return cast(Function, numba.njit(cache=True, nogil=True, error_model="numpy")(function))


def inline_kernel(function: Function) -> Function:
    """Compile a small function and paste it into its callers."""
    return cast(Function, numba.njit(cache=True, nogil=True, error_model="numpy", inline="always")(function))
