"""Which files of a folder are source code, and what they say.

Left out: what `.gitignore` and `.memoryignore` name (in any folder, with negation), hidden files and folders, links,
vendored and built things, generated files, data, binaries and very large files. A `!` line in an ignore file brings
a vendored folder back.
"""

from __future__ import annotations

import fnmatch
import os
import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path, PurePath
from typing import TYPE_CHECKING

from everlore.code.languages import language_of
from everlore.errors import InvalidInput
from everlore.stores.base import Stamp

if TYPE_CHECKING:
    from pathspec import GitIgnoreSpec

LARGEST = 1_000_000
"""Bytes; larger files are data."""
IGNORE_FILES = (".gitignore", ".memoryignore")
"""In this order: what the second says wins."""
_FOLDERS = """node_modules bower_components jspm_packages vendor third_party thirdparty dist build target __pycache__
venv site-packages Pods DerivedData Carthage coverage htmlcov"""
SKIPPED_FOLDERS = frozenset(_FOLDERS.split())
_FILES = """*.min.js *.min.css *.min.mjs *.bundle.js *.map *.lock package-lock.json npm-shrinkwrap.json pnpm-lock.yaml
go.sum *_pb2.py *_pb2.pyi *_pb2_grpc.py *.pb.go *.pb.cc *.pb.h *_pb.js *_pb.d.ts *.g.dart *.freezed.dart *.designer.cs
*.generated.* *_generated.*"""
_SKIPPED_FILES = re.compile("|".join(fnmatch.translate(pattern) for pattern in _FILES.split()))
_ENDINGS = """csv tsv log svg ipynb pem key crt cer der p12 pfx jks asc gpg diff patch out dat dump bak orig rej tmp po
pot srt vtt ndjson jsonl geojson eps ps obj stl"""
_DATA = frozenset(_ENDINGS.split())
_GENERATED = re.compile(
    r"^\W{0,8}(?:.{0,80}code generated\b.{0,120}do not edit|@generated\b"
    r"|.{0,80}auto-?generated\b.{0,120}do not (?:edit|modify)"
    r"|.{0,40}this (?:file|code) (?:is|was) (?:auto)?-?(?:matically )?generated)",
    re.IGNORECASE | re.MULTILINE,
)
_COMMENT = re.compile(r"\s{0,200}(?://|#|/\*|\*|--|;|<!--|%|\"\"\"|')")
_HEAD_LINES = 15
_SNIFF = 8192
_MINIFIED_MEAN = 400
"""Characters of an average line beyond which nobody wrote the file."""


@dataclass(frozen=True, slots=True)
class Found:
    """A file that may be source code, by its name."""

    path: str
    """Relative to the root, with forward slashes."""
    stamp: Stamp


@dataclass(frozen=True, slots=True)
class Source:
    text: str
    """Without byte order mark, lines ended by LF."""
    language: str


@dataclass(frozen=True, slots=True)
class _Rules:
    """The ignore files of one folder."""

    base: str
    spec: GitIgnoreSpec


def folder(path: str) -> Path:
    """The folder that a path names, without links in it."""
    try:
        if not path.strip():
            raise ValueError("empty")
        root = Path(path).expanduser().resolve(strict=True)
        with os.scandir(root):
            pass
        str(root).encode("utf-8")
    except (OSError, ValueError, RuntimeError) as error:
        raise InvalidInput(f"Invalid path: {path}") from error
    return root


def find(root: Path) -> Iterator[Found]:
    """Files in order of their paths, folder by folder. What cannot be read is passed over."""
    yield from _walk(str(root), "", _rules_above(root))


def may_be_source(root: str, name: str) -> bool:
    """Whether a change of this file may be one of source code. Builds and repositories change all the time."""
    try:
        *folders, last = PurePath(name).relative_to(root).parts or ("",)
    except ValueError:
        return True
    if any(part.startswith(".") or part in SKIPPED_FOLDERS for part in folders):
        return False
    return not last.startswith(".") or last in IGNORE_FILES


def _walk(root: str, folder: str, rules: tuple[_Rules, ...]) -> Iterator[Found]:
    here = f"{root}/{folder}" if folder else root
    try:
        with os.scandir(here) as found:
            entries = sorted(found, key=lambda entry: entry.name)
    except OSError:
        return
    own = _rules_in(Path(here))
    if own is not None:
        rules = (*rules, own)
    for entry in entries:
        path = f"{folder}/{entry.name}" if folder else entry.name
        try:
            if entry.is_symlink() or entry.name.startswith(".") or not _is_text(entry.name):
                continue
            if entry.is_dir():
                if not _left_out(rules, f"{entry.path}/", entry.name in SKIPPED_FOLDERS):
                    yield from _walk(root, path, rules)
            elif entry.is_file() and not _left_out(rules, entry.path, _unwanted(entry.name)):
                status = entry.stat()
                yield Found(path, Stamp(status.st_mtime_ns, status.st_size))
        except OSError:
            continue


def _is_text(name: str) -> bool:
    """A name of bytes that are no UTF-8 could neither be stored nor shown."""
    try:
        name.encode("utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _left_out(rules: tuple[_Rules, ...], path: str, by_default: bool) -> bool:
    """The deepest folder that has something to say decides."""
    for one in reversed(rules):
        relative = path[len(one.base) + 1 :].replace(os.sep, "/")
        said = one.spec.check_file(relative).include
        if said is not None:
            return said
    return by_default


def _rules_in(folder: Path) -> _Rules | None:
    lines: list[str] = []
    for name in IGNORE_FILES:
        try:
            lines += (folder / name).read_text(encoding="utf-8", errors="replace").splitlines()
        except OSError:
            continue
    if not lines:
        return None
    from pathspec import GitIgnoreSpec  # of an extra

    def valid(line: str) -> bool:
        try:
            GitIgnoreSpec.from_lines([line])
        except ValueError:
            return False
        return True

    return _Rules(str(folder).rstrip("/\\"), GitIgnoreSpec.from_lines(filter(valid, lines)))


def _rules_above(root: Path) -> tuple[_Rules, ...]:
    """When the root is a folder inside a git repository, the repository's rules hold too."""
    above = list(root.parents)
    top = next((number for number, folder in enumerate(above) if (folder / ".git").exists()), None)
    if (root / ".git").exists() or top is None:
        return ()
    rules = tuple(rules for folder in reversed(above[: top + 1]) if (rules := _rules_in(folder)) is not None)
    # a folder that the repository ignores was named on purpose
    return () if _left_out(rules, f"{root}/", by_default=False) else rules


def _unwanted(name: str) -> bool:
    low = name.casefold()
    return low.rpartition(".")[2] in _DATA or _SKIPPED_FILES.match(low) is not None


def read(root: Path, found: Found) -> Source | None:
    """The text of a file; None when it is too large, binary, generated or gone."""
    if found.stamp.size > LARGEST:
        return None
    try:
        with (root / found.path).open("rb") as file:
            head = file.read(_SNIFF)
            if b"\0" in head and not head.startswith((b"\xff\xfe", b"\xfe\xff")):
                return None
            data = head + file.read(LARGEST + 1 - len(head))
    except OSError:
        return None
    text = _decoded(data)
    if len(data) > LARGEST or text is None:
        return None
    text = text.replace("\r\n", "\n")
    first_lines = text[:4096].split("\n")[:_HEAD_LINES]
    if _is_generated(first_lines) or len(text) > _MINIFIED_MEAN * (text.count("\n") + 1) + 4096:
        return None
    if text.startswith("-----BEGIN "):
        return None  # a key or a certificate
    return Source(text, language_of(found.path, first_lines[0]) or "text")


def _is_generated(lines: list[str]) -> bool:
    return any(_COMMENT.match(line) and _GENERATED.search(line) for line in lines)


def _decoded(data: bytes) -> str | None:
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        return _as(data, "utf-16")
    if b"\0" in data:
        return None
    text = _as(data, "utf-8-sig")
    if text is not None:
        return text
    # some one-byte encoding, unless every third byte is foreign: then it is no text
    foreign = sum(byte >= 0x80 or (byte < 0x20 and byte not in (9, 10, 12, 13, 27)) for byte in data)
    return data.decode("cp1252", "replace") if foreign * 3 < len(data) else None


def _as(data: bytes, encoding: str) -> str | None:
    try:
        return data.decode(encoding)
    except UnicodeError:
        return None
