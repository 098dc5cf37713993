"""The words of the page: a file for each language, the same keys in each."""

from __future__ import annotations

import tomllib
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

LANGUAGES = {"en": "English", "de": "Deutsch"}
FIRST = "en"


@dataclass(frozen=True, slots=True)
class Texts:
    """`words("ask.label")`, `words("ask.found", count=3)`."""

    language: str
    known: Mapping[str, str]

    def __call__(self, key: str, **values: object) -> str:
        text = self.known[key]
        return text.format(**values) if values else text

    def named(self, group: str, name: str) -> str:
        """What something of ours is called; what has no word yet goes by its own name."""
        return self.known.get(f"{group}.{name}", name)


@cache
def texts(language: str) -> Texts:
    name = language if language in LANGUAGES else FIRST
    read = tomllib.loads((files("everlore.surfaces.page") / "texts" / f"{name}.toml").read_text(encoding="utf-8"))
    return Texts(name, {f"{group}.{key}": text for group, items in read.items() for key, text in items.items()})


def preferred(chosen: str, accepted: str) -> str:
    """The language that somebody chose, else the first that their browser asks for and we have."""
    asked = [part.split(";")[0].strip()[:2].lower() for part in accepted.split(",")]
    return next((one for one in (chosen, *asked) if one in LANGUAGES), FIRST)
