"""A process tuned by its owner: malloc keeps its memory, the garbage collector runs seldom.

NumPy takes each large result from malloc and gives it back soon. By default the C library returns such memory to the system, which
costs a page fault for every 4 KB of the next result: more than the arithmetic on it. The ``agrad`` command and its workers tune
themselves; importing the library tunes nothing, since the process is its user's. ``autograd_cli.tune_process()`` does it on request.
"""

from __future__ import annotations

import ctypes
import gc

# Parameters of mallopt, from glibc's malloc.h.
M_TRIM_THRESHOLD, M_TOP_PAD, M_MMAP_THRESHOLD = -1, -2, -3


def tune_process() -> None:
    """Tune this process; where the C library has no mallopt, the garbage collector only."""
    try:
        mallopt = ctypes.CDLL(None).mallopt
    except (AttributeError, OSError, TypeError):
        pass
    else:
        mallopt(M_MMAP_THRESHOLD, 1 << 30)
        mallopt(M_TRIM_THRESHOLD, 2**31 - 1)
        mallopt(M_TOP_PAD, 64 << 20)
    gc.set_threshold(50_000, 50, 100)
