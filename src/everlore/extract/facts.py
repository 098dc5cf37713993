"""Facts of a cell: each informative sentence as one statement that can be read without the others.

Who said it and on which day is part of the statement; the speaker's own words stay as they were as far as grammar
allows. What cannot be rewritten safely is quoted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import UTC, tzinfo

from everlore.extract import slots
from everlore.extract.antecedents import named_again
from everlore.extract.attribution import acted, apart
from everlore.extract.chatter import (
    answers,
    information_weight,
    is_chatter,
    is_code,
    is_offer,
    open_question,
    weight_of,
)
from everlore.extract.clauses import besides, in_third_person, made_whole, statements, tells
from everlore.extract.completion import answered, declines, introduced, lasts, spelled_out
from everlore.extract.corrections import corrected, instead, moved_on, of_listener, restated
from everlore.extract.lead_ins import opened
from everlore.extract.orders import ordered, standing
from everlore.extract.plural_subject import alone
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
from everlore.extract.third_person import has_verb
from everlore.extract.turns import Spoken, spoken
from everlore.extract.vocabulary import Vocabulary
from everlore.extract.when import with_dates
from everlore.kinds.fact import Fact
from everlore.types import Cell, Owner

READ = 100_000
"""Characters of one message that are looked at; the episode has all of them."""
LONG = 2_000
"""Characters up to which a message is taken for the words of who sent it."""
PASTED = 10_000
"""Longer than anybody writes: a document, whoever says "I" in it."""
FACTS_OF_PASTE = 8
SPARSE = 3_500
"""Characters from which on a document gives no more than `FACTS_OF_PASTE`; below, one more for every `FULL`."""
FULL = 75
OWN_SHARE = 0.4
"""Of the sentences of a long message, how many speak of oneself when it is no document."""
FRAME = 300
"""Characters of a line before or behind a document that may be about it."""
GREETING = 3
"""Sentences among which people say who they are."""
FACTS_OF_ASSISTANT = 6
LONGEST = 400
QUESTION = 120
CORRECTABLE = 5
"""The last statements of an assistant about the user that a correction may be about."""
PLAYED = "said in a role-play"

_KNOWN = Vocabulary("facts")
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
    category: str = ""
    """Its place in a profile, where a language model gave it one."""

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
    questions = 0
    last: dict[str, str] = {}
    by_oneself = len({turn.message.sender_id for turn in turns if turn.message.role == "user"}) == 1
    playing = False
    of_users: list[str] = []
    for turn in turns:
        if turn.message.role == "tool":
            continue
        own, passed_on, played = prose(turn.message.text[:READ]), "", ""
        if turn.message.role == "user":
            own, passed_on = apart(own, turn.name)
            own, played, playing = acted(own, playing, by_oneself)
        asked = question if asker != turn.message.sender_id else ""
        if turn.message.role == "user":
            whole_answer = answered(asked, own) if questions == 1 else ""
            own = whole_answer or spelled_out(own, turn.message.sender_name or "", asked)
            asked = "" if whole_answer else asked
        sentences = _sentences(own)
        if turn.message.role == "assistant":
            found = _assistant(turn, sentences, people, zone)
            of_users = list(filter(None, map(of_listener, sentences)))[-CORRECTABLE:]
        else:
            if len(own) <= LONG:
                known = bool(turn.message.sender_name)
                first = [part for sentence in sentences[:GREETING] for part in introduced(sentence, turn.name, known)]
                sentences = named_again([*first, *sentences[GREETING:]], people)
            sentences = [part for sentence in sentences for part in statements(sentence, turn.name, people)]
            told_them = [statement for said in of_users if (statement := in_third_person(said, turn.name))]
            before = [last.get(turn.message.sender_id, ""), *told_them]
            found = _person(turn, sentences, people, asked, zone, before)
            last |= {draft.sender_id: draft.text for draft in found}
            found += _passed_on(turn, _sentences(passed_on), people, zone, "shared")
            found += _passed_on(turn, _sentences(played), people, zone, PLAYED)
        for draft in found:
            drafts.setdefault(draft.text.casefold(), draft)
        question, asker = open_question(sentences), turn.message.sender_id
        questions = sum(map(is_question, sentences)) if question else 0
    return list(drafts.values())


def _sentences(text: str) -> list[str]:
    return [clip(sentence, LONGEST) for sentence in split(text) if not is_code(sentence)]


def as_fact(draft: FactDraft, cell: Cell, owner: Owner, entry: str) -> Fact:
    return Fact(
        owner=owner,
        local_id=entry,
        session_id=cell.session_id,
        timestamp=draft.timestamp,
        parent_id=cell.id,
        sender_ids=(draft.sender_id,),
        text=draft.text,
        turn=draft.turn,
        by_user=draft.by_user,
        about=draft.about,
        category=draft.category,
    )


def _person(
    turn: Spoken, sentences: list[str], people: frozenset[str], asked: str, zone: tzinfo, before: list[str]
) -> list[FactDraft]:
    """`asked` is the question they may be answering, `before` what they stated last and what was stated of them."""
    found: list[tuple[str, FactDraft]] = []
    for sentence in sentences:
        texts = [_statement(turn, aside, people, "", zone) for aside in besides(sentence, turn.name, people)]
        if is_question(sentence) and not standing(opened(sentence, people)):
            asked = ""
            asks = asks_first(opened(sentence, people)) and not _KNOWN["named_kin"].search(sentence)
            if not asks and _tells_of_self(sentence, people):
                texts.append(_said(turn, sentence, zone, "asked"))
        else:
            again = _corrected(turn, sentence, people, zone, before)
            text = again or _statement(turn, sentence, people, asked, zone)
            texts = [text] if again else [text, *texts]
            if text or not is_chatter(sentence, people, 0):
                asked = ""  # only what comes straight after the question answers it
        before = [next((text for text in texts if text), before[0]), *before[1:]]
        weight = 0.0 if _KNOWN["shared"].match(sentence) else information_weight(sentence, people)
        found += [(sentence, _draft(turn, text, weight)) for text in texts if text]
    if len(turn.message.text) <= LONG:
        return [draft for _, draft in found]
    share = sum(1 for sentence in sentences if _FIRST_PERSON.search(sentence)) / max(1, len(sentences))
    return _of_long(turn, found, own=share >= OWN_SHARE)


def _corrected(turn: Spoken, sentence: str, people: frozenset[str], zone: tzinfo, before: list[str]) -> str:
    """The fact in a sentence that is understood from what was said before; empty for any other sentence."""
    if text := corrected(sentence, before, turn.name) or moved_on(sentence, before[0], turn.name):
        return text
    again = restated(sentence)
    stated = _statement(turn, again.clause, people, "", zone) if again else ""
    return instead(stated, before, turn.name) or (stated if again and again.surely else "")


def _of_long(turn: Spoken, found: list[tuple[str, FactDraft]], *, own: bool) -> list[FactDraft]:
    """What is kept of a long message: the most telling sentences, the fewer the longer it is; and what the sender says
    of themselves for good, all of it in their own talk, only before and behind it in a document."""
    text = turn.message.text.strip()
    drafts = [draft for _, draft in found]
    own = own and len(text) <= PASTED
    lines = text.split("\n")
    frame = " ".join(line for line in (lines[0], lines[-1]) if len(line) <= FRAME).casefold()
    worth = {
        draft
        for sentence, draft in found
        if (own or sentence.strip(" .!?").casefold() in frame) and tells(draft.text, turn.name)
    }
    others = [draft for draft in drafts if draft not in worth]
    kept = worth | set(_best(others, FACTS_OF_PASTE + max(0, SPARSE - len(text)) // FULL))
    return [draft for draft in drafts if draft in kept]


def _passed_on(turn: Spoken, sentences: list[str], people: frozenset[str], zone: tzinfo, verb: str) -> list[FactDraft]:
    """The most telling sentences of a document, a quotation or a part that is played. Whoever says "I" there is not
    the one who shared it."""
    found = [
        _draft(turn, _said(turn, sentence, zone, verb), information_weight(sentence, people))
        for sentence in sentences
        if weight_of(sentence, people) >= 3 and not is_question(sentence)
    ]
    once: dict[str, FactDraft] = {}
    for draft in found:  # what a document says again must not crowd out the rest
        once.setdefault(draft.text.casefold(), replace(draft, about=""))
    return _best(list(once.values()), FACTS_OF_PASTE)


def _statement(turn: Spoken, sentence: str, people: frozenset[str], asked: str, zone: tzinfo) -> str:
    """The fact in a sentence, or empty when it tells nothing."""
    if _KNOWN["shared"].match(sentence):
        return f"{turn.name} shared {sentence}"
    weight = weight_of(sentence, people)
    bare = opened(sentence, people)
    own_voice = in_third_person(bare, turn.name)
    of_us = alone(bare) if own_voice is None else ""
    whole = own_voice is not None and bool(
        slots.about(own_voice, turn.name) or (weight >= 2 and tells(own_voice, turn.name))
    )
    if asked and not whole and _is_fragment(bare) and answers(sentence, people):
        return f'Asked "{clip(asked, QUESTION)}", {_said(turn, sentence, zone)}'
    if is_chatter(sentence, people, weight) and not ordered(turn.name, bare):
        return ""
    if own_voice is not None:
        rewritten = with_dates(own_voice, turn.message.timestamp, zone).replace('"', "'")
        if not rewritten.startswith(turn.name):  # "user123" is a name as it stands
            rewritten = rewritten[0].upper() + rewritten[1:]
        telling = weight >= 2 or (weight == 1 and lasts(made_whole(bare))) or slots.about(rewritten, turn.name)
        return rewritten if telling else ""
    needed = 2 if _FIRST_PERSON.search(sentence) or of_us.startswith("My ") or not is_english(bare) else 3
    said = _said(turn, bare, zone) if of_us else ""
    said = said if said and slots.about(said, turn.name) else _said(turn, sentence, zone)
    plain = weight >= needed or (weight >= 1 and lasts(of_us)) or declines(bare) or standing(bare)
    return said if plain or slots.about(said, turn.name) else ""


def _tells_of_self(question: str, people: frozenset[str]) -> bool:
    """ "My car is a 2015 Civic and it squeaks, what should I do?" """
    return bool(_FIRST_PERSON.search(question)) and weight_of(question, people) >= 5


def _is_fragment(sentence: str) -> bool:
    """A short answer that needs its question: no first person to stand on, or hardly any words."""
    size = len(words(sentence))
    return size <= 3 or (size <= 9 and not _FIRST_PERSON.search(sentence)) or not has_verb(sentence)


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
        found.append(
            _draft(turn, _said(turn, sentence, zone), information_weight(sentence, people) + (50.0 if first else 0.0))
        )
        first = False
    return _best(found, FACTS_OF_ASSISTANT)


def _heads(text: str) -> list[str]:
    lines = "\n".join(item for line in prose(text).split("\n") for item in items(line))
    found = _KNOWN["list_head"].findall(lines)
    bold = [bold for bold, _ in found if bold]
    heads = bold if len(bold) >= 3 else [plain or marked for marked, plain in found]
    heads = [unmarked(head).replace("*", "").strip(" :") for head in heads]
    heads = [head if head.count('"') % 2 == 0 else head.replace('"', "") for head in heads]
    heads = list(dict.fromkeys(head for head in heads if content_words(head)))
    return heads if len(heads) >= 3 else []
