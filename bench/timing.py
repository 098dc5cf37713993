"""One line of a table of times: what was measured, beside its peer and its budget."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Budget:
    """Of the design, in milliseconds; `spread` is how many times p50 p95 may be."""

    p50: float | None = None
    p95: float | None = None
    spread: float | None = None

    def __str__(self) -> str:
        limits = [f"{name} < {most:g}" for name, most in (("p50", self.p50), ("p95", self.p95)) if most]
        return ", ".join([*limits, *([f"p95 < {self.spread:g} x p50"] if self.spread else [])])

    def __bool__(self) -> bool:
        return bool(self.p50 or self.p95 or self.spread)

    def kept(self, p50: float, p95: float) -> bool:
        most = min(self.p95 or math.inf, (self.spread or math.inf) * p50)
        return p50 < (self.p50 or math.inf) and p95 < most


NONE = Budget()


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds, or whatever `unit` says."""

    name: str
    n: int
    p50: float
    p95: float
    cpu: float
    """The middle of what the processors spent."""
    peer: str
    peer_p50: float
    peer_cpu: float = math.nan
    budget: str = ""
    holds: bool | None = None
    unit: str = "ms"
    cpu_p95: float = math.nan
    holds_by_cpu: bool | None = None
    """Whether it would hold if nothing else ran: the same limits for what the processors spent, in all threads."""

    @property
    def ratio(self) -> float:
        return self.p50 / self.peer_p50 if self.peer_p50 else math.nan
