"""Why a parser did not read a payload."""

from __future__ import annotations


class Refusal(Exception):
    """A reason for people: the content is not what it claims to be, or more than is allowed."""


class Missing(Exception):
    """An optional part of the installation is not there."""

    def __init__(self, extra: str) -> None:
        super().__init__(extra)
        self.extra = extra
