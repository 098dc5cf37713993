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
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass

from everlore.errors import Damaged, NotFound
from everlore.kinds.registry import AnyKind
from everlore.types import Json, LogEntry, MemoryFile, Owner, Problem
from everlore.vault.entries import blank_line, merge_entry, normal_text, read_entry, render_entry
from everlore.vault.front_matter import Front, clean, dump, newline_of, read_front, write_front

_MARK = re.compile(r"<!--[ \t]*(?P<close>/?)entry:[ \t]*(?P<id>[^\s>]+)[ \t]*-->[ \t]*\r?(?:\n|\Z)")
_OWN_MARK = re.compile(r"\n<!-- (/?entry:[^\s>]+) -->(?=\r?\n)")
"""A marker as we write it."""
_NUMBER = re.compile(r"_(\d{8})(?= |\Z)", re.ASCII)
_BARE = re.compile(r"##[ \t]+(?P<id>[a-z]{2}_\d{8}_\d{8})[ \t]*\r?(?:\n|\Z)")
_OUTLINE = re.compile(r"^##?[ \t]", re.MULTILINE)
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
        ids = frozenset(block.id for block in self.blocks).union(ident for _, ident, _ in self.faults)
        return _counted(self.front, ids, len(self.blocks))


@dataclass(frozen=True, slots=True)
class _Known:
    """What adding to a text asks of it."""

    ids: frozenset[str]
    """Of all entries, those that cannot be read too."""
    entries: int
    last_number: int


def parse_log(text: str, path: str) -> Log:
    """Every entry that can be read; what cannot becomes a Problem with its line."""
    scan = _scan(text)
    entries: list[LogEntry] = []
    faults = list(scan.faults)
    for block in scan.blocks:
        if entry := read_entry(block.id, text[block.inner : block.inner_end]):
            entries.append(entry)
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


def append_entries(text: str | None, entries: Sequence[LogEntry], front_updates: Mapping[str, Json]) -> str:
    """Add entries at the end; where nothing is there, a new log begins with `front_updates` as its front matter."""
    if text is None or not text.strip("\ufeff\r\n\t "):
        text = ""
    known = _known(text)
    ids = [entry.id for entry in entries]
    for at, ident in enumerate(ids):
        if ident in known.ids or ident in ids[:at]:
            raise Damaged(f"an entry {ident} is already there; the next free number is {known.last_number + 1}")
    newline = newline_of(text)
    added = "\n".join(render_entry(entry) for entry in entries).replace("\n", newline)
    counts = {"entry_count": known.entries + len(entries), "last_number": max(known.last_number, _highest(ids))}
    grown = f"{text}{blank_line(text, newline)}{added}" if text else added
    return write_front(grown, read_front(text), {**front_updates, **counts})


def replace_entry(text: str, entry: LogEntry, drop: Collection[str] = ()) -> str:
    """Write the entry's values over the ones in the file, line by line where they differ.

    A person's heading, remarks, extra fields and extra sections stay; fields and sections in `drop` go.
    """
    block = _find(_scan(text), text, entry.id)
    return _put(text, block, merge_entry(text[block.inner : block.inner_end], entry, drop, newline_of(text)))


def entry_text(text: str, entry_id: str) -> str:
    """All that stands between the markers of an entry, as a person may change it."""
    block = _find(_scan(text), text, entry_id)
    return text[block.inner : block.inner_end].replace("\r\n", "\n").strip() + "\n"


def with_entry_text(text: str, entry_id: str, inner: str) -> str:
    """The file in which that stands between the markers."""
    return _put(text, _find(_scan(text), text, entry_id), f"{inner.strip()}\n".replace("\n", newline_of(text)))


def _put(text: str, block: _Block, inner: str) -> str:
    newline = newline_of(text)
    # an entry that a person typed without markers gets them, since our text may hold what would end it
    opening = text[block.start : block.inner] or f"<!-- entry:{block.id} -->{newline}"
    closing = text[block.inner_end : block.end]
    if not closing:
        inner = inner.rstrip() + newline
        closing = f"<!-- /entry:{block.id} -->{newline}" + (newline if block.end < len(text) else "")
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


def put_back(text: str | None, before: str, entries: Collection[str] | None) -> str:
    """A log, which may be gone, with these entries of what it was `before` again, or with all of them. Where nothing
    else happened to it, it is as it was."""
    old = _scan(before)
    wanted = {block.id for block in old.blocks} if entries is None else set(entries)
    if text is None:
        return (
            before if entries is None else without([one.id for one in old.blocks if one.id not in wanted], before) or ""
        )
    if text == without(wanted, before):
        return before
    newline = newline_of(text)
    for number, block in enumerate(old.blocks):
        scan = _scan(text)
        ends = {one.id: one.end for one in scan.blocks}
        if block.id not in wanted or block.id in scan.known.ids:
            continue
        raw = before[block.start : block.end].rstrip() + newline
        after = next((ends[one.id] for one in reversed(old.blocks[:number]) if one.id in ends), None)
        at = after if after is not None else min((one.start for one in scan.blocks), default=len(text))
        head, tail = text[:at], text[at:]
        gap = newline if tail and not tail.startswith(("\n", "\r\n")) else ""
        counts = {"entry_count": len(ends) + 1, "last_number": max(scan.known.last_number, _highest([block.id]))}
        text = write_front(f"{head}{blank_line(head, newline)}{raw}{gap}{tail}", scan.front, counts)
    return text


def parse_sheet(text: str) -> MemoryFile:
    front = read_front(text)
    if front.problem:
        raise Damaged("line {}: {}".format(*front.problem))
    return MemoryFile(front=front.values, body=normal_text(text[front.body :]))


def render_sheet(sheet: MemoryFile, original_text: str = "", drop: Collection[str] = ()) -> str:
    """The sheet as text. Keys and comments that a person added to the original's front matter stay, but for `drop`."""
    if not original_text.strip():
        return f"---\n{dump(clean(sheet.front))}---\n\n{normal_text(sheet.body)}\n"
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
    """A log of a busy day is long and grows all day. Where nobody touched it by hand, its markers tell as much as a
    look at every entry, in a third of the time."""
    marks = _OWN_MARK.findall(text)
    opened = marks[::2]
    ids = frozenset(mark[len("entry:") :] for mark in opened)
    ours = [f"/{mark}" for mark in opened] == marks[1::2] and len(ids) == len(opened) == text.count("\n## ")
    if not ours or text.count("entry:") != len(marks):
        return _scan(text).known
    return _counted(read_front(text), ids, len(ids))


def _counted(front: Front, ids: frozenset[str], entries: int) -> _Known:
    """Deleted entries count: `last_number` keeps them, as `entry_count` does in files of EverOS."""
    counted = [front.values.get(name) for name in ("last_number", "entry_count")]
    highest = max([_highest(ids), *(n for n in counted if type(n) is int and n < 10**8)])
    return _Known(ids, entries, highest)


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


def _highest(ids: Iterable[str]) -> int:
    """The highest number among ids such as ep_20261115_00000001."""
    return int(max(_NUMBER.findall(" ".join(ids)), default="0"))


def _find(scan: _Scan, text: str, entry_id: str) -> _Block:
    for block in scan.blocks:
        if block.id == entry_id:
            return block
    for at, ident, reason in scan.faults:
        if ident == entry_id:
            raise Damaged(f"line {_lines(text, [at])[at]}: entry {ident} {reason}")
    raise NotFound(f"no entry {entry_id} in this file")
