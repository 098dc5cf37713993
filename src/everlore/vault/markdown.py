"""The text of the vault's files: entries in a daily log, and sheets with a body.

    <!-- entry:ep_20261115_00000001 -->
    ## ep_20261115_00000001

    **session_id**: s1
    **sender_ids**: [alice, bob]

    ### Content
    text
    <!-- /entry:ep_20261115_00000001 -->

Invariants: what is rendered is read back unchanged, whatever it contains; an edit touches its entry and the
counters of the front matter and nothing else a person wrote; a broken entry never hides a good one. Pure.
"""

from __future__ import annotations

import re
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from itertools import pairwise

from everlore.errors import Damaged, InvalidInput, NotFound
from everlore.kinds.spec import AnyKind
from everlore.types import Json, LogEntry, MemoryFile, Owner, Problem
from everlore.vault.fields import read_value, write_value
from everlore.vault.front_matter import Front, clean, dump, newline_of, read_front, write_front

_MARK = re.compile(r"<!--[ \t]*(?P<close>/?)entry:[ \t]*(?P<id>[^\s>]+)[ \t]*-->[ \t]*\r?(?:\n|\Z)")
_BARE = re.compile(r"##[ \t]+(?P<id>[a-z]{2}_\d{8}_\d{8})[ \t]*\r?(?:\n|\Z)")
_OUTLINE = re.compile(r"^##?[ \t]", re.MULTILINE)
_HEADING = re.compile(r"^##?(?:[ \t\r]|$)", re.MULTILINE)
_SECTION = re.compile(r"\n###[ \t]+(?=\S)")
_LINE = re.compile(r"(?<=\n)")
_FIELD = re.compile(r"\*\*([^*\n]+)\*\*:(.*)")
_SPECIAL = r"(?:##{1,2}(?:[ \t]|$)|<!--[ \t]*/?entry:|---[ \t]*$)"
_ESCAPE = re.compile(rf"^(?=\\*{_SPECIAL})", re.MULTILINE)
_UNESCAPE = re.compile(rf"^\\(?=\\*{_SPECIAL})", re.MULTILINE)
_ID = re.compile(r"\w+(?:[.-]\w+)*", re.ASCII)
_FIELD_NAME = re.compile(r"[A-Za-z_]\w*", re.ASCII)
_SAID = re.compile(r"^(?![ \t]*(?:#{1,6}[ \t]|<!--.*-->|[-*_=]{3,}))(?=.*\w)", re.MULTILINE)
_EMPTY_LINE = re.compile(r"\r?\n")
_TWICE = "is there twice; this one is not read: give it another id"
_SHORTEST_BARE = len("## ep_20261115_00000001")


@dataclass(frozen=True, slots=True)
class Log:
    """A daily log as it reads. `lines` says where each entry begins; `last_number` is the highest ever given."""

    front: Mapping[str, Json]
    entries: tuple[LogEntry, ...]
    problems: tuple[Problem, ...]
    lines: Mapping[str, int]
    last_number: int


@dataclass(frozen=True, slots=True)
class _Block:
    """One entry in the text: `start` to `end` with its markers, `inner` to `inner_end` without."""

    id: str
    start: int
    inner: int
    inner_end: int
    end: int


@dataclass(frozen=True, slots=True)
class _Scan:
    front: Front
    blocks: tuple[_Block, ...]
    faults: tuple[tuple[int, str, str], ...]
    """(offset, entry id, reason)"""

    @property
    def known(self) -> _Known:
        """Deleted entries count: `last_number` keeps them, as `entry_count` does in files of EverOS."""
        ids = frozenset(block.id for block in self.blocks).union(ident for _, ident, _ in self.faults)
        counted = [self.front.values.get(name) for name in ("last_number", "entry_count")]
        highest = max([0, *_numbers(ids), *(n for n in counted if type(n) is int and n < 10**8)])
        return _Known(ids, len(self.blocks), highest)


@dataclass(frozen=True, slots=True)
class _Known:
    """What adding to a text asks of it."""

    ids: frozenset[str]
    """Of all entries, those that cannot be read too."""
    entries: int
    last_number: int


_grown: deque[tuple[str, _Known]] = deque(maxlen=8)
"""The logs that were added to last."""


def parse_log(text: str, path: str) -> Log:
    """Every entry that can be read; what cannot becomes a Problem with its line."""
    scan = _scan(text)
    entries: list[LogEntry] = []
    faults = list(scan.faults)
    for block in scan.blocks:
        head, *pieces = _cut(text[block.inner : block.inner_end].replace("\r\n", "\n"))
        if _HEADING.search(head):
            entries.append(LogEntry(block.id, _read_fields(head), _read_sections(pieces)))
        else:
            faults.append((block.start, block.id, f"has no heading: add a line `## {block.id}` below its marker"))
    starts = {block.id: block.start for block in scan.blocks}
    lines = _lines(text, [*starts.values(), *(at for at, _, _ in faults)])
    problems = [Problem(path, *scan.front.problem)] if scan.front.problem else []
    problems += [Problem(path, lines[at], f"entry {ident} {reason}") for at, ident, reason in sorted(faults)]
    return Log(
        front=scan.front.values,
        entries=tuple(entries),
        problems=tuple(problems),
        lines={entry.id: lines[starts[entry.id]] for entry in entries},
        last_number=scan.known.last_number,
    )


def mentioned(text: str) -> frozenset[str] | None:
    """The entries that a text with problems still speaks of; None when it breaks off and there may have been more."""
    marks = list(_MARK.finditer(text))
    if not marks or not marks[-1]["close"]:
        return None
    return frozenset(found["id"] for found in (*marks, *_BARE.finditer(text)))


def outside(text: str) -> int:
    """The line where something is said outside the entries, which nobody reads; 0 if nowhere, or if an entry is
    broken and it cannot be told. Headings, comments and rules say nothing."""
    scan = _scan(text)
    edges = [scan.front.body, *(edge for block in scan.blocks for edge in (block.start, block.end)), len(text)]
    gaps = zip(edges[::2], edges[1::2], strict=True)
    said = (start + found.start() for start, end in gaps if (found := _SAID.search(text[start:end])))
    return 0 if scan.faults or scan.front.problem else next((text.count("\n", 0, at) + 1 for at in said), 0)


def last_number(text: str | None) -> int:
    """The highest entry number ever given in this file; the next entry takes the one after it."""
    return _known(text).last_number if text else 0


def log_front(kind: AnyKind, owner: Owner, day: str, appended: str) -> dict[str, Json]:
    """Front matter of a daily log. `append_entries` keeps its counters."""
    return {
        "id": f"{kind.name}_log_{owner.id}_{day}",
        "type": f"{kind.name}_daily",
        "file_type": f"{kind.name}_daily",
        "schema_version": 1,
        f"{owner.track}_id": owner.id,
        "track": owner.track,
        "date": day,
        "entry_count": 0,
        "last_appended_at": appended,
        "last_number": 0,
    }


def render_entry(entry: LogEntry) -> str:
    if not _ID.fullmatch(entry.id):
        raise InvalidInput(f"{entry.id!r} cannot be the id of an entry")
    parts = [f"<!-- entry:{entry.id} -->\n## {entry.id}\n"]
    if entry.fields:
        parts.append("".join(_render_field(name, value) for name, value in entry.fields.items()))
    parts += [_render_section(name, text) for name, text in entry.sections.items()]
    return "\n".join(parts) + f"<!-- /entry:{entry.id} -->\n"


def normal_text(text: str) -> str:
    """Text as a section keeps it: one kind of line end, no blank space around it, no half characters."""
    plain: str = clean(text.replace("\r\n", "\n").replace("\r", "\n").strip())
    return plain


def append_entries(text: str, entries: Sequence[LogEntry], front_updates: Mapping[str, Json]) -> str:
    """Add entries at the end; an empty text becomes a new log with `front_updates` as its front matter."""
    if not text.strip("\ufeff\r\n\t "):
        text = write_front("", read_front(""), front_updates)
    known = _known(text)
    ids = [entry.id for entry in entries]
    for at, ident in enumerate(ids):
        if ident in known.ids or ident in ids[:at]:
            raise Damaged(f"an entry {ident} is already there; the next free number is {known.last_number + 1}")
    newline = newline_of(text)
    added = "\n".join(render_entry(entry) for entry in entries).replace("\n", newline)
    known = _Known(
        ids=known.ids.union(ids),
        entries=known.entries + len(entries),
        last_number=max([known.last_number, *_numbers(ids)]),
    )
    counts = {"entry_count": known.entries, "last_number": known.last_number}
    grown = write_front(text + _blank_line(text, newline) + added, read_front(text), {**front_updates, **counts})
    _grown.append((grown, known))
    return grown


def replace_entry(text: str, entry: LogEntry, drop: Collection[str] = ()) -> str:
    """Write the entry's values over the ones in the file, line by line where they differ.

    A person's heading, remarks, extra fields and extra sections stay; fields and sections in `drop` go.
    """
    block = _find(_scan(text), text, entry.id)
    newline = newline_of(text)
    inner = _merge(text[block.inner : block.inner_end], entry, drop, newline)
    # an entry that a person typed without markers gets them, since our text may hold what would end it
    opening = text[block.start : block.inner] or f"<!-- entry:{entry.id} -->{newline}"
    closing = text[block.inner_end : block.end]
    if not closing:
        inner = inner.rstrip() + newline
        closing = f"<!-- /entry:{entry.id} -->{newline}" + (newline if block.end < len(text) else "")
    return text[: block.start] + opening + inner + closing + text[block.end :]


def remove_entry(text: str, entry_id: str) -> str:
    """Take the entry out, and copies of it. Its number stays used: `last_number` remembers it."""
    scan = _scan(text)
    block = _find(scan, text, entry_id)
    before, after = text[: block.start], text[block.end :]
    blank = _EMPTY_LINE.match(after)
    if blank:
        after = after[blank.end() :]
    elif not after and before.endswith(("\n\n", "\n\r\n")):
        before = before[:-1].removesuffix("\r")
    counts = {"entry_count": len(scan.blocks) - 1, "last_number": scan.known.last_number}
    text = write_front(before + after, scan.front, counts)
    copied = any(ident == entry_id and reason == _TWICE for _, ident, reason in scan.faults)
    return remove_entry(text, entry_id) if copied else text


def without(entries: Iterable[str], text: str | None) -> str | None:
    """A log, which may be gone, without these entries; it is well when a person was quicker."""
    for entry in entries:
        if text is not None:
            with suppress(NotFound):
                text = remove_entry(text, entry)
    return text


def parse_sheet(text: str) -> MemoryFile:
    front = read_front(text)
    if front.problem:
        raise Damaged("line {}: {}".format(*front.problem))
    return MemoryFile(front=front.values, body=normal_text(text[front.body :]))


def render_sheet(sheet: MemoryFile, original_text: str = "", drop: Collection[str] = ()) -> str:
    """The sheet as text. Keys and comments that a person added to the original's front matter stay, but for `drop`."""
    if not original_text.strip():
        return f"---\n{dump(sheet.front)}---\n\n{normal_text(sheet.body)}\n"
    text, front = original_text, read_front(original_text)
    if parse_sheet(text).body != normal_text(sheet.body):
        text = text[: front.body] + f"\n{normal_text(sheet.body)}\n".replace("\n", newline_of(text))
    return write_front(text, front, sheet.front, drop)


def _scan(text: str) -> _Scan:
    """Find the entries: between markers, or below a `## <id>` heading that a person typed without them."""
    front = read_front(text)
    blocks: list[_Block] = []
    faults: list[tuple[int, str, str]] = []
    opened: re.Match[str] | None = None
    gap = front.body
    for mark in _MARK.finditer(text, front.body):
        if not _begins_line(text, mark.start()):
            continue
        if not mark["close"]:
            if opened:
                faults.append((opened.start(), opened["id"], "has no closing marker"))
            else:
                blocks.extend(_bare_blocks(text, gap, mark.start()))
            opened = mark
            continue
        if opened is None:
            bare = list(_bare_blocks(text, gap, mark.start()))
            if bare and bare[-1].id == mark["id"]:
                bare[-1] = _Block(mark["id"], bare[-1].start, bare[-1].inner, mark.start(), mark.end())
            else:
                faults.append((mark.start(), mark["id"], "is closed here but never opened"))
            blocks.extend(bare)
        elif opened["id"] != mark["id"]:
            faults.append((opened.start(), opened["id"], f"is closed by the marker of {mark['id']}"))
        else:
            blocks.append(_Block(mark["id"], opened.start(), opened.end(), mark.start(), mark.end()))
        opened, gap = None, mark.end()
    if opened:
        faults.append((opened.start(), opened["id"], "has no closing marker"))
    else:
        blocks.extend(_bare_blocks(text, gap, len(text)))
    unique: dict[str, _Block] = {}
    repeated = [block for block in blocks if unique.setdefault(block.id, block) is not block]
    faults += [(block.start, block.id, _TWICE) for block in repeated]
    return _Scan(front, tuple(unique.values()), tuple(faults))


def _known(text: str) -> _Known:
    """Logs that were added to just now need not be looked through again: those of a busy day are long, and grow all
    day."""
    return next((known for last, known in tuple(_grown) if last == text), None) or _scan(text).known


def _bare_blocks(text: str, start: int, end: int) -> Iterator[_Block]:
    if end - start < _SHORTEST_BARE:  # the blank line between two entries, in most files everywhere
        return
    for found in _BARE.finditer(text, start, end):
        if _begins_line(text, found.start()):
            following = _OUTLINE.search(text, found.end(), end)
            stop = following.start() if following else end
            yield _Block(found["id"], found.start(), found.start(), stop, stop)


def _begins_line(text: str, at: int) -> bool:
    return at == 0 or text[at - 1] == "\n" or (at == 1 and text[0] == "\ufeff")


def _lines(text: str, offsets: Iterable[int]) -> dict[int, int]:
    """The line number of each offset, in one pass."""
    lines: dict[int, int] = {}
    line, last = 1, 0
    for at in sorted(offsets):
        line += text.count("\n", last, at)
        last = at
        lines[at] = line
    return lines


def _numbers(ids: Iterable[str]) -> Iterator[int]:
    return (int(ident[-8:]) for ident in ids if ident[-9:-8] == "_" and ident[-8:].isascii() and ident[-8:].isdecimal())


def _find(scan: _Scan, text: str, entry_id: str) -> _Block:
    for block in scan.blocks:
        if block.id == entry_id:
            return block
    for at, ident, reason in scan.faults:
        if ident == entry_id:
            raise Damaged(f"line {_lines(text, [at])[at]}: entry {ident} {reason}")
    raise NotFound(f"no entry {entry_id} in this file")


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


def _blank_line(text: str, newline: str) -> str:
    """What has to follow this text so that the next line stands apart."""
    if text.endswith(("\n\n", "\n\r\n")):
        return ""
    return newline if text.endswith("\n") else newline * 2


def _merge(inner: str, entry: LogEntry, drop: Collection[str], newline: str) -> str:
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
            merged += _blank_line(merged, newline) + _render_section(name, wanted[name]).replace("\n", newline)
    return merged


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
