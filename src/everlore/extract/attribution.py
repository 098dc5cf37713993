"""Words in a message that are not the speaker's own: quotations, letters, and texts they want to have worked on.

Whoever says "I" in them is somebody else, so they are kept and found, but say nothing of the speaker. What announces
them ("Tom:", "my son asked:", "here's a tweet:") holds for more than its own sentence: the words of a speaker go on to
the end of the line, what is reported to the end of the paragraph, a text to the end of the message. A letter goes from
the greeting or the headers to the name below; one that its sender signed is theirs.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterator, Sequence
from enum import Enum
from functools import lru_cache
from typing import NamedTuple

from everlore.extract.sentences import split


class Signature(NamedTuple):
    """`end` is the number of the line behind it, `line` its first one, `by` the first name of who signed."""

    end: int
    line: int
    by: str


HEADERS = 2
"""Lines of a mail's head that make it one."""

_HEADER = re.compile(
    r"^\s*\**(?:from|to|cc|bcc|subject|date|sent|reply-to|von|an|betreff|gesendet|datum)\**:\**\s+\S", re.I
)
_GREETING = re.compile(
    r"^\s*(?:hi|hey|hello|dear|hallo|liebe[rs]?|good (?:morning|afternoon|evening)|greetings)"
    r"(?: (?P<title>mr|mrs|ms|dr|prof|mom|mum|dad|sis|bro|sir|madam|team|frau"
    r"|herr)\b\.?)?(?P<name>(?: [A-Z][\w'’.-]*){0,3})"
    r"(?:[,!:]\s*(?P<more>\S.*)?$|\s*$)",
    re.IGNORECASE,
)
_NOBODY = frozenset(
    {"there", "all", "everyone", "everybody", "again", "guys", "folks", "assistant", "claude", "chatgpt"}
)
"""Who is greeted when the one who listens is meant."""
_CLOSING = (
    r"(?:(?:with )?(?:all )?(?:my |much |lots of )?(?:best|kind|warm|kindest|warmest)?\s?(?:regards|wishes|love"
    r"|cheers|hugs|kisses)"
    r"|best|love|cheers|yours(?: (?:sincerely|truly|faithfully))?|sincerely(?: yours)?|take care|xoxo|(?:viele"
    r"|liebe|beste"
    r"|herzliche) grüße|lg|mfg)"
)
_CLOSING_LINE = re.compile(
    rf"^\s*(?:{_CLOSING}|thanks(?: (?:a lot|again|so much))?|thank you|many thanks)\s*[,!.]?\s*$", re.I
)
_NAME_BELOW = re.compile(r"^\s*[-–—]?\s*(?P<name>(?-i:[A-Z])[\w'’.-]*(?: (?-i:[A-Z])[\w'’.-]*){0,3})\s*$", re.I)
_IN_ONE_LINE = re.compile(rf"(?:^|[.!?] ){_CLOSING}, (?P<name>(?-i:[A-Z])[\w'’-]+)[.!]?\s*$", re.I)
_AFTERWORD = re.compile(r"^\s*p\.?s\b", re.IGNORECASE)


def letters(lines: Sequence[str], name: str) -> frozenset[int]:
    """The numbers of the lines that belong to letters which are not of somebody called `name`."""
    signatures = list(_signatures(lines))
    found: set[int] = set()
    number = 0
    while number < len(lines):
        end = _mail(lines, number, signatures) or _letter(lines, number, name, signatures)
        if not end:
            number += 1
            continue
        while end < len(lines) and not lines[end].strip():
            end += 1
        if end < len(lines) and _AFTERWORD.match(lines[end]):
            end = next((at for at in range(end, len(lines)) if not lines[at].strip()), len(lines))
        found |= set(range(number, end))
        number = end
    return frozenset(found)


def _mail(lines: Sequence[str], start: int, signatures: Sequence[Signature]) -> int:
    """Where a mail ends that begins with its headers; 0 where there is none."""
    body = start
    while body < len(lines) and _HEADER.match(lines[body]):
        body += 1
    return _signed(signatures, body).end or len(lines) if body - start >= HEADERS else 0


def _letter(lines: Sequence[str], start: int, name: str, signatures: Sequence[Signature]) -> int:
    """Where a letter ends that begins with its greeting; 0 where there is none, or where it may be the sender's."""
    found = _GREETING.match(lines[start])
    greeted = f"{found['title'] or ''} {found['name'] or ''}".lower().split() if found else []
    if not found or not greeted or _NOBODY & set(greeted):
        return 0
    end, _, by = _signed(signatures, start)
    own = set(name.lower().split())
    if own & set(greeted):  # nobody greets themselves
        return end or (len(lines) if not found["more"] else 0)
    return 0 if by in own or by in greeted else end


def _signatures(lines: Sequence[str]) -> Iterator[Signature]:
    for number, line in enumerate(lines):
        if found := _IN_ONE_LINE.search(line):
            yield Signature(number + 1, number, found["name"].lower())
        elif _CLOSING_LINE.match(line):
            below = next((at for at in range(number + 1, min(number + 4, len(lines))) if lines[at].strip()), 0)
            if below and (found := _NAME_BELOW.match(lines[below])):
                yield Signature(below + 1, number, found["name"].split()[0].lower())


def _signed(signatures: Sequence[Signature], start: int) -> Signature:
    """The first signature from a line on."""
    place = bisect_left(signatures, start, key=lambda one: one.line)
    return signatures[place] if place < len(signatures) else Signature(0, 0, "")


LEAD = 80
"""Characters in which the words before a colon are looked for."""


QUOTATION = 500
"""Characters in which a quotation behind a colon must end."""
GREETING = 3
"""Words after a name and a colon that may be somebody's first ones, without an "I" in them."""


class Reach(Enum):
    """How far the words of somebody else go on after the sentence that announces them."""

    LINE = 1
    PARAGRAPH = 2
    MESSAGE = 3


_WORK = (
    r"(?:translat(?:e|ion)|proof-?read|re-?(?:write|word|phrase)|paraphrase|summari[sz]e|summary of(?! my)|shorten"
    r"|simplify"
    r"|polish|revise|(?:correct|fix|check|improve) (?:the |my )?(?:grammar|spelling|english|wording|text|sentence"
    r"|e-?mail|letter|essay|paragraph))"
)
_THIS = r"\b(?:this|these|following|below)\b"
_HANDED_OVER = re.compile(
    rf"^(?:[^.!?:\n]{{0,40}}\b)?{_WORK}\b"
    rf"(?:[^.!?:\n]{{0,80}}:|(?=[^\n]*{_THIS})[^.!?:\n]{{0,80}}[.?!]?[ \t]*\n)\s*(?=\S)",
    re.IGNORECASE | re.MULTILINE,
)
_LANGUAGE = (
    r"(?:grammatical|natural|polite|idiomatic|professional|fluent|formal|rude|correct (?:english|german|french"
    r"|spanish))"
)
_SENTENCE = r"(?:sentences?|phrases?|wording|grammar|expressions?|translations?)"
_CHECKED = re.compile(
    rf"^[^.!?:]{{0,20}}\b(?:(?:is|are|does|do) (?:this|these|the following)(?: [\w-]+)?(?: {_SENTENCE}\b"
    rf"|[^.!?:]{{0,30}} {_LANGUAGE}\b|[^.!?:]{{0,20}} grammatically\b)"
    rf"|(?:is|does) (?:this|it) (?:sound )?{_LANGUAGE}\b"
    rf"|(?:{_WORK}|correct|fix|check|improve) (?:this|these"
    rf"|the following) (?:\w+ )?{_SENTENCE}\b)[^.!?:]{{0,60}}[.?!:]*$",
    re.IGNORECASE,
)
"""A question about a sentence, which is the one that follows."""
_ABOVE = re.compile(
    r"^\s*\^|^(?=[^\n]*\b(?:(?:this|that|it)(?= (?:in|into|to|for|more|less|as|so|please|again)\b|[?.!,]|\s*$)"
    r"|above\b))"
    rf"[^.!?:\n]{{0,40}}(?:\b{_WORK}\b|\b(?:is|does) (?:this|that|it|the above) (?:sound )?(?:correct\b|{_LANGUAGE}))",
    re.IGNORECASE,
)
"""A request that stands below the text it is about."""
_BEFORE_COLON = re.compile(r"^(?P<lead>(?:\[[^\]]{1,30}\] ?)?(?:[^:(]|\([^)]{1,30}\)){2,80}):(?P<rest>\s|$)")
_CLOCK = re.compile(r"\[[^\]]*\]|\([^)]*\)")
"""When it was said, as logs of a chat have it."""
_ADDRESS = re.compile(r"\s*\S+@\S|\s*[+\d(][\d /()-]{5,}")
_SPEECH = re.compile(
    r"\b(?:says?|said|saying|wrote|writes|text(?:s|ed)|messaged|e-?mailed|post(?:s|ed)|tweeted|tells|told|asks|asked"
    r"|repl(?:y|ies|ied)|answered|shouted|yelled|sang|sings|(?:was|is|were|are) like)\b|\b(?:goes|went)$",
    re.IGNORECASE,
)
_OWN_SPEECH = re.compile(
    r"\b(?:I|you|we)(?:['’]\w+)? (?:(?:have|had|just|also|already|always|once|then|recently) )*(?:says?|said|saying"
    r"|wrote|writes?|texted|messaged|e-?mailed|posted|tweeted|tells?|told|asks?|asked|repl(?:y|ied)|answer(?:ed)?)\b",
    re.IGNORECASE,
)
"""What the speaker said is theirs, and so is the answer to what was asked here."""
_BY_COMMA = re.compile(
    r"^(?:(?:as|like) [^,:]{2,40}\b(?:says?|said|puts? it)|[^,:]{2,40}\b(?:said|(?:was|is|were|are) like)), ",
    re.IGNORECASE,
)
_KIN = (
    r"(?:mom|mum|mother|dad|father|wife|husband|partner|girlfriend|boyfriend|son|daughter|kid|brother|sister|grandma"
    r"|grandmother|grandpa|grandfather|aunt|uncle|cousin|friend|boss|manager|doctor|teacher|colleague|coworker"
    r"|neighbou?r|roommate|ex)"
)
_TEXTS = (
    r"(?:lyrics?|quot(?:e|ation)s?|sign|song|novel|story|poem|role-?play|character|caption|headline|example|e\.g|joke"
    r"|dialogue|script|scene|motto|proverb|saying|sentence|translat\w+|proof-?read|rewrite|paraphrase|summari[sz]e"
    r"|tweets?|posts?|messages?|e-?mails?|mails?|letters?|texts?(?! me\b)|reviews?|complaints?|diary|journal|articles?"
    r"|comments?|transcripts?|paragraphs?|excerpts?|passages?|essays?|speech|testimonials?|voicemails?|sms|dms?"
    r"|tickets?|reddit|forum|blog|obituary|interview|chat ?logs?|conversation|cover letter|advert\w*)"
)
_PIECE = re.compile(
    rf"\b{_TEXTS}\b|\bfrom (?:an?|my|our|the|some|one of (?:my|our)) (?:[\w-]+ )?"
    rf"(?:reader|customer|client|user|stranger|candidate|patient|student|{_KIN})s?\b|\bwhich (?:one )?is "
    r"(?:better|correct|right)|\b(?:bio|profile|cv|account|statement) (?:of|from|by)\b",
    re.IGNORECASE,
)
_SHOWN = re.compile(
    r"^(?:(?:here(?:['’]s| is| are)|this is|look at this|see this|check out this)\b[^:]{0,30}"
    r"|(?=[^:]*[?]$|(?:please |pls )?(?:read|check|grade|rate|review|look|tell|help|give|improve|judge"
    r"|analy[sz]e)\b)[^:]{0,40}"
    rf"\b(?:this|these|following|below|his|her|their|\w+['’]s) (?:[\w-]+ )?)\b"
    rf"(?:{_TEXTS}|profiles?|cv|r[eé]sum[eé]|bios?|applications?|drafts?|statements?)\b[^:]{{0,40}}$",
    re.IGNORECASE,
)
"""A line of its own above the text that it shows or asks about, without a colon."""
_TO_WRITE = re.compile(
    r"(?:(?:please|can you|could you|now|then|next|also|and|ok|okay),? )*"
    r"(?:write|draft|compose|create|generate|make|finish|continue|complete)\b",
    re.IGNORECASE,
)
_CLOSED = re.compile(r":\s*(?:\"[^\"]+\"|“[^”]+”|«[^»]+»|'[^\n]+'(?!\w))")
"""A quotation that ends where its marks do."""
_FIRST = re.compile(r"\b(?:I|i|my|me|we|our|us)\b", re.IGNORECASE)
_OF_SELF = re.compile(r"\b(?:I|i|me|myself|I['’]\w+)\b")
_SOMEBODY = re.compile(rf"^(?:my|his|her|the|our) (?:[a-z]+ )?{_KIN}$", re.IGNORECASE)
_NAME = re.compile(r"^[A-Z][\w'-]*(?: [A-Z][\w'-]*)?$")
_LABELS = re.compile(
    r"\b(?:address|allerg(?:y|ies)|answer|background|bio|btw|clarification|confession|context|correction|diet"
    r"|disclaimer"
    r"|edit|extra|facts?|family|fyi|health|heads-up|hobbies|home|important|info|introduction|job|news|notes?|one"
    r"|personal"
    r"|plans?|preferences|problem|ps|question|remember|reminder|result|side|situation|status|summary|thing|tldr|update"
    r"|warning|work|yes|no|reason|and|also|but|so|well|ok|okay|please)\b",
    re.IGNORECASE,
)
"""Words before a colon that name no speaker: "Update: I moved"."""
_HINTS = (
    *(">", "^", "\n", "said,", "says,", "say,", "like,", " it,", "sentence", "phrase", "wording", "grammar"),
    *("expression", "translation", "natural", "polite", "idiomatic", "professional", "fluent", "formal", "rude"),
    "correct",
)
"""Most messages have nothing of all this."""
_LABEL = re.compile(r":(?![^\[\]]*\])")
_SIGNED = re.compile(r", [A-Z][\w'’-]+[.!]?\s*$")


def apart(text: str, name: str) -> tuple[str, str]:
    """What was said by somebody who is called so, and what was only passed on."""
    if not _may_announce(text):
        return text, ""
    own, passed_on = text, ""
    if handed := _HANDED_OVER.search(text):
        own, passed_on = text[: handed.start()], text[handed.end() :]
    kept: list[str] = []
    borrowed: list[str] = []
    for line, theirs in _voices(own, name):
        (borrowed if theirs else kept).append(line)
    return "\n".join(kept), "\n".join(filter(None, (*borrowed, passed_on)))


def in_other_voice(sentence: str, name: str) -> bool:
    """ "Mia says: I am allergic to nuts", "Mom: I hate broccoli": the "I" is not who wrote this."""
    return _announced(sentence, name) is not None


def _voices(text: str, name: str) -> Iterator[tuple[str, bool]]:
    """The lines of a text, or pieces of one, each with whether somebody else says it."""
    lines = text.split("\n")
    told = [number for number, line in enumerate(lines) if line.strip()]
    if len(told) > 1 and _ABOVE.match(lines[told[-1]]):
        yield from ((line, number < told[-1]) for number, line in enumerate(lines))
        return
    in_letters = letters(lines, name)
    reach: Reach | None = None
    begun = False
    for number, line in enumerate(lines):
        if number in in_letters or line.lstrip().startswith(">"):
            if number in in_letters:
                reach = None  # it was announced, and ends by itself
            yield line.lstrip().removeprefix(">"), True
            continue
        if reach is Reach.PARAGRAPH and begun and not line.strip():
            reach = None
        if reach and (line.lstrip().startswith("^") or _own_label(line, name)):
            reach = None
        if reach:
            begun = begun or bool(line.strip())
            yield line, True
            continue
        own, theirs, reach = _cut(line, name)
        begun = not line.rstrip().endswith(":")
        if reach is None and number + 1 < len(lines) and _SHOWN.match(line.strip()):
            reach = Reach.MESSAGE
        yield own, False
        if theirs:
            yield theirs, True


def _cut(line: str, name: str) -> tuple[str, str, Reach | None]:
    """A line up to the sentence that announces other words, what comes behind it, and how far those go on."""
    sentences = split(line) if _may_announce(line) else []
    for place, sentence in enumerate(sentences):
        if (reach := _announced(sentence, name)) and not _CLOSED.search(sentence, 0, QUOTATION):
            behind = " ".join(sentences[place + 1 :])
            below = reach is Reach.LINE and not behind and sentence.endswith(":")
            goes_on = Reach.PARAGRAPH if below else None if reach is Reach.LINE else reach
            return (" ".join(sentences[: place + 1]) if behind else line), behind, goes_on
    return line, "", None


@lru_cache(maxsize=1024)
def _announced(sentence: str, name: str) -> Reach | None:
    """How far words of somebody else go that this sentence begins or announces; None where it does not."""
    if not _may_announce(sentence):
        return None
    if _BY_COMMA.match(sentence, 0, LEAD) and not _OF_SELF.search(sentence.partition(",")[0]):
        return Reach.LINE
    if _CHECKED.match(sentence):
        return Reach.MESSAGE
    found = _BEFORE_COLON.match(sentence)
    if not found or _ADDRESS.match(sentence[found.end() :]):
        return None
    lead = _CLOCK.sub("", found["lead"]).strip()
    if _SPEECH.search(lead):
        return None if _OWN_SPEECH.search(lead) else Reach.PARAGRAPH
    if _PIECE.search(lead) or (_TO_WRITE.match(lead) and not _OF_SELF.search(lead)):
        return Reach.MESSAGE
    if _OF_SELF.search(lead):
        return None
    if _SOMEBODY.match(lead):
        return Reach.LINE
    named = _NAME.match(lead) and lead.casefold() not in (name.casefold(), "me") and not _LABELS.search(lead)
    said = sentence[found.end() :]
    return Reach.LINE if named and (len(said.split()) <= GREETING or _FIRST.search(said)) else None


def _own_label(line: str, name: str) -> bool:
    """ "Me: I live in Rome" in the log of a chat."""
    found = _BEFORE_COLON.match(line.strip())
    lead = _CLOCK.sub("", found["lead"]).strip().casefold() if found else ""
    return bool(lead) and lead in (name.casefold(), "me", "i")


def _may_announce(text: str) -> bool:
    plain = text.lower()
    return (
        (":" in text and bool(_LABEL.search(text)))
        or any(hint in plain for hint in _HINTS)
        or bool(_SIGNED.search(text))
    )
