"""What the tests of one worker share until it ends."""

from __future__ import annotations

from collections.abc import Callable, Hashable
from contextlib import AbstractContextManager, ExitStack
from typing import Any, TypeVar

Opened = TypeVar("Opened")


class Kept:
    """Opened when first asked for, and closed in reverse at the end.

    A fixture with parameters is closed whenever the next test has another one: each file would start its servers and
    databases anew.
    """

    def __init__(self, until_the_end: ExitStack) -> None:
        self._until_the_end = until_the_end
        self._opened: dict[Hashable, Any] = {}

    def get(self, name: Hashable, make: Callable[[], AbstractContextManager[Opened]]) -> Opened:
        if name not in self._opened:
            self._opened[name] = self._until_the_end.enter_context(make())
        opened: Opened = self._opened[name]
        return opened
