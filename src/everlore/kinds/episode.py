"""Episode: a readable account of one stretch of conversation, with the speakers' own words in it."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from everlore.clock import spoken_day
from everlore.kinds.base import CellMemory, cell_row, header, list_field, of_entry, section, text_field, told
from everlore.kinds.pieces import split_text
from everlore.kinds.registry import DailyLog, Kind, register
from everlore.types import IndexRow, Json, LogEntry, Owner, Unit

SECTIONS = ("Subject", "Summary", "Content")
DRAFTED = "drafted"
"""The slot of episodes that no model and no person has reviewed: they are the queue of what waits for a review."""

_TURN = re.compile(r"^\*\*(?P<speaker>[^\n]+?)\*\* \((?P<time>\d\d:\d\d)\): ", re.MULTILINE)
_ESCAPED = re.compile(r"^\\(\\*\*\*[^\n]+?\*\* \(\d\d:\d\d\): )", re.MULTILINE)
_NEEDS_ESCAPE = re.compile(r"^(\\*\*\*[^\n]+?\*\* \(\d\d:\d\d\): )", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class Turn:
    """One speaker's words. `time` is the UTC clock time shown to the reader, HH:MM."""

    speaker: str
    time: str
    text: str


@dataclass(frozen=True, slots=True)
class Episode(CellMemory):
    subject: str
    summary: str
    content: str
    assistants: tuple[str, ...] = ()
    """Speakers that are no people."""
    reviewed_by: str = ""
    """Who made more of it than a draft; "" for nobody yet."""
    remarks: tuple[tuple[str, str], ...] = ()
    """Sections that a person added, with their headings."""


def render_turns(opening: str, turns: Iterable[Turn]) -> str:
    """The account: an opening sentence, then each turn as its own paragraph."""
    parts = [opening]
    for turn in turns:
        body = _NEEDS_ESCAPE.sub(r"\\\1", turn.text.strip())
        parts.append(f"**{turn.speaker.replace('*', '')}** ({turn.time}): {body}")
    return "\n\n".join(parts)


def parse_turns(content: str) -> tuple[str, list[Turn]]:
    """The opening and the turns. Text that a person wrote without any turn mark is all opening."""
    marks = list(_TURN.finditer(content))
    opening = content[: marks[0].start()] if marks else content
    return opening.strip(), [_turn(content, marks, number) for number in range(len(marks))]


def turns_at(content: str, numbers: Iterable[int]) -> dict[int, Turn]:
    """These turns alone, as far as there are such: quicker than all."""
    marks = list(_TURN.finditer(content))
    return {number: _turn(content, marks, number) for number in numbers if 0 <= number < len(marks)}


def _turn(content: str, marks: Sequence[re.Match[str]], number: int) -> Turn:
    mark = marks[number]
    end = marks[number + 1].start() if number + 1 < len(marks) else len(content)
    text = content[mark.end() : end].strip()
    return Turn(mark["speaker"], mark["time"], _ESCAPED.sub(r"\1", text) if "\\" in text else text)


def turn_moment(last: int, clock: str) -> int:
    """When a turn was said whose clock time is this (HH:MM), of a talk whose last turn was said at `last`: then, or at
    the latest such time before it. Without a clock, as in texts that people wrote, at `last`."""
    minutes = int(clock[:2]) % 24 * 60 + int(clock[3:]) % 60 if clock else last // 60_000
    moment = last - (last // 60_000 - minutes) % (24 * 60) * 60_000
    return moment if moment == last else moment - moment % 60_000


def to_entry(episode: Episode) -> LogEntry:
    fields = {**header(episode), **told(assistants=episode.assistants), **told(reviewed_by=episode.reviewed_by)}
    sections = dict(zip(SECTIONS, (episode.subject, episode.summary, episode.content), strict=True))
    return LogEntry(episode.local_id, fields, sections | dict(episode.remarks))


def from_entry(entry: LogEntry, owner: Owner, day: str = "") -> Episode:
    content = section(entry, "Content")
    return Episode(
        **of_entry(entry, owner, day),
        subject=entry.sections.get("Subject", "").strip() or content.splitlines()[0][:100],
        summary=entry.sections.get("Summary", "").strip() or content[:200],
        content=content,
        assistants=list_field(entry, "assistants"),
        reviewed_by=text_field(entry, "reviewed_by", ""),
        remarks=tuple(
            (name, text.strip()) for name, text in entry.sections.items() if name not in SECTIONS and text.strip()
        ),
    )


def turn_units(turn: int, speaker: str, moment: int, text: str, *, assistant: bool = False) -> list[Unit]:
    """Who, when and what, in pieces. The date helps words and vectors alike to answer "when" questions.

    Of an assistant's long answer only the beginning gets a vector: measured, the rest adds nothing that its words
    do not find, crowds out what people said, and is half of all there is to embed.
    """
    date = spoken_day(moment)
    who = f"{speaker} ({date})" if speaker else f"({date})"
    told = [f"{who}: {piece}" for piece in split_text(text)]
    return [Unit(turn, dense="" if assistant and at else piece, words=piece) for at, piece in enumerate(told)]


def units(episode: Episode) -> tuple[Unit, ...]:
    opening, turns = parse_turns(episode.content)
    told = [(turn.speaker, turn.text) for turn in turns] or [("", paragraph) for paragraph in split_text(opening)]
    return tuple(
        unit
        for number, (speaker, text) in enumerate([*told, *episode.remarks])
        for unit in turn_units(
            number, speaker, episode.timestamp, text, assistant=number < len(turns) and speaker in episode.assistants
        )
    )


def to_row(episode: Episode, updated: int) -> IndexRow:
    account = "\n\n".join([episode.content, *(f"### {heading}\n{text}" for heading, text in episode.remarks)])
    data: dict[str, Json] = {"subject": episode.subject, "summary": episode.summary, "episode": account}
    data |= told(reviewed_by=episode.reviewed_by, assistants=list(episode.assistants))
    waits = not episode.reviewed_by and bool(_TURN.search(episode.content))
    return cell_row(EPISODE.name, episode, updated, data, units(episode), slot=DRAFTED if waits else "")


EPISODE = register(
    Kind(
        name="episode",
        code="ep",
        track="user",
        layout=DailyLog("episodes/episode-{date}.md"),
        parse=from_entry,
        render=to_entry,
        index=to_row,
        found_as="episode",
        made_by_cells=True,
        states=False,
        memory_type="episodic",
        statement="episode",
        text=lambda data: str(data["episode"]),
    )
)
