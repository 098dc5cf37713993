"""Short statements of oneself, made whole: "Allergic to nuts." is "I'm allergic to nuts."

So is "City: Graz" in a list about oneself, and "Graz" after "Where do you live?". Only forms with one reading are
filled in. Whether a short first-person sentence tells something that lasts is decided here too.

Casual writing is put straight before that: no apostrophes, short words, capitals throughout. Quotations keep what was
typed; this is for statements that are said anew in the third person anyway.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from everlore.extract.lexicon import FLEETING, FOREIGN, OCCUPATIONS, SAME_IN_THIRD, STOPWORDS
from everlore.extract.third_person import base_form, verb_forms
from everlore.extract.verb_tables import lemminflect
from everlore.extract.vocabulary import Vocabulary

LEAST = 2
"""Lines that make a list."""
ANSWER = 80
"""Characters of an answer that is only a value."""

_NAMES = re.compile(r"[^\W\d_a-zà-ÿ][\w'’-]+(?: [^\W\d_a-zà-ÿ][\w'’.-]*){0,3}")
_KNOWN = Vocabulary("completion")
_IN_NAMES = _KNOWN.words("in_names")


def _place(value: str) -> bool:
    return bool(_KNOWN["place"].fullmatch(value)) and _is_value_name(value)


def _name(value: str) -> bool:
    return bool(_NAMES.fullmatch(value)) and _is_value_name(value)


def _is_value_name(value: str) -> bool:
    """ "Nice Try" and "Call Me Lex" are words."""
    return not _KNOWN["no_place"].match(value) and not (STOPWORDS - _IN_NAMES) & set(value.lower().split())


def _job(value: str) -> bool:
    return len(value) <= 40 and bool(OCCUPATIONS & set(value.lower().split()[-1:]))


def _things(value: str) -> bool:
    """ "We prefer to play chess" is an answer, but names nothing by itself."""
    return bool(_KNOWN["things"].fullmatch(value)) and not _KNOWN["sentence"].search(value)


class _Entry(NamedTuple):
    """What a label and a question ask for, what a value of it looks like, and the statement they make."""

    label: re.Pattern[str]
    question: re.Pattern[str]
    fits: Callable[[str], object]
    whole: str


def _entry(label: str, question: str, fits: str, whole: str) -> _Entry:
    return _Entry(
        re.compile(label, re.IGNORECASE),
        re.compile(rf"(?:^|[ ,])(?:{question})\?$", re.IGNORECASE),
        _KINDS.get(fits) or re.compile(fits, re.IGNORECASE).fullmatch,
        whole,
    )


_NAME_IS, _AGE_IS = "My name is {}.", "I'm {} years old."
_KINDS: Mapping[str, Callable[[str], object]] = {"name": _name, "place": _place, "job": _job, "things": _things}
_ENTRIES = [_entry(*row) for row in _KNOWN.rows("entries")]
_LINE = re.compile(r"^\s*(?:[-*•]\s+)?\**(?P<label>[A-Za-z][A-Za-z -]{1,30}?)\**\s*:\**\s+(?P<value>\S.*?)\s*$")
_PIECES = re.compile(r"\s+[/|]\s+")
_TO_YOU = re.compile(r"\byour?(?:self)?\b", re.IGNORECASE)


def spelled_out(text: str, name: str, asked: str) -> str:
    """The text with the lines of a list about its writer as statements.

    A list is about others where the words before it do not say otherwise, where the question before it asks for
    somebody else, or where it has a label that nobody has on a list about themselves.
    """
    if ": " not in text or (asked and not _TO_YOU.search(asked)):
        return text
    lines = [piece for line in text.split("\n") for piece in _pieces(line)]
    labelled = [number for number, line in enumerate(lines) if _LINE.match(line)]
    if len(labelled) < LEAST:
        return text
    before = [line for line in lines[: labelled[0]] if line.strip()]
    if before and not _KNOWN["of_me"].search(before[-1].strip(" :*#")):
        return text
    others = " ".join(line for number, line in enumerate(lines) if number not in labelled)
    if _KNOWN["of_others"].search(others) or not (
        before or any(_KNOWN["personal"].match(lines[number]) for number in labelled)
    ):
        return text
    statements = [_line(lines[number]) for number in labelled]
    if None in statements or not _same_person(statements, name):
        return text
    for number, statement in zip(labelled, statements, strict=True):
        lines[number] = statement or lines[number]
    return "\n".join(lines)


def answered(question: str, answer: str) -> str:
    """The statement that a message of a few words makes of the question before it, or empty."""
    if not question or ":" in question or len(answer) > ANSWER:
        return ""
    value = _KNOWN["answer"].sub("", answer.strip()).rstrip(".! ")
    for entry in _ENTRIES:
        if found := entry.question.search(question.strip()):
            return _stated(entry, found, value)
    return ""


def _pieces(line: str) -> Sequence[str]:
    """ "Name: Peter / City: Graz" as two lines."""
    pieces = _PIECES.split(line)
    return pieces if len(pieces) > 1 and all(map(_LINE.match, pieces)) else [line]


def _line(line: str) -> str | None:
    """The statement of a line, empty where its value is no plain one.

    None where its label is not of people, or its name or age not of somebody who writes.
    """
    found = _LINE.match(line)
    for entry in _ENTRIES if found else ():
        if found and (label := entry.label.fullmatch(found["label"])):
            stated = _stated(entry, label, found["value"].strip("* "))
            return stated or (None if entry.whole in (_NAME_IS, _AGE_IS) else "")
    return None


def _stated(entry: _Entry, found: re.Match[str], value: str) -> str:
    if not entry.fits(value):
        return ""
    asked_for = {group: word.lower() for group, word in found.groupdict().items()}
    whole = entry.whole.replace(" a {", " an {") if value[0] in "aeiouAEIOU" else entry.whole
    return whole.format(value.rstrip("."), **asked_for)


def _same_person(statements: Sequence[str | None], name: str) -> bool:
    """Whether the name in the list, if any, may be the writer's; a list that has no plain values is a form."""
    told = [statement for statement in statements if statement]
    given = next((statement for statement in told if statement.startswith(_NAME_IS[:11])), "")
    called = set(given[:-1].lower().split()) & set(name.lower().split()) if given and name else {given}
    return len(told) >= LEAST and bool(called)


SHORT = 6
"""Words of a sentence that may pass with a single telling one."""


def whole(sentence: str) -> str:
    """The sentence with the "I" that it leaves out, or that "we" has in it."""
    if _KNOWN["state"].match(sentence):
        return f"I'm {sentence[0].lower()}{sentence[1:]}"
    if joint := _KNOWN["together"].match(sentence):
        return f"I{chr(39) + 'm' if joint['be'] else ''} {joint['rest']}"
    if couple := _KNOWN["couple"].match(sentence):
        joined = "to" if couple["status"] in ("married", "engaged") else "from"
        return f"I got {couple['status']} {joined} {couple['name']}{couple['rest']}"
    if address := _KNOWN["write_to"].match(sentence):
        return f"My email is {address['v']}."
    return sentence


def introduced(sentence: str, name: str, known: bool) -> list[str]:
    """ "I'm Eva and I live in Basel" as the name and the rest; without the name where it is that of the speaker.

    `known` is whether `name` is one they go by: then another name by itself may be a part they play.
    """
    found = _KNOWN["introduced"].match(sentence)
    if not found:
        return [sentence]
    same = set(found["name"].lower().split()) <= set(name.lower().split())
    rest = sentence[found.end() :]
    if not same and (not _is_name(found["name"], bool(found["greets"])) or (known and not rest)):
        return [sentence]
    first = [] if same else [f"My name is {found['name']}."]
    rest = f"I'm {rest}" if _KNOWN["what"].match(rest) else rest
    return [*first, f"{rest[0].upper()}{rest[1:]}"] if rest else first


def _is_name(name: str, greeted: bool) -> bool:
    """A word that no dictionary has; after a greeting also a noun ("Rose"), but never how somebody is."""
    first = name.split()[0]
    kinds = set(lemminflect().getAllLemmas(first.lower()))
    if first.lower() in STOPWORDS or kinds & {"ADJ", "ADV"} or (kinds and not greeted):
        return False
    return " " in name or not _KNOWN["no_name"].search(first)


def lasts(sentence: str) -> bool:
    """Whether a first-person sentence of few words tells a thing of the speaker that goes beyond this moment."""
    found = _KNOWN["verb"].match(sentence)
    if (
        not found
        or len(sentence.split()) > SHORT
        or _KNOWN["moment"].search(sentence)
        or _KNOWN["points"].search(found["rest"])
    ):
        return False
    verb = found["verb"].lower().replace("’", "'")
    if found["be"] or verb in ("can't", "cannot", "cant", "don't", "dont"):
        return True
    return bool(verb_forms(verb)) and verb not in SAME_IN_THIRD - {"had"} and base_form(verb) not in FLEETING


def declines(sentence: str) -> bool:
    """ "No pork for me." """
    return bool(_KNOWN["declined"].match(sentence))


_LOOSE = re.compile(r"(?<![\w'’])i(m|ve)(?= (?-i:[a-z\d]))", re.IGNORECASE)
"""Without the apostrophe; before a capital "im" is German."""
_SHORT = [(re.compile(form, re.IGNORECASE), full) for form, full in _KNOWN.rows("short")]
_LETTERS = re.compile(r"[^\W\d_]+(?:['’][^\W\d_]+)?")
_LOUD = 8
"""Letters from which on capitals are a way of writing and not a name."""


def straightened(sentence: str) -> str:
    """The sentence as a careful writer would have typed it, as far as that decides how it is read."""
    if sum(map(str.isupper, sentence)) >= _LOUD and sentence.isupper():
        sentence = _lowered(sentence)
    if not FOREIGN & set(sentence.lower().split()):
        sentence = _LOOSE.sub(r"I'\1", sentence)
    for short, full in _SHORT:
        sentence = short.sub(full, sentence)
    return _KNOWN["my_name"].sub(_named, sentence)


def _lowered(sentence: str) -> str:
    """In small letters, but for "I" and for words that no dictionary has, which are names."""
    plain = sentence.lower()
    plain = _LETTERS.sub(lambda word: word[0] if _is_word(word[0]) else word[0].capitalize(), plain)
    plain = re.sub(r"\bi\b", "I", plain)
    plain = re.sub(r"\b(?:called|named) [a-z]", lambda named: named[0][:-1] + named[0][-1].upper(), plain)
    return re.sub(r"\b(the|in|from) us\b", r"\1 US", f"{plain[0].upper()}{plain[1:]}")


def _named(found: re.Match[str]) -> str:
    """ "my names dave": a word that tells how a name is ("hard to spell") is none."""
    name, end = found["name"], found["end"]
    kinds = lemminflect().getAllLemmas(name.lower())
    known = name.lower() in STOPWORDS or "ADJ" in kinds or "ADV" in kinds or (bool(kinds) and end == " ")
    return found[0] if known else f"{found[1]} is {name[0].upper()}{name[1:]}{end}"


def _is_word(word: str) -> bool:
    return "'" in word or "’" in word or word in STOPWORDS or bool(lemminflect().getAllLemmas(word))
