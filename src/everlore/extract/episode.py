"""The episode of a cell: a subject line, who spoke when, every turn in its own words, and a short account.

The subject names what was asked for, or the statements that stand best for the talk, whole where they fit; no cut takes
away a "not". The summary adds how it ended.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime, tzinfo

from everlore.extract.facts import FactDraft, opened
from everlore.extract.language import language_of, small
from everlore.extract.sentences import clip, content_words, is_question, prose, split, stopped
from everlore.extract.turns import ASSISTANT, Spoken, spoken
from everlore.extract.vocabulary import Vocabulary
from everlore.extract.when import show
from everlore.kinds.episode import Episode, Turn, render_turns
from everlore.types import Cell, Json, Message, Owner

LONGEST = 100
NAMES = 40
FIRST = 5
"""Sentences among which the first telling one is looked for."""
SUMMARY = 200
"""Characters of the summary, about."""
ROOM = 25
"""Characters after which a request in a sentence is no part of what it is about."""
MATTER = 100
"""Characters of what was asked for, and of how it ended."""
SPOKEN = 2000
"""Characters of a turn that are looked at for its first sentence."""

_KNOWN = Vocabulary("episode")
_JOINT = re.compile(r"(?:[\s,;:–—-]|\b(?:and|so|but|or|I|I['’]m|to|if)\b){1,40}$")
_DATE = re.compile(r"\s{0,9}\([^)]{0,100}\d{4}[^)]{0,100}\)")


def subject_line(turns: list[Spoken], drafts: list[FactDraft], timestamp: int, zone: tzinfo) -> str:
    by_users = any(turn.message.role == "user" for turn in turns)
    heard = [turn for turn in turns if turn.message.role == "user"] if by_users else turns
    names = list(dict.fromkeys(turn.name for turn in heard))
    date = f" ({show(datetime.fromtimestamp(timestamp / 1000, zone).date())})"
    who = clip(names[0] if len(names) == 1 else f"{', '.join(names[:-1])} and {names[-1]}", NAMES)
    room = LONGEST - len(date) - len(who) - 2
    matter = _matter(turns, room)
    told = _told(drafts, names, room - len(matter) - 2 if matter else room, _themes(turns), few=bool(matter))
    return f"{who}: {'; '.join(filter(None, (matter, told))) or _first_words(heard, room)}{date}"


def _matter(turns: list[Spoken], room: int) -> str:
    """What an assistant was asked for first, in the asker's words; empty where none was there or nothing was asked."""
    if not any(turn.message.role == "assistant" for turn in turns):
        return ""
    for turn in [turn for turn in turns if turn.message.role == "user"][:FIRST]:
        for sentence in split(prose(turn.message.text[:SPOKEN])):
            known, low = language_of(sentence), small(sentence)
            if len(content_words(sentence)) >= 2 and (is_question(sentence) or known.has("request", low)):
                bare = opened(sentence, known)
                asked = known.pattern("asks_for").match(small(bare))
                words = (bare[asked.end() :] if asked and len(content_words(bare[asked.end() :])) >= 2 else bare).strip(
                    " ,:."
                )
                more = known.pattern("request").search(small(words), ROOM)  # "… and I was wondering if you could"
                words = _JOINT.sub("", words[: more.start()]) if more else words
                return clip(words[0].upper() + words[1:], max(room, 20)) if words else ""
    return ""


def _themes(turns: list[Spoken]) -> Counter[str]:
    """In how many turns each word is said: what comes again is what the talk is about."""
    return Counter(
        word for turn in turns if turn.message.role != "tool" for word in set(content_words(turn.message.text[:SPOKEN]))
    )


def _telling(draft: FactDraft, themes: Mapping[str, int]) -> float:
    """How well a statement stands for the whole talk."""
    words = set(content_words(draft.text))
    again = sum(min(themes.get(word, 0) - 1, 4) for word in words if themes.get(word, 0) > 1)
    return draft.weight + again / max(4, len(words)) + draft.own_voice


def _told(drafts: list[FactDraft], names: list[str], room: int, themes: Mapping[str, int], *, few: bool = False) -> str:
    """The statement that tells most of the talk and fits, and a second one if there is room; in the order they were
    made."""
    drafts = [draft for draft in drafts if not draft.tentative and not draft.text.startswith('Asked "')]
    ranked = sorted(range(len(drafts)), key=lambda at: (-_telling(drafts[at], themes), at))
    texts = {at: _statement(drafts[at].text, names) for at in ranked}
    chosen: list[int] = []
    for at in ranked:
        used = sum(len(texts[other]) + 2 for other in chosen)
        if content_words(texts[at]) and used + len(texts[at]) <= room:
            chosen.append(at)
        if len(chosen) == (1 if few else 2):
            break
    if chosen or few:
        return "; ".join(texts[at] for at in sorted(chosen))
    return _cut((texts[at] for at in ranked if content_words(texts[at])), room)


def _statement(text: str, names: list[str]) -> str:
    """Without the name that stands at the head of the line anyway, and without the date."""
    framed = _KNOWN["frame"].match(text)
    plain = _DATE.sub("", framed["words"] if framed else text).strip()
    if len(names) == 1 and not plain.startswith(f"{names[0]} and "):
        plain = plain.removeprefix(f"{names[0]}'s ").removeprefix(f"{names[0]} ")
    return plain.rstrip(" .,;:")


def _cut(texts: Iterable[str], room: int) -> str:
    """The first text that can be cut without losing a denial, else the first."""
    found = [(text, clip(text, max(room, 20))) for text in texts]
    kept = (short for text, short in found if not _KNOWN["denial"].search(text[len(short) - 1 :]))
    return next(kept, found[0][1] if found else "")


def _first_words(turns: list[Spoken], room: int) -> str:
    sentences = [sentence for turn in turns for sentence in split(turn.message.text[:SPOKEN])]
    readable = [sentence for sentence in sentences if any(map(str.isalnum, sentence))]
    telling = max(readable[:FIRST], key=lambda sentence: min(len(content_words(sentence)), 3), default="")
    if not readable:
        return "tool work" if any(turn.message.tool_calls for turn in turns) else "no words"
    return clip(telling, max(room, 20))


TOOL_OUTPUT = 500
ARGUMENT = 80


def write_episode(cell: Cell, owner: Owner, entry: str, drafts: list[FactDraft], zone: tzinfo = UTC) -> Episode | None:
    """The episode, or None when nothing was said.

    Subject and summary tell the time in `zone`, as the facts in them do; the turns tell it in UTC, and their opening
    both.
    """
    turns = spoken(cell)
    if not turns:
        return None
    return Episode(
        owner=owner,
        local_id=entry,
        session_id=cell.session_id,
        timestamp=cell.timestamp,
        parent_id=cell.id,
        sender_ids=tuple(dict.fromkeys(turn.message.sender_id for turn in turns)),
        subject=subject_line(turns, drafts, cell.timestamp, zone),
        summary=_summary(turns, drafts, zone),
        assistants=tuple(dict.fromkeys(turn.name for turn in turns if turn.message.role != "user")),
        content=render_turns(_opening(turns, zone), [_turn(turn) for turn in turns]),
        project=cell.project,
    )


def _moment(message: Message) -> datetime:
    return datetime.fromtimestamp(message.timestamp / 1000, UTC)


def _date(moment: datetime) -> str:
    return f"{moment:%B} {moment.day}, {moment.year}"


def _clock(moment: datetime) -> str:
    return f"{moment.hour % 12 or 12}:{moment:%M %p}"


def _offset(moment: datetime) -> str:
    """`UTC`, or `UTC+08:00`."""
    shown = f"{moment:%z}"
    return "UTC" if shown == "+0000" else f"UTC{shown[:3]}:{shown[3:5]}"


def _opening(turns: list[Spoken], zone: tzinfo) -> str:
    moments = [_moment(turn.message) for turn in turns]
    first, last = min(moments), max(moments)  # messages may come out of order
    people = list(dict.fromkeys("the assistant" if turn.name == ASSISTANT else turn.name for turn in turns))
    listed = ", ".join(people[:-1]) + f" and {people[-1]}" if len(people) > 1 else people[0]
    verb = "talked" if len(people) > 1 else "spoke"
    if (first.hour, first.minute) == (last.hour, last.minute) and first.date() == last.date():
        when = f"On {_date(first)} at {_clock(first)} UTC"
    elif first.date() == last.date():
        when = f"On {_date(first)} from {_clock(first)} to {_clock(last)} UTC"
    else:
        when = f"From {_date(first)} at {_clock(first)} to {_date(last)} at {_clock(last)} UTC"
    there = first.astimezone(zone)
    if there.utcoffset():
        when += f" (from {_date(there)} at {_clock(there)} {_offset(there)})"
    return f"{when}, {listed} {verb}."


def _turn(turn: Spoken) -> Turn:
    message = turn.message
    text = message.text.strip()
    if message.role == "tool":
        text = clip(text, TOOL_OUTPUT)
    calls = "; ".join(_call(call) for call in message.tool_calls or ())
    return Turn(turn.name, f"{_moment(message):%H:%M}", "\n\n".join(part for part in (text, calls) if part))


def _call(call: Mapping[str, Json]) -> str:
    """`called search(query=…)`, for the OpenAI form and for a flat one."""
    inner = call.get("function")
    body = inner if isinstance(inner, Mapping) else call
    given = body.get("arguments", body.get("input", {}))
    shown = clip(" ".join(str(given or "").split()), ARGUMENT)
    with suppress(ValueError, RecursionError):  # no JSON, or too deep to be read; then as it came
        named = json.loads(given) if isinstance(given, str) else given
        if isinstance(named, Mapping):
            shown = ", ".join(f"{key}={clip(' '.join(str(value).split()), ARGUMENT)}" for key, value in named.items())
    return f"called {body.get('name') or 'a tool'}({shown})"


def _summary(turns: list[Spoken], drafts: list[FactDraft], zone: tzinfo) -> str:
    """Date and time, then the most telling statements in the order they were made."""
    first_at = min(_moment(turn.message) for turn in turns).astimezone(zone)
    start = f"On {_date(first_at)} at {_clock(first_at)} {_offset(first_at)}: "
    drafts = [draft for draft in drafts if not draft.tentative]
    if not drafts and not _matter(turns, MATTER):
        first = next((turn for turn in turns if turn.message.text.strip()), turns[0])
        words = " ".join(split(first.message.text[: 4 * SUMMARY])) or _turn(first).text
        return clip(f'{start}{first.name} said: "{words}"', SUMMARY + 40)
    matter, ending = _matter(turns, MATTER), _ending(turns)
    themes = _themes(turns)
    ranked = sorted(drafts, key=lambda draft: -_telling(draft, themes))
    chosen: list[FactDraft] = []
    size = len(start) + len(matter) + len(ending)
    for draft in ranked:
        if (chosen or matter) and size + len(draft.text) > SUMMARY:
            continue
        chosen.append(draft)
        size += len(draft.text) + 1
        if size > SUMMARY:
            break
    told = [stopped(draft.text) for draft in sorted(chosen, key=drafts.index)]
    ends = set(content_words(ending))
    ending = "" if any(ends <= {*content_words(text)} for text in (matter, *told)) else ending
    parts = [stopped(matter) if matter else "", *told, f"→ {ending}" if ending else ""]
    return clip(start + " ".join(filter(None, parts)), SUMMARY + 140)


def _ending(turns: list[Spoken]) -> str:
    """How a talk with an assistant ended: what was decided or found, else the last thing that was told, in the words
    of who said it."""
    if not any(turn.message.role == "assistant" for turn in turns):
        return ""
    told = ""
    for turn in reversed([turn for turn in turns if turn.message.role == "user"][1:]):
        for sentence in reversed(split(prose(turn.message.text[:SPOKEN]))):
            known, low = language_of(sentence), small(sentence)
            if is_question(sentence) or not content_words(sentence):
                continue
            if known.has("concludes", low):
                return clip(opened(sentence, known), MATTER)
            if not known.has("request", low) and not known.pattern("courtesy").match(low):
                told = told or clip(opened(sentence, known), MATTER)
    return told
