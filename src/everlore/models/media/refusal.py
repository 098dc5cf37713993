"""Why a parser did not read a payload."""

from __future__ import annotations


class Refusal(Exception):
    """A reason for people: the content is not what it claims to be, or more than is allowed."""
