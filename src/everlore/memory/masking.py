"""Secrets are masked before anything is stored, unless the owner asked for them to be kept."""

from __future__ import annotations

from typing import TypeVar

from everlore.engine import Engine
from everlore.redact import mask_deep

Value = TypeVar("Value")


def without_secrets(engine: Engine, value: Value) -> Value:
    """A text, or a JSON value with texts in it."""
    masked: Value = mask_deep(value) if engine.settings.memory.mask_secrets else value
    return masked
