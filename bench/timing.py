"""One line of a table of times: what was measured, beside its peer and its budget."""

from __future__ import annotations

import math
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Timing:
    """Milliseconds, or whatever `unit` says. `limit` of the budget applies to p50 or p95."""

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

    @property
    def ratio(self) -> float:
        return self.p50 / self.peer_p50 if self.peer_p50 else math.nan
