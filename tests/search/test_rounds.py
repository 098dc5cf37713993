"""Further rounds: learn from what was found, look again, and stop when nothing changes."""

from __future__ import annotations
