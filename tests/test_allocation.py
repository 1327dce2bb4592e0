"""Freed memory is kept where the C library knows how."""

import subprocess
import sys

import pytest

from offbelief.allocation import keep_freed_memory

FAULTS = """
import resource
import numpy as np
from offbelief.allocation import keep_freed_memory

if {keep}:
    keep_freed_memory()
for _ in range(3):  # the first blocks have to be faulted in anyway
    [np.ones(2**17) for _ in range(16)]
before = resource.getrusage(resource.RUSAGE_SELF).ru_minflt
for _ in range(20):
    [np.ones(2**17) for _ in range(16)]
print(resource.getrusage(resource.RUSAGE_SELF).ru_minflt - before)
"""


def faults(keep):
    told = subprocess.run([sys.executable, "-c", FAULTS.format(keep=keep)], capture_output=True, text=True, check=True)
    return int(told.stdout)


@pytest.mark.skipif(not keep_freed_memory(), reason="this C library cannot be told to keep freed memory")
def test_kept_memory_is_not_faulted_in_again():
    assert faults(keep=True) < 0.1 * faults(keep=False)
