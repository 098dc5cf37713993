"""A folder of markdown as a site: files and folders become documents, front matter their fields and variables.

Reading only; what cannot be read is told with its place, and the rest goes on. Links are not followed, so that
nothing outside the folder is taken in.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import unicodedata
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from pathlib import Path
from typing import Final

from everlore.errors import InvalidInput
from everlore.types import Json
from everlore.vault.front_matter import read_front

ENDINGS: Final = (".md", ".markdown")
INDEXES: Final = ("index", "_index", "readme")
"""Files that describe the folder they are in, the first of these that is there."""
LARGEST_BYTES: Final = 16 * 2**20
DEFAULT_TEMPLATE: Final = "Document"
_SAME: Final = "title:pagetitle slug:alias date:createdon updated:editedon order:menuindex"
SYNONYMS: Final = dict(pair.split(":") for pair in _SAME.split())
TEXTS: Final = ("pagetitle", "longtitle", "description", "alias", "introtext", "menutitle", "type", "link_attributes")
FLAGS: Final = ("published", "hidemenu", "deleted", "searchable")
TIMES: Final = ("createdon", "editedon", "pub_date", "unpub_date")
FIELDS: Final = frozenset((*TEXTS, *FLAGS, *TIMES, "menuindex"))
SEPARATOR: Final = "||"
"""Between the values of a variable that has several, as Evolution CMS writes them."""
LONGEST_NAME: Final = 50
WRITTEN: Final = (
    "а:a б:b в:v г:g ґ:g д:d е:e є:ye ё:yo ж:zh з:z и:i і:i ї:yi й:y к:k л:l м:m н:n о:o п:p р:r с:s т:t у:u ф:f х:kh"
    " ц:ts ч:ch ш:sh щ:shch ъ: ы:y ь: э:e ю:yu я:ya ß:ss ẞ:Ss æ:ae ø:o ł:l"
)
_SMALL: Final = dict(pair.split(":") for pair in WRITTEN.split())
_LARGE: Final = {letter.upper(): latin.capitalize() for letter, latin in _SMALL.items() if len(letter.upper()) == 1}
LATIN: Final = str.maketrans(_LARGE | _SMALL)
"""How letters are written whose accents cannot just be dropped."""


@dataclass(frozen=True, slots=True)
class Page:
    """A document to be. `path` is its place in the folder, and its identity; a folder's ends in a slash.

    `fields` are what the file says; `modified` is when it was last written, in seconds. `captions` are the names of
    variables as the file writes them.
    """

    path: str
    modified: int
    fields: Mapping[str, Json]
    template: str
    variables: Mapping[str, str] = field(default_factory=dict)
    captions: Mapping[str, str] = field(default_factory=dict)
    tags: tuple[str, ...] = ()

    @property
    def parent(self) -> str | None:
        """The path of the folder it is in; None at the top."""
        above = self.path.rstrip("/").rpartition("/")[0]
        return f"{above}/" if above else None


@dataclass(frozen=True, slots=True)
class Reading:
    """`unreadable`: paths that are there but could not be read, with the reason."""

    pages: list[Page]
    unreadable: dict[str, str]


def read_folder(folder: Path) -> Reading:
    if not folder.is_dir():
        raise InvalidInput(f"{folder} is not a folder")
    pages: list[Page] = []
    unreadable: dict[str, str] = {}
    for path, file, place in _walk(folder, ""):
        try:
            pages.append(_page(folder, path, file, place))
        except InvalidInput as error:
            unreadable[path] = str(error)
        except OSError as error:
            unreadable[path] = error.strerror or str(error)
    return Reading(pages, unreadable)


def _walk(folder: Path, at: str) -> Iterator[tuple[str, Path | None, int]]:
    """(path, file, place among its siblings), folders before what is in them. Folders without any page are left out."""
    entries = sorted(os.scandir(folder), key=lambda entry: (_natural(entry.name), entry.name))
    place = 0
    index = _index(entries)
    if not at and index:  # the top folder is no document, so its description is one of its own, before all others
        yield index, folder / index, place
        place += 1
    for entry in entries:
        if entry.name.startswith(".") or entry.name == index:
            continue
        if entry.is_dir(follow_symlinks=False):
            inner = Path(entry.path)
            below = list(_walk(inner, f"{at}{entry.name}/"))
            own = _index(sorted(os.scandir(inner), key=lambda one: one.name))
            if below or own:
                yield f"{at}{entry.name}/", inner / own if own else None, place
                yield from below
                place += 1
        elif _readable(entry):
            yield f"{at}{entry.name}", Path(entry.path), place
            place += 1


def _index(entries: list[os.DirEntry[str]]) -> str | None:
    named = {entry.name.rpartition(".")[0].lower(): entry.name for entry in entries if _readable(entry)}
    return next((named[name] for name in INDEXES if name in named), None)


def _readable(entry: os.DirEntry[str]) -> bool:
    return entry.name.lower().endswith(ENDINGS) and entry.is_file(follow_symlinks=False)


def _natural(name: str) -> list[tuple[int, int, str]]:
    """Orders `2-b` before `10-a`."""
    parts = re.findall(r"\d+|\D+", name.casefold())
    return [(0, int(part[:18]), "") if part.isdecimal() else (1, 0, part) for part in parts]


def _page(folder: Path, path: str, file: Path | None, place: int) -> Page:
    fields: dict[str, Json] = {"menuindex": place, "isfolder": int(path.endswith("/")), "published": 1}
    fields |= {"pagetitle": _from_name(path), "alias": _stem(path), "content": ""}
    state = (file or folder / path).stat()
    modified = int(state.st_mtime)
    if file is None:
        return Page(path, modified, fields, DEFAULT_TEMPLATE)
    if state.st_size > LARGEST_BYTES:
        raise InvalidInput(f"larger than {LARGEST_BYTES} bytes")
    try:
        text = file.read_bytes().decode("utf-8")
    except UnicodeDecodeError as error:
        raise InvalidInput(f"not UTF-8 text, at byte {error.start}") from None
    front = read_front(text)
    if front.problem:
        raise InvalidInput(f"line {front.problem[0]}: {front.problem[1]}")
    body = text[front.body :].strip("\r\n")
    heading = re.search(r"^#\s+(.+?)\s*#*\s*$", body, re.MULTILINE)
    fields |= {"content": body} | ({"pagetitle": heading[1]} if heading else {})
    variables: dict[str, str] = {}
    captions: dict[str, str] = {}
    template = DEFAULT_TEMPLATE
    tags: tuple[str, ...] = ()
    for key, value in front.values.items():
        name = SYNONYMS.get(key.lower(), key.lower())
        if value is None:
            continue
        if name == "template":
            template = str(value).strip() or DEFAULT_TEMPLATE
        elif name == "draft":
            fields["published"] = 1 - _field("published", value, key)
        elif name in FIELDS:
            fields[name] = _field(name, value, key)
        else:
            variable = _variable(key, variables)
            variables[variable], captions[variable] = _value(value), key
            if name == "tags":
                listed = value if isinstance(value, list) else re.split(r"[,|]+", _value(value))
                tags = tuple(dict.fromkeys(tag for tag in (_value(one).strip() for one in listed) if tag))
    return Page(path, modified, fields, template, variables, captions, tags)


def _variable(key: str, taken: Collection[str]) -> str:
    """A name that tools can ask for. Where letters are lost, or it is taken, a code of the key keeps it apart."""
    written = unicodedata.normalize("NFC", key)
    latin = unicodedata.normalize("NFKD", written.translate(LATIN))
    plain = "".join(letter for letter in latin if not unicodedata.combining(letter))
    name = re.sub(r"[^A-Za-z0-9_-]+", "_", plain)
    lost = any(letter.isalnum() and not letter.isascii() for letter in plain) or not name.strip("_-")
    if lost or name in taken or len(name) > LONGEST_NAME:
        code = hashlib.sha256(written.encode("utf-8", "surrogatepass")).hexdigest()[:6]
        name = f"{name[: LONGEST_NAME - 7].rstrip('_')}_{code}"
    return name


def _value(value: Json) -> str:
    if isinstance(value, bool):
        return str(int(value))
    if isinstance(value, list) and all(isinstance(one, str | int | float) for one in value):
        return SEPARATOR.join(_value(one) for one in value)
    return json.dumps(value, ensure_ascii=False) if isinstance(value, dict | list) else str(value)


def _field(name: str, value: Json, key: str) -> Json:
    """The value of a column; `key` is how the file calls it."""
    if name in TEXTS:
        if isinstance(value, dict | list):
            raise InvalidInput(f"{key} must be a text")
        return str(value)
    if name in FLAGS:
        if value not in (0, 1):  # True and False too
            raise InvalidInput(f"{key} must be true or false")
        return int(value)
    if name in TIMES and (isinstance(value, bool) or not isinstance(value, int)):
        try:
            moment = datetime.fromisoformat(str(value).strip())
        except ValueError:
            raise InvalidInput(f"{key} must be a date such as 2026-05-28, or seconds since 1970") from None
        value = int((moment if moment.tzinfo else moment.replace(tzinfo=UTC)).timestamp())
    if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < 2**31:
        raise InvalidInput(f"{key} must be a whole number")
    return value


def _stem(path: str) -> str:
    return re.sub(r"\.(md|markdown)$", "", path.rstrip("/").rpartition("/")[2], flags=re.IGNORECASE)


def _from_name(path: str) -> str:
    """`02-getting_started.md` reads `Getting started`."""
    words = re.sub(r"^\d+[-_. ]+(?=\S)", "", _stem(path)).replace("-", " ").replace("_", " ").strip()
    return words[:1].upper() + words[1:] if words else _stem(path)
