"""How the time of some work grows with its size, in time of the processor: a busy machine beside it changes nothing."""

from __future__ import annotations

import time
from collections.abc import Callable

TIMES = 4
"""The larger size, as a multiple of the smaller one: linear work takes 4 times as long, quadratic work 16 times."""
LINEAR = 8.0
ROUNDS = 3


def assert_linear(prepare: Callable[[int], Callable[[], object]], size: int) -> None:
    """Time what `prepare(size)` returns against what `prepare(4 * size)` returns.

    The best of several runs counts, and of several rounds one is enough: noise only ever makes work slower, while
    quadratic work is sixteen times slower in every round.
    """
    factors = []
    for _ in range(ROUNDS):
        small = min(cpu_seconds(prepare(size)) for _ in range(5))
        large = min(cpu_seconds(prepare(TIMES * size)) for _ in range(3))
        factors.append(large / small)
        if factors[-1] < LINEAR:
            return
    raise AssertionError(f"{TIMES} times the size took {', '.join(f'{one:.1f}' for one in factors)} times as long")


def cpu_seconds(work: Callable[[], object]) -> float:
    """What the calling thread computed; waiting and what runs beside it do not count."""
    began = time.thread_time()
    work()
    return time.thread_time() - began
