"""Which language a file is in, and what counts as a definition there.

What is known of each language is in `languages.toml`; a definition is found by a tree-sitter query. Grammars come in
wheels: nothing is downloaded, and a grammar is loaded only when the first file of its language is read.
"""

from __future__ import annotations

import importlib
import tomllib
from dataclasses import dataclass
from functools import lru_cache
from importlib.resources import files
from pathlib import PurePosixPath
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tree_sitter import Language, Query

CONTAINERS = frozenset(["class", "struct", "impl", "trait", "interface", "module", "enum"])
"""Kinds of chunks that have members of their own."""

_DATA = tomllib.loads((files("everlore.code") / "languages.toml").read_text(encoding="utf-8"))


@dataclass(frozen=True, slots=True)
class Syntax:
    module: str
    query: str
    maker: str = "language"


SYNTAXES = {language: Syntax(**told) for language, told in _DATA["syntax"].items()}
BY_EXTENSION = {word: language for language, words in _DATA["extensions"].items() for word in words.split()}
BY_NAME = {word: language for language, words in _DATA["names"].items() for word in words.split()}
_INTERPRETERS = {"python": "python", "node": "javascript", "bash": "bash", "sh": "bash", "zsh": "bash", "ruby": "ruby"}


def language_of(path: str, first_line: str = "") -> str | None:
    """The language by the file's name, else by its `#!` line; None when it is none of ours."""
    name = PurePosixPath(path).name.casefold()
    known = BY_NAME.get(name) or BY_EXTENSION.get(PurePosixPath(name).suffix.lstrip("."))
    if known or not first_line.startswith("#!"):
        return known
    words = first_line[2:].replace("/", " ").split()
    program = next((word for word in reversed(words) if not word.startswith("-")), "").rstrip("0123456789.")
    return _INTERPRETERS.get(program)


@lru_cache(maxsize=64)
def grammar(language: str, tsx: bool = False) -> tuple[Language, Query] | None:
    """The grammar and the query for definitions; None for languages that are read as paragraphs."""
    syntax = SYNTAXES.get(language)
    if syntax is None:
        return None
    from tree_sitter import Language, Query  # of an extra

    maker = "language_tsx" if tsx and language == "typescript" else syntax.maker
    made = Language(getattr(importlib.import_module(syntax.module), maker)())
    return made, Query(made, syntax.query)
