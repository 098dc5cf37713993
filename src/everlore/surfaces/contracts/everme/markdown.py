"""Recalled memories as markdown for a model's context. Pure.

Every line says when and where it comes from, and quotes what was stored as data, names and ids too: one line, in
quotation marks, under a heading that says so. So a stored instruction reads as something that somebody once wrote.
The whole fits a budget of tokens; lines that do not fit are counted at the end.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from everlore.surfaces.contracts.quoting import NAME, NOTICE, line, plain, quoted
from everlore.types import Json

CONTEXT_TOKENS = 800
SEARCH_TOKENS = 4000
ID = 120  # characters
RULE = "rule"
OF_USER = 3
"""Lines that tell who the user is."""
NOTHING_FOUND = "_(no matching memories)_"
NOTHING_FITS = "_(nothing that is remembered has to do with it)_"
NOTHING_KNOWN = "_(no profile available: nothing is remembered yet)_"

Row = Mapping[str, Json]
Section = tuple[str, Sequence[str]]


def search_results(query: str, found: Row, budget: int = SEARCH_TOKENS) -> str:
    title, agent = f"## EverMe search results for {quoted(query, 200)}", _mapping(found.get("agentMemory"))
    sections = [
        ("### Episodic memory", [told for row in _rows(found, "items") for told in _episode(row)]),
        ("### User profile", [_profile(row) for row in _rows(found, "profiles")]),
        ("### Agent skills", [_skill(row) for row in _rows(agent, "skills")]),
        ("### Past task cases", [_case(row) for row in _rows(agent, "cases")]),
        ("### Recent raw messages", [_raw(row) for row in _rows(found, "rawMessages")]),
    ]
    return _within(title, sections, budget) or f"{title}\n\n{NOTHING_FOUND}"


def context(profile: Row | None, found: Row, last: Sequence[str] = (), budget: int = CONTEXT_TOKENS) -> str:
    """What a session should know, as far as it fits: rules, the user, how the `last` session went, what answers.

    Empty when nothing is known. The same memories give the same text, whatever the day: hosts keep what begins alike.
    """
    known, agent = profile or {}, _mapping(found.get("agentMemory"))
    infos = [info for info in _rows(known, "explicit_info") if info.get("description")]
    rules = [info for info in infos if info.get("category") == RULE]
    user = [line(known["summary"], origin=("in short",))] if known.get("summary") else []
    user += [_info(info) for info in infos if info.get("category") != RULE]
    user += [
        line(f"{trait.get('trait') or ''}: {trait['description']}", origin=(str(trait.get("basis") or "observed"),))
        for trait in _rows(known, "implicit_traits")
        if trait.get("description")
    ]
    sections: list[Section] = [
        ("### Rules that hold here", [_info(info) for info in rules]),
        ("### The user", user[:OF_USER]),
        ("### The last session here", last),
        ("### What was said about it", _answers(found)),
        ("### How it was done before", [_done(row) for name in ("skills", "cases") for row in _rows(agent, name)]),
        ("### Not yet remembered", [_raw(row) for row in _rows(found, "rawMessages")]),
    ]
    return _within("## Memory context", sections, budget)


def _info(info: Row) -> str:
    return line(info["description"], origin=(_when(info),))


def _answers(found: Row) -> list[str]:
    """Each sentence once, in the order in which it was said; what has ended is no answer."""
    said: dict[str, tuple[str, str]] = {}
    for row in _rows(found, "items"):
        for one in _rows(row, "passages"):
            if one.get("text") and not one.get("valid_until"):
                day = _day(one.get("time"))[:10]
                told = line(one["text"], whose=one.get("whose"), by=one.get("speaker") or "", origin=(day,))
                said.setdefault(" ".join(str(one["text"]).lower().split()), (str(one.get("time") or ""), told))
    return [told for _, told in sorted(said.values())]


def _done(row: Row) -> str:
    about = row.get("name") or row.get("taskIntent") or ""
    how = row.get("description") or row.get("content") or row.get("approach") or ""
    return line(f"{about}: {how}", origin=(_day(row.get("timestamp"))[:10],))


def line_count(text: str) -> int:
    return sum(line.startswith("- ") for line in text.splitlines())


def _within(title: str, sections: Sequence[Section], budget: int) -> str:
    """The sections as far as they fit, the first lines of each before the later ones of any; empty where there are
    none."""
    spent = tokens(f"{title}\n\n{NOTICE}\n") + 16
    kept: set[tuple[str, int]] = set()
    for at in range(max(len(lines) for _, lines in sections)):
        for heading, lines in sections:
            if at < len(lines):
                cost = tokens(lines[at]) + 1 + (tokens(heading) + 2 if at == 0 else 0)
                if spent + cost <= budget:
                    spent += cost
                    kept.add((heading, at))
    parts = [title, NOTICE]
    for heading, lines in sections:
        if shown := [line for at, line in enumerate(lines) if (heading, at) in kept]:
            parts.append("\n".join([heading, *shown]))
    there = sum(len(lines) for _, lines in sections)
    if there > len(kept):
        parts.append(f"_({there - len(kept)} more did not fit)_")
    return "\n\n".join(parts) if there else ""


def tokens(text: str) -> int:
    """About four characters each; other scripts than Latin count more."""
    wide = sum(ord(char) > 0x2E80 for char in text)
    return wide + (len(text) - wide + 3) // 4


def _episode(row: Row) -> Iterator[str]:
    """The sentences that matched, with who said them and whether they still hold; without any, the account itself."""
    passages = [one for one in _rows(row, "passages") if one.get("text")]
    for one in passages:
        who = [plain(str(one.get("whose") or "")), quoted(one["speaker"], NAME) if one.get("speaker") else ""]
        said = ", ".join(filter(None, (_origin(row), " ".join(filter(None, who)))))
        yield f"- [episodic] {said}{_past(one)}: {quoted(one['text'])}"
    text = row.get("episode") or row.get("summary") or row.get("content") or row.get("text")
    if text and not passages:
        yield f"- [episodic] {_origin(row)}: {quoted(text)}"


def _past(passage: Row) -> str:
    if not passage.get("valid_until"):
        return ""
    by = f", now {quoted(passage['ended_by'])}" if passage.get("ended_by") else ""
    return f" (past, until {_day(passage['valid_until'])}{by})"


def _profile(row: Row) -> str:
    data = _mapping(row.get("profileData"))
    tag = quoted(data.get("category") or data.get("trait") or data.get("item_type") or "profile", NAME)
    text = data.get("embed_text") or data.get("description") or row.get("summary") or ""
    return f"- [profile] {_when(data, row)}, {tag}: {quoted(text)}"


def _skill(row: Row) -> str:
    text = row.get("description") or row.get("content") or ""
    return f"- [skill] {_origin(row)}: {quoted(row.get('name') or 'skill')} {quoted(text)}"


def _case(row: Row) -> str:
    how = f" how: {quoted(row['approach'])}" if row.get("approach") else ""
    return f"- [case] {_origin(row)}: {quoted(row.get('taskIntent') or '')}{how}"


def _raw(row: Row) -> str:
    parts = row.get("contentItems")
    texts = [str(_mapping(part).get("text") or "") for part in parts] if isinstance(parts, list) else []
    who = quoted(row.get("senderName") or "speaker", NAME)
    return f"- [raw] {_origin(row)}, {plain(str(row.get('role') or 'user'))} {who}: {quoted(' '.join(texts))}"


def _origin(row: Row) -> str:
    """When, in which conversation, whose, and the id by which it can be fetched or forgotten."""
    parts = [_day(row.get("timestamp"))]
    parts += [f"session {quoted(row['sessionId'], NAME)}"] if row.get("sessionId") else []
    owner = row.get("userId") or row.get("agentId")
    parts += [f"of {quoted(owner, NAME)}"] if owner else []
    parts += [f"id {quoted(row['id'], ID)}"] if row.get("id") else []
    return ", ".join(part for part in parts if part) or "undated"


def _when(info: Row, row: Row | None = None) -> str:
    """The day of a profile's line stands at the beginning of its evidence."""
    day, colon, _ = str(info.get("evidence") or "").partition(":")
    if colon and len(day) == 10 and day[:4].isdecimal():
        return f"said {day}"
    return _day((row or {}).get("timestamp")) or "undated"


def _day(timestamp: object) -> str:
    text = plain(str(timestamp or ""))
    return text[:16].replace("T", " ")


def _rows(source: Row, name: str) -> list[Row]:
    rows = source.get(name)
    return [row for row in rows if isinstance(row, Mapping)] if isinstance(rows, list) else []


def _mapping(value: Json) -> Row:
    return value if isinstance(value, Mapping) else {}
