"""Facts of a cell: each informative sentence as one statement that can be read without the others.

Who said it and on which day is part of the statement; the speaker's own words stay as they were as far as grammar
allows. What cannot be rewritten safely is quoted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo

from everlore.extract import slots
from everlore.extract.borrowed import apart, in_other_voice
from everlore.extract.chatter import answers, is_chatter, is_code, is_offer, open_question, opened, told, weight_of
from everlore.extract.corrections import corrected
from everlore.extract.elliptic import declines, lasts, of_ours, standing, whole
from everlore.extract.sentences import (
    asks_first,
    clip,
    content_words,
    is_english,
    is_question,
    items,
    prose,
    split,
    unmarked,
    words,
)
from everlore.extract.turns import Spoken, spoken
from everlore.extract.voice import third_person
from everlore.extract.when import with_dates
from everlore.kinds.fact import Fact
from everlore.types import Cell, Owner

READ = 100_000
"""Characters of one message that are looked at; the episode has all of them."""
LONG_PASTE = 2000
FACTS_OF_PASTE = 8
FACTS_OF_ASSISTANT = 6
LONGEST = 400
QUESTION = 120

_LIST_HEAD = re.compile(
    r"^[ \t]*(?:[-*•]|\d{1,2}[.)])[ \t]+(?:\*\*(.{2,80}?)\*\*"
    r"|((?:[^:.\n]|\.(?=\w)|(?<=\b[A-Za-z])\.){2,60}?)(?=:|[ \t]*$))",
    re.MULTILINE,
)
_SHARED = re.compile(r"^\[(?:image|photo|picture|video|audio|file|document)\b[^\]]*\]$", re.IGNORECASE)
_NAMED_KIN = re.compile(
    r"\b[Mm]y (?:[a-z]+ )?(?:sister|brother|mom|mother|dad|father|wife|husband|partner|girlfriend|boyfriend|fiancée?"
    r"|son|daughter|kid|cousin|niece|nephew|aunt|uncle|friend|boss|dog|cat),? [A-Z]\w+"
)
"""Who somebody is, told in passing: "a card for my sister Julia"."""
_FIRST_PERSON = re.compile(r"\b(?:I|i|my|My|me|I['’](?:m|ve|d|ll))\b")


@dataclass(frozen=True, slots=True)
class FactDraft:
    """A fact before it has an id. `turn` counts the rendered turns of the episode from 0."""

    text: str
    turn: int
    about: str
    sender_id: str
    timestamp: int
    by_user: bool
    weight: float
    """How much the statement tells, to choose among facts of one cell."""

    @property
    def own_voice(self) -> bool:
        """A statement, not a quotation."""
        return not self.text.endswith('"')


def write_facts(cell: Cell, zone: tzinfo = UTC) -> list[FactDraft]:
    """All facts of a cell in the order they were said, none twice. They are the same for every owner of the cell."""
    turns = spoken(cell)
    people = frozenset(word.lower() for turn in turns for word in words(turn.name))
    drafts: dict[str, FactDraft] = {}
    question = ""
    asker = ""
    last: dict[str, str] = {}
    for turn in turns:
        if turn.message.role == "tool":
            continue
        own, passed_on = apart(prose(turn.message.text[:READ]))
        sentences = _sentences(own)
        asked = question if asker != turn.message.sender_id else ""
        if turn.message.role == "assistant":
            found = _assistant(turn, sentences, people, zone)
        else:
            found = _person(turn, sentences, people, asked, zone, last.get(turn.message.sender_id, ""))
            last |= {draft.sender_id: draft.text for draft in found}
            found += _passed_on(turn, _sentences(passed_on), people, zone)
        for draft in found:
            drafts.setdefault(draft.text.casefold(), draft)
        question, asker = open_question(sentences), turn.message.sender_id
    return list(drafts.values())


def _sentences(text: str) -> list[str]:
    return [clip(sentence, LONGEST) for sentence in split(text) if not is_code(sentence)]


def as_fact(draft: FactDraft, cell: Cell, owner: Owner, entry: str) -> Fact:
    return Fact(
        owner=owner,
        entry=entry,
        session_id=cell.session_id,
        timestamp=draft.timestamp,
        parent_id=cell.id,
        sender_ids=(draft.sender_id,),
        text=draft.text,
        turn=draft.turn,
        by_user=draft.by_user,
        about=draft.about,
    )


def _person(
    turn: Spoken, sentences: list[str], people: frozenset[str], asked: str, zone: tzinfo, before: str
) -> list[FactDraft]:
    """`asked` is the question they may be answering, `before` what they stated last."""
    found: list[FactDraft] = []
    for sentence in sentences:
        if is_question(sentence):
            asked = ""
            asks = asks_first(opened(sentence, people)) and not _NAMED_KIN.search(sentence)
            if not asks and _tells_of_self(sentence, people):
                found.append(_draft(turn, _said(turn, sentence, zone, "asked"), told(sentence, people)))
            continue
        text = corrected(sentence, before, turn.name) or _statement(turn, sentence, people, asked, zone)
        before = text or before
        if text or not is_chatter(sentence, people, 0):
            asked = ""  # only what comes straight after the question answers it
        if text:
            found.append(_draft(turn, text, 0.0 if _SHARED.match(sentence) else told(sentence, people)))
    if len(turn.message.text) > LONG_PASTE:
        return _best(found, FACTS_OF_PASTE)
    return found


def _passed_on(turn: Spoken, sentences: list[str], people: frozenset[str], zone: tzinfo) -> list[FactDraft]:
    """The most telling sentences of a document or a quotation. Whoever says "I" there is not the one who shared it."""
    found = [
        _draft(turn, _said(turn, sentence, zone, "shared"), told(sentence, people))
        for sentence in sentences
        if weight_of(sentence, people) >= 3 and not is_question(sentence)
    ]
    return _best([replace(draft, about="") for draft in found], FACTS_OF_PASTE)


def _statement(turn: Spoken, sentence: str, people: frozenset[str], asked: str, zone: tzinfo) -> str:
    """The fact in a sentence, or empty when it tells nothing."""
    if _SHARED.match(sentence):
        return f"{turn.name} shared {sentence}"
    weight = weight_of(sentence, people)
    bare = opened(sentence, people)
    english = is_english(bare)
    full = whole(bare)
    rewritable = (english or full != bare) and not in_other_voice(bare, turn.name)
    own_voice = third_person(full, turn.name) if rewritable else None
    if asked and _is_fragment(bare) and answers(sentence, people):
        return f'Asked "{clip(asked, QUESTION)}", {_said(turn, sentence, zone)}'
    if is_chatter(sentence, people, weight):
        return ""
    if own_voice is not None:
        rewritten = with_dates(own_voice, turn.message.timestamp, zone)
        if not rewritten.startswith(turn.name):  # "user123" is a name as it stands
            rewritten = rewritten[0].upper() + rewritten[1:]
        telling = weight >= 2 or (weight == 1 and lasts(full)) or slots.about(rewritten, turn.name)
        return rewritten if telling else ""
    needed = 2 if _FIRST_PERSON.search(sentence) or not english or of_ours(bare) else 3
    plain = weight >= needed or declines(bare) or standing(bare)
    return _said(turn, sentence, zone) if plain else ""


def _tells_of_self(question: str, people: frozenset[str]) -> bool:
    """ "My car is a 2015 Civic and it squeaks, what should I do?" """
    return bool(_FIRST_PERSON.search(question)) and weight_of(question, people) >= 5


def _is_fragment(sentence: str) -> bool:
    """A short answer that needs its question: no first person to stand on, or hardly any words."""
    size = len(words(sentence))
    return size <= 3 or (size <= 9 and not _FIRST_PERSON.search(sentence))


def _said(turn: Spoken, sentence: str, zone: tzinfo, verb: str = "said") -> str:
    quoted = with_dates(sentence, turn.message.timestamp, zone).replace('"', "'")
    return f'{turn.name} {verb}: "{quoted}"'


def _draft(turn: Spoken, text: str, weight: float) -> FactDraft:
    message = turn.message
    by_user = message.role == "user"
    about = slots.about(text, turn.name) if by_user else ""
    return FactDraft(text, turn.number, about, message.sender_id, message.timestamp, by_user, weight)


def _best(drafts: list[FactDraft], limit: int) -> list[FactDraft]:
    kept = sorted(range(len(drafts)), key=lambda at: (-drafts[at].weight, at))[:limit]
    return [drafts[at] for at in sorted(kept)]


def _assistant(turn: Spoken, sentences: list[str], people: frozenset[str], zone: tzinfo) -> list[FactDraft]:
    """The first statement, the heads of its lists in one line, and the sentences that tell most."""
    found: list[FactDraft] = []
    heads = _heads(turn.message.text[:READ])
    shown = ""
    if heads:
        shown = clip("; ".join(heads), LONGEST).replace('"', "'")
        found.append(_draft(turn, f'{turn.name} listed: "{shown}"', 100.0))
    first = True
    listed = [set(content_words(head)) for head in heads if head.replace('"', "'") in shown]
    for sentence in sentences:
        if any(set(content_words(sentence)) <= head for head in listed):
            continue  # an item of the list and no more
        weight = weight_of(sentence, people)
        if is_question(sentence) or weight < 3 or sentence.endswith(":"):
            continue
        if is_chatter(sentence, people, weight) or is_offer(sentence):
            continue
        found.append(_draft(turn, _said(turn, sentence, zone), told(sentence, people) + (50.0 if first else 0.0)))
        first = False
    return _best(found, FACTS_OF_ASSISTANT)


def _heads(text: str) -> list[str]:
    lines = "\n".join(item for line in prose(text).split("\n") for item in items(line))
    found = _LIST_HEAD.findall(lines)
    bold = [bold for bold, _ in found if bold]
    heads = bold if len(bold) >= 3 else [plain or marked for marked, plain in found]
    heads = [unmarked(head).replace("*", "").strip(" :") for head in heads]
    heads = [head if head.count('"') % 2 == 0 else head.replace('"', "") for head in heads]
    heads = list(dict.fromkeys(head for head in heads if content_words(head)))
    return heads if len(heads) >= 3 else []
