"""Facts of a cell: what people say that is worth keeping and clear without the rest, one statement each.

A sentence is read once: a rule is always kept; a statement that a frame knows, or that scores high enough (`salience`),
becomes a fact; courtesies, platitudes, questions and what points outside itself stay in their turn, where search
finds them. What an assistant or a tool says is no fact. Who said it and on which day is part of the statement; what
cannot be put into the third person safely is quoted.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import UTC, tzinfo
from functools import cache

from everlore.extract import corrections
from everlore.extract.attribution import acted, apart, in_other_voice
from everlore.extract.change import seen
from everlore.extract.claims import Claim, read
from everlore.extract.language import Language, language_of, small, words
from everlore.extract.rules import CATEGORY, is_rule
from everlore.extract.salience import salience, starts
from everlore.extract.sentences import clip, is_question, prose, split
from everlore.extract.third_person import third_person
from everlore.extract.turns import Spoken, spoken
from everlore.extract.when import with_dates
from everlore.kinds.fact import Fact
from everlore.types import Cell, Owner

READ = 100_000
"""Characters of one message that are looked at; the episode has all of them."""
LONG = 2_000
"""Characters up to which a message is taken for the words of who sent it."""
FACTS_OF_PASTE = 8
LONGEST = 400
QUESTION = 120
FEW = 3
"""Words up to which an answer is taken for the value that was asked for."""
ANSWER = 8
"""Words up to which an answer needs its question."""
WORTH = -0.4
"""`salience` from which on a statement is kept."""
FRAMED = 0.9
"""One that a frame knows may have so much less,"""
TOLD = 1.7
"""and so may one of a message that does nothing but tell: who tells an assistant something wants it known."""
TELLS = 3
"""Sentences of such a message at most."""
TENTATIVE = 2.5
"""A statement with so much less is kept only if it ends an older one, or its meaning puts it into a profile."""

_CODE = re.compile(r"[{}<>]|\w\(.*\)|;$|^\s*(?:def|import|class|return|const|let|var) |==|://\S+$|^\W*$")
_HEADING = re.compile(r":\s*$")
_ITEM = re.compile(r"^\s*(?:[-*•·–+]|\(?\d{1,3}[.)])\s+")
_CLAUSES = re.compile(
    r"(?:, (?:and |but |so )?|; | - | – |\. |: )"
    r"(?=(?:what|how|which|where|when|who|why|do|does|did|can|could|would|should|is|are|any|will|have you|may)\b)",
    re.IGNORECASE,
)
_IMAGE = re.compile(r"\s{0,9}\[image: [^\[\]]{0,4000}\]")


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
    """Its place in a profile where it has one for sure: a rule, or what a language model sorted."""
    tentative: bool = False
    """Worth keeping only if it ends an older statement."""

    @property
    def own_voice(self) -> bool:
        """A statement, not a quotation."""
        return not self.text.endswith('"')


def write_facts(cell: Cell, zone: tzinfo = UTC) -> list[FactDraft]:
    """All facts of a cell in the order they were said, none twice. They are the same for every owner of the cell."""
    turns = spoken(cell)
    friends = len({turn.message.sender_id for turn in turns if turn.message.role == "user"}) > 1
    drafts: dict[str, FactDraft] = {}
    last: dict[str, tuple[str, list[FactDraft]]] = {}
    question, asker, playing = "", "", False
    for turn in turns:
        if turn.message.role == "tool":
            continue
        own = turn.message.text[:READ]
        if turn.message.role == "user":  # what somebody passes on or plays is not what they say of themselves
            own, _ = apart(prose(own), turn.name)
            own, _, playing = acted(own, playing, not friends)
        said = sentences_of(own)
        if turn.message.role == "user":
            asked = question if asker != turn.message.sender_id else ""
            _of_person(turn, said, zone, asked, drafts, last, friends=friends)
        question = next((sentence for sentence in reversed(said) if is_question(sentence)), "")
        asker = turn.message.sender_id
    return list(drafts.values())


def _of_person(
    turn: Spoken,
    said: list[str],
    zone: tzinfo,
    asked: str,
    drafts: dict[str, FactDraft],
    last: dict[str, tuple[str, list[FactDraft]]],
    *,
    friends: bool,
) -> None:
    """Add what one turn says. `last` holds the last statement of each person with its facts, which the next may
    correct."""
    found: list[FactDraft] = []
    sender = turn.message.sender_id
    answered = False
    least = WORTH - (TOLD if not friends and _only_tells(said) else 0)
    for sentence in said:
        whole = corrections.within(sentence)
        before, known = last.get(sender, ("", []))
        again = "" if whole or not before else corrections.corrected(before, sentence)
        if again:
            for draft in known:
                drafts.pop(draft.text.casefold(), None)
                found = [one for one in found if one != draft]
        told = again or whole or sentence
        new = _told(turn, told, zone, -10.0 if again or whole else least, friends=friends)
        if all(draft.tentative for draft in new) and asked and not answered and not is_question(sentence):
            whole = _field(sentence, asked) if len(words(sentence)) <= FEW else sentence
            told_so = _told(turn, whole, zone, -10.0, friends=friends) if whole != sentence else []
            new = told_so or _answer(turn, sentence, asked, zone) or new
            answered = True
        found += new
        if not is_question(told):
            last[sender] = (told, new)
        for draft in new:
            drafts.setdefault(draft.text.casefold(), draft)
    if len(turn.message.text) > LONG:
        kept = sorted(found, key=lambda draft: -draft.weight)[:FACTS_OF_PASTE]
        for draft in found:
            if draft not in kept and draft.category != CATEGORY:
                drafts.pop(draft.text.casefold(), None)


def sentences_of(text: str) -> list[str]:
    """The sentences of a message; a list keeps its heading, code and pictures are left out."""
    found: list[str] = []
    heading = ""
    for line in prose(_IMAGE.sub("", text[:READ])).split("\n"):
        item = bool(_ITEM.match(line))
        if item and heading:
            found.append(clip(f"{heading} {_ITEM.sub('', line).strip()}", LONGEST))
            continue
        if line.strip():
            line = _field(line)
            heading = line.strip() if _HEADING.search(line) and len(line) < 160 else ""
            if not line.lstrip().startswith(">"):
                found += [clip(sentence, LONGEST) for sentence in split(line) if not _CODE.search(sentence)]
    return found


def _only_tells(said: list[str]) -> bool:
    """Whether a message asks for nothing."""
    if len(said) > TELLS:
        return False
    return not any(is_question(one) or _known(one, "request") or _known(one, "listener") for one in said)


def _known(sentence: str, group: str) -> bool:
    return language_of(sentence).has(group, small(sentence))


def _field(line: str, asked: str = "") -> str:
    """ "City: Graz", or "Graz" as the answer to "Which city?", as the statement that it is; any other line as it is."""
    label, _, value = (asked, "", line) if asked else line.partition(":")
    fields: dict[str, str] = language_of(asked if asked else line).words.get("fields", {})
    found = [fields[word] for word in map(small, words(label)) if word in fields]
    value = value.strip(" .!")
    plain = value and len(value.split()) <= (ANSWER if asked else 2 * ANSWER) and (asked or len(label.split()) == 1)
    return found[0].format(value) if found and plain else line


def _told(turn: Spoken, sentence: str, zone: tzinfo, least: float, *, friends: bool) -> list[FactDraft]:
    """The facts of a sentence: none, one, or several where it makes several statements."""
    if is_rule(sentence, to_friends=friends):
        return [_draft(turn, _said(turn, sentence, zone), 2.0, CATEGORY)]
    found: list[FactDraft] = []
    other = in_other_voice(sentence, turn.name)
    for part in [sentence] if other else _statements(sentence):
        known = language_of(part)
        bare = part if other else opened(part, known)
        claim = None if other else read(bare)
        worth = salience(bare) if known.code == "en" else _worth_abroad(known, bare, claim)
        if is_question(part):
            continue
        outside = points_outside(bare, known, claim)
        missing = least - FRAMED * (claim is not None) - worth
        weak = outside or (claim is None and tells_little(bare, known))
        if missing <= (0 if friends or known.has("outside", small(bare)) else TENTATIVE) and not (weak and friends):
            text = _said(turn, bare, zone, "shared") if other else _fact(turn, bare, zone)
            found.append(_draft(turn, text, worth, tentative=missing > 0 or weak, unread=other))
    return found


def _statements(sentence: str) -> list[str]:
    """A question with what it tells before it asks ("I'm flying to Miami, what should I pack?"); else the sentence."""
    if not is_question(sentence):
        return _halves(sentence)
    parts = _CLAUSES.split(sentence)
    return [f"{part.rstrip(' ,;')}." for part in parts[:-1] if part and len(words(part)) > 3]


def _halves(sentence: str) -> list[str]:
    """ "I live in Rome and work at FAO": two statements, where each has a reading of its own, so that each can end
    alone."""
    known = language_of(sentence)
    first = sentence.partition(" ")[0]
    subject = first if known.has("we", small(first)) else str(known.words.get("subject", ""))
    for joint in _joints(known).finditer(sentence):
        left, right = sentence[: joint.start()].rstrip(" ,;"), sentence[joint.end() :]
        one = read(left)
        for second in (right, f"{subject} {right}") if subject else (right,):
            two = read(second)
            if known.has("outside", small(second)):
                continue  # "I have two dogs and I love walks with them"
            whole = one or (second == right and len(words(left)) > 3 and starts(known, "self", small(right)))
            apart = one is None or (two is not None and _two_things(one, two))
            if two and whole and apart and not (two.over or (one and one.over)):
                return [f"{left}.", *_halves(second[0].upper() + second[1:])]
    return [sentence]


def _two_things(one: Claim, two: Claim) -> bool:
    """Whether two readings are of two things, or of one thing told twice; not of one thing that has changed."""
    return (one.slot, one.who) != (two.slot, two.who) or bool(set(one.value.split()) & set(two.value.split()))


@cache
def _joints(known: Language) -> re.Pattern[str]:
    return re.compile(rf"(?:,|;)? (?:{'|'.join(known.words.get('and', ('and',)))}) |[,;] ", re.IGNORECASE)


def opened(sentence: str, known: Language) -> str:
    """Without what leads in: "By the way, I moved." is "I moved.\""""
    led = re.match(r"[^:?.!]{1,40}: (?=(?:I|I['’]m|I['’]ve|My|my) )", sentence)  # "The only problem: I ..."
    sentence = sentence[led.end() :] if led else sentence
    for _ in range(3):
        found = known.pattern("lead_in").match(small(sentence))
        rest = re.match(r"[\s,!.:–—-]+", sentence[found.end() :]) if found else None
        if not found or not rest or len(sentence) - found.end() - rest.end() < 4:
            break
        after = small(sentence[found.end() + rest.end() :])
        joined = starts(known, "self", after) or starts(known, "lead_in", after)
        if not joined and not re.search(r"[,!.:–—-]", rest[0]):
            break
        sentence = sentence[found.end() + rest.end() :]
        sentence = sentence[0].upper() + sentence[1:]
    return sentence


def points_outside(sentence: str, known: Language, claim: Claim | None) -> bool:
    """Whether it needs what was said before: "She gave it to them." """
    low = small(sentence)
    if not known.spaced:
        return False
    first = " ".join(words(low)[:2])
    if starts(known, "outside", first) or starts(known, "listener", first):
        return True
    own = known.has("self", low) or known.has("we", low) or claim is not None
    return known.has("outside", low) and not own


def tells_little(sentence: str, known: Language) -> bool:
    """ "I'm so tired.", "I got it.": no more than a mood or a sign."""
    shown = seen(sentence)
    return known.spaced and len(shown.content) < 2 and not shown.numbers and not shown.names


def _worth_abroad(known: Language, sentence: str, claim: Claim | None) -> float:
    """Other languages have no learned judgement: what speaks of oneself and is no courtesy is kept."""
    low = small(sentence)
    own = known.has("self", low) or known.has("we", low)
    courteous = known.has("courtesy", low) or known.has("listener", low)
    size = len(words(sentence)) if known.spaced else len(sentence) // 2
    if claim is not None:
        return 1.0
    return 0.5 if (own or size >= 3) and size >= 2 and not courteous else -3.0


def _answer(turn: Spoken, sentence: str, asked: str, zone: tzinfo) -> list[FactDraft]:
    """A short answer with its question, where it names something."""
    size, known = len(words(sentence)), language_of(sentence)
    low = small(sentence)
    said = words(sentence)
    telling = bool(re.search(r"\d", sentence)) or any(word[0].isupper() for word in said[0 if size <= 2 else 1 :])
    if not size or size > ANSWER or not telling or known.has("courtesy", low) or known.has("listener", low):
        return []
    if starts(known, "outside", " ".join(words(low)[:1])) or not known.has("listener", small(asked)):
        return []
    text = f'Asked "{clip(asked, QUESTION)}", {_said(turn, sentence, zone)}'
    return [_draft(turn, text, 0.0)]


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
        project=cell.project,
    )


def about(text: str, speaker: str) -> str:
    """The slot a statement fills, e.g. "alice: lives in"; empty for many statements."""
    claim = read(text, speaker)
    return f"{speaker.strip().lower()}: {claim.slot}" if claim else ""


def _fact(turn: Spoken, sentence: str, zone: tzinfo) -> str:
    known = language_of(sentence)
    own = third_person(sentence, turn.name) if known.code == "en" else None
    if own is None:
        return _said(turn, sentence, zone)
    own = with_dates(own, turn.message.timestamp, zone).replace('"', "'")
    return own if own.startswith(turn.name) else own[0].upper() + own[1:]


def _said(turn: Spoken, sentence: str, zone: tzinfo, verb: str = "said") -> str:
    quoted = with_dates(sentence, turn.message.timestamp, zone).replace('"', "'")
    return f'{turn.name} {verb}: "{quoted}"'


def _draft(
    turn: Spoken, text: str, weight: float, category: str = "", *, tentative: bool = False, unread: bool = False
) -> FactDraft:
    sender, at, slot = turn.message.sender_id, turn.message.timestamp, "" if unread else about(text, turn.name)
    return FactDraft(text, turn.number, slot, sender, at, True, weight, category, tentative)
