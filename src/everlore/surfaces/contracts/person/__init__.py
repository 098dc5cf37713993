"""What people ask of their memories at a terminal: questions by name, answers as JSON, whoever carries them.

Errors go from the process that answers to the one that asked; nothing else is imported for them: commands are quick.
"""

from __future__ import annotations

from collections.abc import Mapping

from everlore import errors
from everlore.errors import EverloreError
from everlore.types import Json


def told(error: EverloreError) -> dict[str, Json]:
    known = next(one.__name__ for one in type(error).__mro__ if getattr(errors, one.__name__, None) is one)
    return {"error": known, "message": str(error)}


def raised(said: Mapping[str, Json]) -> EverloreError:
    """The same error, there."""
    known = getattr(errors, str(said["error"]), EverloreError)
    message = str(said["message"])
    return errors.Denied("", message) if known is errors.Denied else known(message)
