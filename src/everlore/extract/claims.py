"""A sentence read once into a value: of whom it speaks, what it says, whether that holds, and how it is put.

The frames of a language (`languages/<code>/frames.toml`) are tried in order; the first that fits and whose value may
stand there is the reading. Facts in the third person are read as their speaker would have said them.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache, lru_cache
from typing import Any

from everlore.extract.language import Language, language, language_of, small
from everlore.extract.third_person import base_form

OVER = "-"
HOLDS = "+"
SIGNED = ("liking", "diet", "")
"""Values that one may also be against: "I hate mushrooms"."""
_QUOTED = re.compile(r"^(?P<who>.{1,60}?) (?:said|asked|shared|wants)(?: \w+)?: \"(?P<words>.*)\"$", re.DOTALL)
_VALUE = r"(?P<v>[^,;!?()\n]+?)"
_END = (
    r"(?=(?: (?:%s)\b| (?:in|on|since|from) (?:january|february|march|april|may|june|july|august|september|october"
    r"|november|december|spring|summer|autumn|winter|\d{4})\b|[,;!?()\n]"
    r"|(?<!\bdr)(?<!\bmr)(?<!\bms)(?<!\bmrs)(?<!\bst)\.(?:\s|$)|\.?$| [-–—] | \())"
)
_WIDE_VALUE = r"(?P<v>[^，。！？、；：]+?)"
_WHAT = r"(?P<what>(?:[\w'-]+ ){0,3}?[\w'-]+)"
_DATED = re.compile(r" \([^)]{0,100}\d{4}[^)]{0,100}\)")
_AFTER_I = re.compile(
    r"\b[Ii] ((?:(?:now|also|really|still|always|usually|often|never|currently|just|both|no longer) )*)([a-z]+s)\b"
)
_BE = {"is": "am", "has": "have", "does": "do", "was": "was"}
_NUMBER = re.compile(
    r"\d|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|thirty|forty|fifty|hundred|monday|tuesday"
    r"|wednesday|thursday|friday|saturday|sunday|january|february|march|april|june|july|august|september|october|november"
    r"|december|weekly|monthly|daily|spring|summer|autumn|winter)s?\b"
)


@dataclass(frozen=True, slots=True)
class Claim:
    """What a statement says. `slot` names what it is about, `value` what is said of that; `sign` is `OVER` where it
    says that this does not hold (any more). `one`: the slot has one value at a time."""

    who: str
    slot: str
    value: str
    sign: str = HOLDS
    category: str = ""
    one: bool = False
    over: bool = False
    """Whether it says that something has ended, and not only how things are not."""
    closes: tuple[str, ...] = ()
    """Other slots that are over with it."""


@dataclass(frozen=True, slots=True)
class _Frame:
    slot: str
    category: str
    one: bool
    value: str
    says: tuple[re.Pattern[str], ...]
    over: tuple[re.Pattern[str], ...]
    closes: tuple[str, ...] = ()


def read(text: str, name: str = "") -> Claim | None:
    """What a statement claims, if a frame of its language knows it; `name` said it, if it is in the third person."""
    said = own_words(text, name)
    return _read(said)


@lru_cache(maxsize=8192)
def _read(said: str) -> Claim | None:
    known = language_of(said)
    plain = in_full(small(said), known).rstrip(" .!。！")
    if plain.endswith("?") or known.has("unreal", plain):
        return None
    for frame in frames(known.code):
        over = _first(known, frame, frame.over, OVER, plain, said)
        says = _first(known, frame, frame.says, HOLDS, plain, said)
        values = [set(one.value.split()) for one in (over, says) if one and one.value]
        if frame.one and len(values) == 2 and values[0].isdisjoint(values[1]):
            return says  # "I left Siemens and joined BMW"
        if over or says:
            return over or says
    return None


def _first(
    known: Language, frame: _Frame, patterns: tuple[re.Pattern[str], ...], sign: str, plain: str, said: str
) -> Claim | None:
    for pattern in patterns:
        for found in pattern.finditer(plain):
            before = plain[: found.start()]  # which may make it somebody else's word, or a mere thought
            governed = before and known.has("governs", before)
            if not governed and (claim := _claim(known, frame, found, sign, said)):
                return claim
    return None


def _claim(known: Language, frame: _Frame, found: re.Match[str], sign: str, said: str) -> Claim | None:
    groups = found.groupdict()
    value = (groups.get("v") or "").strip(" .'\"")
    what = (groups.get("what") or "").strip()
    rule: Mapping[str, Any] = known.data.get("values", {}).get(frame.value, {})
    whole = found[0]
    if rule and not (_allowed(rule, value, whole, said) if sign == HOLDS else _may_end(rule, value)):
        return None
    slot, who = frame.slot, "self"
    if re.match(r"(?:my|our) (?:\w+-)?(?:\w+)", whole) and rule.get("about"):
        slot = f"{frame.slot} {whole.split()[1]}"
        who = whole.split()[1]
    elif frame.slot == "favorite":
        slot = re.sub(r"^.*?(?:favorite|favourite) | (?:is|are|was|has to be)\b.*$", "", whole).strip()
        slot = f"favorite {slot.replace('colour', 'color')}"
    elif what:
        slot = known_what(what)
    over = sign == OVER
    category = frame.category or ("identity" if what and whole.startswith("my ") and sign == HOLDS else "")
    if not over and frame.value in SIGNED and known.has("against", whole):
        sign = OVER
    return Claim(who, slot, value, sign, category, frame.one, over, frame.closes if over else ())


def speaker_of(slot: str) -> str:
    return slot.partition(": ")[0].partition("'s ")[0]


def known_what(what: str) -> str:
    """A thing as a slot names it: without "new" and the plural."""
    words = [word for word in what.split() if word not in ("new", "my", "our", "the", "current", "own")]
    return " ".join(words).removesuffix("s") or what


def _allowed(rule: Mapping[str, Any], value: str, whole: str, said: str) -> bool:
    words = f" {value} "
    if any(value == start or value.startswith(f"{start} ") for start in rule.get("not", ())):
        return False
    if any(f" {word} " in words for word in rule.get("never", ())) or len(value.split()) > rule.get("short", 12):
        return False
    if "least" in rule and (
        len(value.split()) < rule["least"] or not all(_capital(word, said) for word in value.split())
    ):
        return False
    if rule.get("no_number") and value[:1].isdigit():
        return False
    if rule.get("number") and not _NUMBER.search(value):
        return False
    if rule.get("named") and not (_NUMBER.search(value) or _capital(value, said)):
        return False
    if "any" in rule and not any(one in value for one in rule["any"]):
        return False
    looked_at = f" {whole} " if rule.get("about") or rule.get("bare") else words
    if "has" in rule and (value or rule.get("about") or rule.get("bare")):
        fits = any(f" {word} " in looked_at.replace(",", " ").replace("-", "-") for word in rule["has"])
        return fits or any(value.endswith(end) for end in rule.get("ends", ()))
    return True


def _may_end(rule: Mapping[str, Any], value: str) -> bool:
    """Of what is over it need not be said so plainly what it was."""
    words = f" {value} "
    fits = not value or "has" not in rule or rule.get("about") or any(f" {word} " in words for word in rule["has"])
    return bool(fits) and not any(f" {word} " in words for word in rule.get("never", ()))


def _capital(value: str, said: str) -> bool:
    """Whether the value is written with a capital: a name."""
    at = small(said).find(value)
    return at >= 0 and any(word[:1].isupper() for word in said[at : at + len(value)].split())


def own_words(text: str, name: str) -> str:
    """The statement as its speaker would put it: "Alice lives in Rome (…)" is "I live in Rome"."""
    quoted = _QUOTED.match(text)
    if quoted:
        return _DATED.sub("", quoted["words"])
    if not name or name.lower() not in text.lower():
        return text
    plain = _DATED.sub("", text)
    whole = rf"(?<!\w){re.escape(name)}"
    for begins, instead in ((rf"{whole}['’]s(?!\w)", "my"), (rf"{whole}(?!\w)", "I"), (r"\btheir\b", "my")):
        plain = re.sub(begins, instead, plain, flags=re.IGNORECASE)
    plain = plain.replace("I doesn't", "I don't").replace("I isn't", "I'm not").replace("I hasn't", "I haven't")
    return _AFTER_I.sub(lambda found: f"I {found[1]}{_BE.get(found[2]) or base_form(found[2])}", plain)


def in_full(text: str, known: Language) -> str:
    """Small letters, with short forms written out and the verb behind "i" as the speaker would say it."""
    text = " ".join(text.split())
    short: Mapping[str, str] = known.words.get("short", {})
    if not short:
        return text
    text = _contracted(known).sub(lambda found: short[found[0]], text)
    return _AFTER_I.sub(lambda found: f"i {found[1]}{_BE.get(found[2]) or base_form(found[2])}", text)


@cache
def _contracted(known: Language) -> re.Pattern[str]:
    listed = sorted(known.words["short"], key=len, reverse=True)
    return re.compile(rf"(?<![\w'])(?:{'|'.join(map(re.escape, listed))})(?![\w'])")


@cache
def frames(code: str) -> tuple[_Frame, ...]:
    known = language(code)
    return tuple(
        _Frame(
            one["slot"],
            one.get("category", ""),
            bool(one.get("one")),
            one.get("value", ""),
            tuple(_pattern(text, known) for text in one["says"]),
            tuple(_pattern(text, known) for text in one.get("over", ())),
            tuple(one.get("closes", ())),
        )
        for one in known.data.get("frames", {}).get("frame", ())
    )


def _pattern(text: str, known: Language) -> re.Pattern[str]:
    """ "(i|we) [now] live in {}" as a pattern. In scripts without blanks it is one already, but for its value."""
    if not known.spaced:
        ends = r"(?=[，。！？、；：]|$|了)" if text.endswith("{}") else ""
        return re.compile(text.replace("{what}", r"(?P<what>[^，。、はが]{1,12})").replace("{}", _WIDE_VALUE + ends))
    text = text.replace("[:|,]", "[:,]?")
    text = re.sub(r"(?<!\\)\((?!\?)", "(?:", text)
    kept = re.sub(r"\[([^\]:,]*)\] ", r"(?:(?:\1) )?", text)
    kept = re.sub(r" \[([^\]:,]*)\]", r"(?: (?:\1))?", kept)
    kept = re.sub(r"\[([^\]:,]*)\]", r"(?:\1)?", kept)
    kept = kept.replace("{what}", _WHAT).replace("{2}", r"[^,;]+").replace("_ ", r"\w* ")
    if "{}" in kept:
        stops = "|".join(map(re.escape, known.words.get("stop", ("with",))))
        kept = kept.replace("{}", _VALUE + (_END % stops if kept.endswith(("{}", "{})?")) else ""))
    return re.compile(rf"(?<![\w']){kept}(?!\w)")
