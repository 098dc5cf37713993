"""Names in a text: people, projects, products, places, identifiers. Rules and no model; the same in every process.

A name is known by its key: its tokens in order, as the text index has them, so that a name in capitals and the same
words in a question meet. Changing the rules changes what rebuilt rows link to: raise the version of the index then.
"""

from __future__ import annotations

import math
import re
from collections.abc import Container, Iterator

from everlore.stores.tokens import STOP_WORDS, tokens

LONGEST_TEXT = 40_000
"""Characters that are looked at. What is named only at the end of a very long text is not what it is about."""
MOST_NAMES = 64
MOST_WORDS = 7
HEAD = 120
"""Characters at the beginning of a text: what is named there is what the text is about."""
ABOUT = 2.5
PART = 0.4
"""How much the last word of a longer name counts: people and ships go by it."""

DOUBTFUL = 0.4
"""How much a single word counts that may have its capital from the beginning of a sentence."""

_UPPER = "".join(chr(code) for code in range(0x52F) if chr(code).isupper())
_WORD = rf"(?:[{_UPPER}](?:\.[{_UPPER}])*\.(?![\w])|[{_UPPER}][\w'’&-]*)"
_JOINT = r"(?:of|the|de|del|della|di|da|dos|du|la|le|van|von|der|den|bin|ibn|al|el|y|zu)"
_SEQUENCE = re.compile(rf"{_WORD}(?:[ \t](?:{_JOINT}[ \t]){{0,2}}{_WORD}|[ \t]\d{{1,4}}(?![\w.,]*\d))*")
_BEFORE_START = re.compile(
    r"(?:^|[.!?:;]|\n)[\"“”'’)\]]{0,12}\s{0,12}(?:[-*•#>]{1,12}\s{0,12}|\d{1,12}[.)]\s{0,12})?[\"“'‘(\[*_]{0,12}$"
)
_QUOTED = re.compile(r"[\"“]([^\"“”\n]{2,60})[\"”]|`([^`\n]{2,60})`|\[\[([^\]|\n]{1,80})")
_IDENTIFIER = re.compile(
    r"(?<![\w./@])(?:[A-Za-z]\w*_\w+|[a-z]+[A-Z]\w*|[A-Z][a-z0-9]+[A-Z]\w*|[A-Za-z_]\w+(?:\.[A-Za-z_]\w+)+)(?![\w@])"
)
_HANDLE = re.compile(r"(?<![\w.@/])[@#]([^\W\d]\w{1,38}(?:[.-]\w+)*)")
_HOST = re.compile(r"https?://(?:www\.)?([^/\s:?#\"')>\]]+)", re.IGNORECASE)
_PARENTHESIS = re.compile(r"(?<!\s)\s{0,9}\([^)]{0,200}\)")

_TIMES = """january february march april may june july august september october november december monday tuesday
wednesday thursday friday saturday sunday jan feb mar apr jun jul aug sep sept oct nov dec am pm utc gmt today tomorrow
yesterday"""
_COMMON = """about above add after again all also although always among an and another any are as ask at avoid because
before below besides both build but by call can check could create delete did do does during each either
ensure every few first fix for found from get give got great had has have having he hello her here hers hey
hi him his how however i if in install into is it its just keep last later learned leave let like look made
make makes many maybe me more most much must my need neither never next no nobody nor not note nothing now
of off ok okay on once one only open or other others our over perhaps please put read remember remove
restart run save second see set she should show since so some someone something soon start still stop store
such take tell thank thanks that the their them then there these they this those though three through thus
to today too try two under unlike until up update upon us usually very want was we well were what when where
which while who whom whose why will with within without would write yes yet you your"""
_CRIES = frozenset(("ah", "aha", "ha", "hm", "hmm", "oh", "wow", "yeah", "yep", "nope"))
_IGNORED = frozenset((*_TIMES.split(), *_COMMON.split(), *STOP_WORDS))


def name_key(name: str) -> str:
    """What a name is linked by. A name without letters or digits is its own key."""
    found = " ".join(tokens(name)[: 2 * MOST_WORDS])
    return found if len(found) > 1 else f"={name.casefold().strip()}"


def names(text: str) -> dict[str, float]:
    """Keys of the names in a text, with how much each of them matters to it; the weightiest `MOST_NAMES`."""
    text = text[:LONGEST_TEXT]
    counts: dict[str, float] = {}
    for name, at, share in _found(text):
        key = name_key(name)
        counts[key] = counts.get(key, 0.0) + share * (ABOUT if at < HEAD else 1.0)
    weighed = {key: round(1.0 + math.log(count) if count > 1 else count, 4) for key, count in counts.items()}
    best = sorted(weighed, key=lambda key: (-weighed[key], key))[:MOST_NAMES]
    return {key: weighed[key] for key in best}


def spelled(text: str) -> dict[str, str]:
    """The names in a text by their keys, as they stand in it: keys are no words that people read."""
    return {name_key(name): name for name, _, _ in _found(text[:LONGEST_TEXT])}


def openers(text: str, small: Container[str]) -> set[str]:
    """Keys of words that may have their capital from the beginning of a sentence: of those that are written `small`
    elsewhere or called out ("Wonderful!"), and of what is drawn together with a word that names nothing: "I'll"."""
    share: dict[str, float] = {}
    for name, at, one in _found(text[:LONGEST_TEXT]):
        begin, end = re.split("['’]", name)[0].casefold(), at + len(name)
        called = begin in small or begin in _CRIES or text[end : end + 1] in (*".,!?",)
        one = 0.0 if begin in _IGNORED else one if called else 1.0
        share[name_key(name)] = max(one, share.get(name_key(name), 0.0))
    return {key for key, one in share.items() if one <= DOUBTFUL}


def _found(text: str) -> Iterator[tuple[str, int, float]]:
    """(name, where it stands, how sure it is one)."""
    title = _title(text)
    if title:
        yield title, 0, 1.0
    sure = {word for word, start in _capitalised(text) if not start}
    for match in _SEQUENCE.finditer(text):
        yield from _sequence(text, match, sure)
    for match in _QUOTED.finditer(text):
        name = next(group for group in match.groups() if group)
        if len(name.split()) <= MOST_WORDS:
            yield name, match.start(), 1.0
    for pattern in (_IDENTIFIER, _HANDLE, _HOST):
        for match in pattern.finditer(text):
            yield match[pattern.groups], match.start(), 1.0


def _title(text: str) -> str:
    """A short first line without a full stop."""
    line, newline, _ = text.partition("\n")
    if not newline:
        return ""
    closed = line.rfind(")") + 1  # behind it every "(" would be looked after to the end
    line = (_PARENTHESIS.sub("", line[:closed]) + line[closed:]).strip(" #*\t\r")
    return line if 1 < len(line) <= 80 and line[-1] not in ".!?:;," and line[0].isupper() else ""


def _capitalised(text: str) -> Iterator[tuple[str, bool]]:
    for match in _SEQUENCE.finditer(text):
        yield _bare(match[0]), _starts_sentence(text, match.start())


def _sequence(text: str, match: re.Match[str], sure: set[str]) -> Iterator[tuple[str, int, float]]:
    words = match[0].split()
    start = _starts_sentence(text, match.start())
    while words and _bare(words[0]).casefold() in _IGNORED:
        words.pop(0)
        start = False
    while words and words[-1].casefold() in _IGNORED:
        words.pop()
    if not words or len(words) > MOST_WORDS:
        return
    name = _bare(" ".join(words))
    if len(words) == 1:
        if len(name) > 1:
            # at the beginning of a sentence every word has a capital
            doubtful = start and name not in sure and sum(map(str.isupper, name)) < 2
            yield name, match.start(), DOUBTFUL if doubtful else 1.0
        return
    yield name, match.start(), 1.0
    if len(words[-1]) > 2 and not words[-1].isdigit():
        yield _bare(words[-1]), match.start(), PART


def _bare(name: str) -> str:
    name = name.rstrip("'’-&")
    return name[:-2] if name.endswith(("'s", "’s")) else name


def _starts_sentence(text: str, at: int) -> bool:
    return _BEFORE_START.search(text[max(0, at - 12) : at]) is not None if at else True
