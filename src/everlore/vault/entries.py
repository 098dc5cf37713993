"""The text of one entry of a log: a heading, inline fields `**name**: value`, and sections. Pure.

The value of a field is one line, a text or a list of texts. Plain text stands as it is; what would be misread is
written as a JSON string. `[a, "b, c"]` is a list.
"""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable
from dataclasses import replace
from itertools import pairwise

from everlore.errors import InvalidInput
from everlore.types import LogEntry
from everlore.vault.front_matter import clean

_UNSAFE = re.compile(r"[\x00-\x1f\x7f-\x9f\u2028\u2029\ud800-\udfff\ufeff]")
"""Control characters, line separators and half characters: some editor would break or drop them."""
_ITEM_UNSAFE = re.compile(r'[,\[\]"]')
_DECODER = json.JSONDecoder()
_HEADING = re.compile(r"^##?(?:[ \t\r]|$)", re.MULTILINE)
_SECTION = re.compile(r"\n###[ \t]+(?=\S)")
_LINE = re.compile(r"(?<=\n)")
_FIELD = re.compile(r"\*\*([^*\n]+)\*\*:(.*)")
_SPECIAL = r"(?:##{1,2}(?:[ \t]|$)|<!--[ \t]*/?entry:|---[ \t]*$)"
_ESCAPE = re.compile(rf"^(?=\\*{_SPECIAL})", re.MULTILINE)
_UNESCAPE = re.compile(rf"^\\(?=\\*{_SPECIAL})", re.MULTILINE)
_ID = re.compile(r"\w+(?:[.-]\w+)*", re.ASCII)
_FIELD_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)


def read_entry(entry_id: str, inner: str) -> LogEntry | None:
    """The entry between two markers; None where it has no heading."""
    head, *pieces = _cut(inner.replace("\r\n", "\n"))
    return LogEntry(entry_id, _read_fields(head), _read_sections(pieces)) if _HEADING.search(head) else None


def render_entry(entry: LogEntry) -> str:
    if not _ID.fullmatch(entry.id):
        raise InvalidInput(f"{entry.id!r} cannot be the id of an entry")
    parts = [f"<!-- entry:{entry.id} -->\n## {entry.id}\n"]
    if entry.fields:
        parts.append("".join(_render_field(name, value) for name, value in entry.fields.items()))
    parts += [_render_section(name, text) for name, text in entry.sections.items()]
    return "\n".join(parts) + f"<!-- /entry:{entry.id} -->\n"


def merge_entry(inner: str, entry: LogEntry, drop: Collection[str], newline: str) -> str:
    """The entry's values over those of the text, line by line where they differ."""
    head, *pieces = _cut(inner)
    merged = _merge_fields(head, entry, drop, newline)
    wanted = {name: normal_text(text) for name, text in entry.sections.items() if name not in drop}
    current = _read_sections(pieces)
    changed = {name for name, text in wanted.items() if current.get(name) != text}
    for piece in pieces:
        (name,) = _read_sections([piece])
        if name in drop:
            continue
        if name not in changed:
            merged += piece
        elif name in wanted:
            tail = piece[len(piece.rstrip()) :] or newline
            merged += _render_section(name, wanted.pop(name)).rstrip().replace("\n", newline) + tail
    for name in wanted:
        if name not in current:
            merged += blank_line(merged, newline) + _render_section(name, wanted[name]).replace("\n", newline)
    return merged


def normal_text(text: str) -> str:
    """Text as a section keeps it: one kind of line end, no blank space around it, no half characters."""
    plain: str = clean(text.replace("\r\n", "\n").replace("\r", "\n").strip())
    return plain


def as_read(entries: Iterable[LogEntry]) -> list[LogEntry]:
    """Entries as they read once they are written."""
    return [
        replace(entry, sections={name: normal_text(text) for name, text in entry.sections.items()}) for entry in entries
    ]


def blank_line(text: str, newline: str) -> str:
    """What has to follow this text so that the next line stands apart."""
    if text.endswith(("\n\n", "\n\r\n")):
        return ""
    return newline if text.endswith("\n") else newline * 2


def write_value(value: str | tuple[str, ...]) -> str:
    if isinstance(value, str):
        listed = value.startswith("[") and value.endswith("]")
        return _quote(value) if listed or _needs_quotes(value) else value
    items = (_quote(one) if not one or _needs_quotes(one) or _ITEM_UNSAFE.search(one) else one for one in value)
    return f"[{', '.join(items)}]"


def read_value(text: str) -> str | tuple[str, ...]:
    text = text.strip()
    if text.startswith("[") and text.endswith("]"):
        return tuple(_read_items(text[1:-1]))
    if text.startswith('"'):
        found, end = _unquote(text, 0)
        return found if found is not None and end == len(text) else text
    return text


def _needs_quotes(text: str) -> bool:
    return text.startswith('"') or text != text.strip() or bool(_UNSAFE.search(text))


def _quote(text: str) -> str:
    return _UNSAFE.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def _unquote(text: str, at: int) -> tuple[str | None, int]:
    """The JSON string that begins here and where it ends; None when it is not one."""
    try:
        value, end = _DECODER.raw_decode(text, at)
    except ValueError:
        return None, at
    return (value, end) if isinstance(value, str) else (None, at)


def _read_items(text: str) -> list[str]:
    items: list[str] = []
    at = 0
    while at < len(text):
        if text[at].isspace() or text[at] == ",":
            at += 1
            continue
        item, end = _unquote(text, at) if text[at] == '"' else (None, at)
        comma = text.find(",", end)
        stop = comma if comma >= 0 else len(text)
        # words after the closing quote: a person's text that only begins with a quotation mark
        items.append(item if item is not None and not text[end:stop].strip() else text[at:stop].strip())
        at = stop
    return items


def _cut(inner: str) -> list[str]:
    """The lines above the first section, then each section with its `###` line. Joined, they are `inner`."""
    starts = [found.start() + 1 for found in _SECTION.finditer(inner)]
    edges = [0, *starts, len(inner)]
    return [inner[start:end] for start, end in pairwise(edges)]


def _read_fields(head: str) -> dict[str, str | tuple[str, ...]]:
    return {found[1].strip(): read_value(found[2]) for line in head.split("\n") if (found := _FIELD.fullmatch(line))}


def _read_sections(pieces: Iterable[str]) -> dict[str, str]:
    sections: dict[str, str] = {}
    for piece in pieces:
        title, _, text = piece.replace("\r\n", "\n").partition("\n")
        name, text = title[3:].strip(), text.strip()
        text = _UNESCAPE.sub("", text) if "\\" in text else text
        # a name that comes twice is one section, so that nothing a person wrote is lost to search
        sections[name] = f"{sections[name]}\n\n{text}" if name in sections else text
    return sections


def _render_field(name: str, value: str | tuple[str, ...]) -> str:
    if not _FIELD_NAME.fullmatch(name):
        raise InvalidInput(f"{name!r} cannot be the name of a field")
    return f"**{name}**: {write_value(value)}".rstrip(" ") + "\n"


def _render_section(name: str, text: str) -> str:
    if not name or name != name.strip() or "\n" in name or "\r" in name:
        raise InvalidInput(f"{name!r} cannot be the name of a section")
    return f"### {name}\n{_ESCAPE.sub(lambda _: chr(92), normal_text(text))}\n"


def _merge_fields(head: str, entry: LogEntry, drop: Collection[str], newline: str) -> str:
    lines: list[str] = []
    missing = {name: value for name, value in entry.fields.items() if name not in drop}
    current = _read_fields(head.replace("\r\n", "\n"))
    changed = {name for name, value in missing.items() if current.get(name) != value}
    last_field = heading = 0
    for line in _LINE.split(head):
        found = _FIELD.fullmatch(line.rstrip("\r\n"))
        name = found[1].strip() if found else ""
        if found and (name in drop or (name in changed and name not in missing)):
            continue
        value = missing.pop(name, "")
        lines.append(_render_field(name, value).replace("\n", newline) if name in changed else line)
        last_field = len(lines) if found else last_field
        heading = len(lines) if not heading and _HEADING.match(line) else heading
    added = [_render_field(name, value).replace("\n", newline) for name, value in missing.items()]
    if added and not last_field:
        added.insert(0, newline)
    at = last_field or heading
    return "".join([*lines[:at], *added, *lines[at:]])
