"""Which parts of a reply are believed: those whose names, numbers and dates stand in the turns that they cite, or
follow from them. What does not is refused with a reason that a model can act on; the rest is taken. Pure."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from datetime import date, datetime
from typing import Any

from pydantic import ValidationError

from everlore.clock import iso
from everlore.errors import InvalidInput
from everlore.extract.curation import (
    LISTS,
    MOST_LINES,
    MOST_REFUSED,
    OPENERS,
    RULE,
    SUMMARY,
    TITLE,
    Accepted,
    Cited,
    End,
    EndReply,
    FactReply,
    Line,
    Part,
    ProfileReply,
    Refusal,
    Reply,
    Stretch,
    TurnShown,
)
from everlore.extract.when import show, with_dates
from everlore.kinds.base import UTC_CLOCK
from everlore.masking import mask_secrets
from everlore.types import Json

SHARED_LETTERS = 4
"""Two words of which one continues the other, from so many letters on, are forms of one word: move, moved, moving."""

TITLE_CASE = 0.6
"""Share of words with a capital from which on capitals say nothing of names."""

_WORD = re.compile(r"[^\W\d_][\w'’-]*")
_DATE = re.compile(r"\b(\d{4})-(\d\d)-(\d\d)\b")
_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_SENTENCE = re.compile(r"(?:^|[.!?…:;\n])[\s\"'“”„«»(\[-]{0,40}$")


def check(reply: Json, stretch: Stretch) -> tuple[Accepted, tuple[Refusal, ...]]:
    """What of a reply is believed, and why the rest is not."""
    if not isinstance(reply, dict):
        return Accepted(), (Refusal("reply", "must be one JSON object of the schema"),)
    judge = _Judge(stretch)
    for name in reply.keys() - Reply.model_fields.keys():
        judge.refuse(name, f"is not part of a reply; known are {', '.join(Reply.model_fields)}")
    title = judge.whole_text("title", reply.get("title"), TITLE)
    summary = judge.whole_text("summary", reply.get("summary"), SUMMARY)
    lines: list[Line] = []
    places: dict[int, int] = {}
    for name in ("facts", "rules", "profile"):
        for at, part in judge.parts(name, reply.get(name)):
            if (line := judge.line(f"{name}[{at}]", name, part)) and all(line.text != one.text for one in lines):
                if name == "facts":
                    places[at + 1] = len(lines)
                lines.append(line)
    ends = [judge.end(f"ends[{at}]", part, places) for at, part in judge.parts("ends", reply.get("ends"))]
    lesson = judge.lesson(reply.get("learnt"))
    kept = {end.id: end for end in ends if end}
    accepted = Accepted(title, summary, tuple(lines), tuple(kept.values()), lesson)
    return accepted, tuple(judge.refused[:MOST_REFUSED])


class _Judge:
    """Compares parts of a reply with the turns they cite, and collects what it refuses."""

    def __init__(self, stretch: Stretch) -> None:
        self._stretch = stretch
        self._turns = {turn.number: turn for turn in stretch.turns}
        self._people = {word for turn in stretch.turns for word in _words(turn.speaker)}
        self.refused: list[Refusal] = []

    def refuse(self, where: str, reason: str) -> None:
        self.refused.append(Refusal(where, reason))

    def parts(self, name: str, given: Json) -> Iterable[tuple[int, Any]]:
        """The items of a list that have the right shape."""
        if given is None:
            return
        if not isinstance(given, list):
            self.refuse(name, "must be a list")
            return
        if len(given) > MOST_LINES:
            self.refuse(name, f"has {len(given)} items; send at most {MOST_LINES}")
        for at, item in enumerate(given[:MOST_LINES]):
            if (part := self._read(f"{name}[{at}]", LISTS[name], item)) is not None:
                yield at, part

    def line(self, where: str, name: str, part: Cited) -> Line | None:
        text = " ".join(part.text.split())
        if not self._cited(where, part.turns) or not self._believed(where, text, part.turns):
            return None
        starts = None
        if isinstance(part, FactReply) and part.valid_from:
            starts = self._day(where, part.valid_from, part.turns)
            if starts is None:
                return None
        category = RULE if name == "rules" else part.category if isinstance(part, ProfileReply) else ""
        return Line(text, tuple(dict.fromkeys(part.turns)), category, starts)

    def end(self, where: str, part: EndReply, places: dict[int, int]) -> End | None:
        if part.id not in {offered.id for offered in self._stretch.older}:
            self.refuse(where, "only what is offered under `older` may end; use one of its ids")
            return None
        if not self._cited(where, part.turns):
            return None
        if part.replaced_by is not None and part.replaced_by not in places:
            self.refuse(where, f"replaced_by names fact {part.replaced_by}, which was not taken")
            return None
        return End(part.id, tuple(dict.fromkeys(part.turns)), places.get(part.replaced_by or 0))

    def lesson(self, given: Json) -> str:
        if given is None:
            return ""
        part = self._read("learnt", Cited, given)
        if part is None or not self._cited("learnt", part.turns):
            return ""
        if not self._stretch.has_run:
            self.refuse("learnt", "no agent used a tool in this talk, so there is no run to learn from")
            return ""
        text = " ".join(part.text.split())
        return text if self._believed("learnt", text, part.turns) else ""

    def whole_text(self, where: str, given: Json, most: int) -> str:
        """A title or a summary rests on all turns."""
        if given is None or given == "":
            return ""
        if not isinstance(given, str):
            self.refuse(where, "must be a text")
            return ""
        text = " ".join(given.split())
        if len(text) > most:
            self.refuse(where, f"has {len(text)} characters; write at most {most}")
            return ""
        return text if self._believed(where, text, list(self._turns), whole=True) else ""

    def _read(self, where: str, shape: type[Part], item: Json) -> Any:
        try:
            return shape.model_validate(item)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False)[0]
            place = ".".join(map(str, first["loc"]))
            self.refuse(where, f"{place}: {first['msg']}" if place else first["msg"])
            return None

    def _cited(self, where: str, turns: Sequence[int]) -> bool:
        missing = [number for number in turns if number not in self._turns]
        if missing:
            self.refuse(where, f"there is no turn {missing[0]}; turns are 1 to {len(self._turns)}")
        return not missing

    def _believed(self, where: str, text: str, numbers: Sequence[int], *, whole: bool = False) -> bool:
        if mask_secrets(text) != text:
            self.refuse(where, "holds what looks like a secret, which is never remembered")
            return False
        reason = self._unfounded(text, numbers, whole=whole)
        if reason:
            self.refuse(where, reason)
        return not reason

    def _unfounded(self, text: str, numbers: Sequence[int], *, whole: bool) -> str:
        """What in the text does not follow from these turns, "" if all does. What tells of the `whole` talk may begin a
        sentence with a word of its own."""
        cited = [self._turns[number] for number in numbers]
        said = "\n".join(self._dated(turn) for turn in cited)
        days = {day for turn in cited for day in self._days(turn)}
        place = "the turns" if len(cited) > 3 else f"turn {' and '.join(str(turn.number) for turn in cited)}"
        for year, month, day in _DATE.findall(text):
            if f"{year}-{month}-{day}" not in days:
                return f"the date {year}-{month}-{day} does not follow from {place}"
        known = {*_NUMBER.findall(said), *_digits(said)}
        for number in _NUMBER.findall(_DATE.sub(" ", text)):
            if number not in known and number.lstrip("0") not in known:
                return f"the number {number} does not stand in {place}; write it as it was said"
        words = _words(said)
        for name in _names(text, openings=not whole):
            if not _is_said(name, words) and name not in self._people:
                return f"«{name}» does not stand in {place}; cite the turn that names it, or use the words of the talk"
        return "" if self._shares(text, words) else f"shares no word with {place}; cite the turn that says so"

    def _shares(self, text: str, said: set[str]) -> bool:
        """Scripts without blanks have words that are whole sentences: there a few letters in common must do."""
        own = _words(text) - self._people - OPENERS
        letters = {letter for word in own for letter in word if letter > "\u2e7f"}
        together = {letter for word in said for letter in word}
        return any(_is_said(word, said) for word in own) or len(letters & together) >= 2

    def _dated(self, turn: TurnShown) -> str:
        """The words of a turn, with the dates that they mean and its own."""
        own = datetime.fromtimestamp(turn.moment / 1000, self._stretch.zone).date()
        return f"{with_dates(turn.text, turn.moment, self._stretch.zone)} {show(own)} {own:%d %m}"

    def _days(self, turn: TurnShown) -> set[str]:
        """The days that a turn names or means, and its own."""
        said = self._dated(turn)
        found = {"-".join(parts) for parts in _DATE.findall(said)}
        for day, month, year in re.findall(r"\b(\d{1,2}) ([A-Z][a-z]+) (\d{4})\b", said):
            found |= {
                f"{year}-{number:02}-{int(day):02}"
                for number in range(1, 13)
                if show(date(2000, number, 1)).split()[1] == month
            }
        return found

    def _day(self, where: str, text: str, numbers: Sequence[int]) -> int | None:
        days = {day for number in numbers for day in self._days(self._turns[number])}
        years = {number for turn in numbers for number in _NUMBER.findall(self._dated(self._turns[turn]))}
        try:
            moment = UTC_CLOCK.parse(f"{text}T00:00:00Z" if len(text) == 10 else text)
        except InvalidInput:
            self.refuse(where, "valid_from must be a day such as 2026-05-03")
            return None
        if iso(moment)[:10] not in days and iso(moment)[:4] not in years:
            self.refuse(where, f"valid_from {text} does not follow from the turns that are cited")
            return None
        return moment


def _words(text: str) -> set[str]:
    return {word.strip("'’-").casefold() for word in _WORD.findall(text)}


def _digits(text: str) -> set[str]:
    """The parts of numbers: 7 and 30 of 7:30."""
    return {part.lstrip("0") or "0" for number in _NUMBER.findall(text) for part in re.split(r"[.,:]", number)}


def _names(text: str, *, openings: bool) -> list[str]:
    """Words with a capital, which may be names; without `openings` not the first one of a sentence. Never those that
    open sentences in every talk ("The", "Since"), nor any In A Title Like This."""
    words = list(_WORD.finditer(text))
    long = [word[0] for word in words if len(word[0]) >= SHARED_LETTERS]
    if not openings and len(long) > 2 and sum(word[:1].isupper() for word in long) >= TITLE_CASE * len(long):
        return []
    found = []
    for match in words:
        word = match[0].strip("'’-")
        name = re.sub(r"['’]s?$", "", word).casefold()
        opens = bool(_SENTENCE.search(text[: match.start()]))
        if word[:1].isupper() and not (opens and (name in OPENERS or not openings)) and name != "i":
            found.append(name)
    return found


def _is_said(word: str, said: set[str]) -> bool:
    """Whether a word, or another form of it, is among those that were said."""
    if word in said:
        return True
    stem = word[: max(SHARED_LETTERS, len(word) - 3)]
    return len(word) >= SHARED_LETTERS and any(one.startswith(stem) for one in said)
