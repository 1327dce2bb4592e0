"""Keeping freed memory: training allocates and frees the same few megabytes thousands of times.

glibc gives large blocks back to the system as soon as they are freed, and every page of the next one is then faulted in
anew: a quarter of the time of a network's forward pass on a CPU. Told to keep them, it hands the same pages out again.
"""

import ctypes
import sys

_MMAP_THRESHOLD, _TRIM_THRESHOLD = -3, -1  # glibc's names for what mallopt sets
_LARGEST_BLOCK = 32 * 2**20
_KEPT = 2**30


def keep_freed_memory() -> bool:
    """Let this process keep up to a gigabyte of freed memory for itself; says whether the system knows how.

    Changes nothing but speed and how much memory an idle process holds.
    """
    if not sys.platform.startswith("linux"):
        return False
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (OSError, AttributeError):  # another C library
        return False
    return bool(mallopt(_MMAP_THRESHOLD, _LARGEST_BLOCK)) and bool(mallopt(_TRIM_THRESHOLD, _KEPT))
