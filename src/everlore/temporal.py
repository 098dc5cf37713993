"""Intervals of truth: pure functions on `Validity`."""

from __future__ import annotations

from dataclasses import replace

from everlore.types import Validity


def valid_at(validity: Validity, moment: int) -> bool:
    """True from the start (inclusive) to the end (exclusive)."""
    begun = validity.start is None or validity.start <= moment
    return begun and (validity.end is None or moment < validity.end)


def close(validity: Validity, moment: int) -> Validity:
    """End an interval at `moment`. An earlier end stays, and an end never precedes its start."""
    if validity.end is not None and validity.end <= moment:
        return validity
    return replace(validity, end=moment if validity.start is None else max(moment, validity.start))
