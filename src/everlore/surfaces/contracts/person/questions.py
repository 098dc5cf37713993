"""The questions, by name. The same in the vault's server and in a command's own process."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping

from everlore.errors import InvalidInput
from everlore.surfaces.contracts.person import changing, reading
from everlore.surfaces.contracts.person.asking import Person
from everlore.types import Json

QUESTIONS: dict[str, Callable[..., Json]] = {
    one.__name__.rstrip("_"): one for one in (*reading.QUESTIONS, *changing.QUESTIONS)
}


def ask(name: str, who: Person, arguments: Mapping[str, Json]) -> Json:
    try:
        inspect.signature(QUESTIONS[name]).bind(who, **arguments)
    except TypeError as error:
        raise InvalidInput(f"{name}: {error}") from None
    return QUESTIONS[name](who, **arguments)
