"""From talk to values: episodes, facts, cases, skills, what ends what, and the profile. Pure.

`from everlore import extract` costs nothing: a module of it is loaded when its name is first asked for, since
hundreds of patterns are compiled then, and a process that only reads and saves notes never needs one.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from types import ModuleType

    from everlore.extract import agent as agent
    from everlore.extract import boundary as boundary
    from everlore.extract import curation as curation
    from everlore.extract import episode as episode
    from everlore.extract import facts as facts
    from everlore.extract import grounding as grounding
    from everlore.extract import learned as learned
    from everlore.extract import llm as llm
    from everlore.extract import profile as profile
    from everlore.extract import profile_items as profile_items
    from everlore.extract import prompts as prompts
    from everlore.extract import supersede as supersede
    from everlore.extract import third_person as third_person
    from everlore.extract import turns as turns


def __getattr__(name: str) -> ModuleType:
    try:
        return import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as error:
        if error.name == f"{__name__}.{name}":
            raise AttributeError(f"module {__name__} has no module {name}") from None
        raise
