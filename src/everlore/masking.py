"""Secrets kept out of the memory: what a person pastes by accident is not remembered. Pure.

Four ways lead to one. A maintained set of rules (detect-secrets) knows the credentials of many makers. A word that
looks random behind a label is one of any maker: `label_…`. What a text says is one, is: a name and a value, a header,
an option, "the password is …" in the languages that we read; for people's passwords any value counts that is one, for
machines' keys only a random one. And addresses, connection strings and blocks of private keys have places for them.

Everything looks at no more than a window of the text at a time, so the cost is linear in its length. Masking twice is
masking once.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Callable, Iterable, Iterator, Mapping
from fnmatch import fnmatchcase
from functools import cache, lru_cache
from importlib.resources import files
from itertools import pairwise
from typing import Any, Final, NamedTuple

from everlore.redact import redact

WINDOW: Final = 2000
OVERLAP: Final = 400
"""Characters that are looked at together, and how many of them again with the next."""
LEAST: Final = 16
"""Characters of a random word: shorter ones are names, dates and versions."""
BEFORE: Final = 32
"""Characters of a name before the word in it that says what it names."""
NAME: Final = 100
"""Characters of a field's name that are looked at."""
NOT_MAKERS: Final = frozenset(
    {"Base64HighEntropyString", "HexHighEntropyString", "KeywordDetector", "IPPublicDetector", "PrivateKeyDetector"}
)
"""Detectors that guess, where we know more of the text; an address is no secret; of a key they mask the heading."""


class Found(NamedTuple):
    start: int
    end: int
    kind: str


_KNOWN: Final[Mapping[str, Any]] = tomllib.loads(files("everlore").joinpath("masking.toml").read_text(encoding="utf-8"))
_PAIRS: Final = frozenset(_KNOWN["pairs"].split())
_IDS: Final = frozenset(_KNOWN["ids"])
_PLACEHOLDERS: Final = frozenset(_KNOWN["placeholders"])


def _any(words: Iterable[str]) -> str:
    return "|".join(re.escape(word) for word in sorted(set(words), key=len, reverse=True))


_BLOCK = re.compile(
    r"-----BEGIN (?P<kind>[A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?)-----"
    r"(?:(?:(?!-----BEGIN )[\s\S])*?-----END (?P=kind)-----|(?:\\[nr]|[\sA-Za-z0-9+/=:,_-])*)"
)
_WORD = re.compile(rf"(?<![A-Za-z0-9_])[A-Za-z0-9$][A-Za-z0-9_.~$-]{{{LEAST - 1},}}")
_JWT = re.compile(r"(?<![A-Za-z0-9_-])eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}(?:\.[A-Za-z0-9_-]{4,})?")
_MAKERS: Final[Mapping[str, str]] = {mark: name for name, marks in _KNOWN["makers"].items() for mark in marks}
_MADE = re.compile(
    rf"(?<![A-Za-z0-9_])(?P<mark>{_any(_MAKERS)})(?=[a-z_./+=-]{{0,64}}[A-Z\d])"
    rf"[A-Za-z0-9_./+=-]{{{LEAST - 1},}}[A-Za-z0-9_=]"
)
_HASH = re.compile(r"\$(?:2[abxy]|apr1|1|5|6|y|argon2\w{1,2})\$[A-Za-z0-9./$,=+]{20,}")
_ADDRESS = re.compile(rf"(?:{_any(_KNOWN['addresses'])})(?:\d{{10,20}}/)?+(?P<secret>[A-Za-z0-9_/-]{{16,}})")
_URL = re.compile(r"\b[a-zA-Z][a-zA-Z0-9+.-]{1,20}://[^\s/:@\"'<>]{0,64}:(?P<secret>[^\s/@\"'<>]{1,200})(?=@)")
_PUTTY = re.compile(
    r"Private-Lines: \d{1,3}\s{1,2}(?P<secret>(?:[A-Za-z0-9+/=]{1,80}\s{0,2}){1,200}?)(?=Private-MAC|$)"
)
_LABELS = re.compile(r"[A-Za-z]{1,12}\d{0,2}[a-z]{0,4}[_.-](?:(?:[A-Za-z]{1,12}\d{0,2}[a-z]{0,4}|\d{1,2})[_.-]){0,4}")
_VAGUE: Final = frozenset({"key", "code", "auth", "session", "sig", "signature", "chiave", "clé", "schlüssel"})
_MIXED = re.compile(r"(?=[^\d]{0,40}\d)(?=\D*\d\D*\d)(?=[^a-zA-Z]{0,40}[a-zA-Z])[A-Za-z0-9!#%+=_]{10,200}")
_PAIR = re.compile(r"(?<![\w/.-])[A-Za-z0-9_-]{6,24}:(?P<secret>[A-Za-z0-9_-]{30,})")
_HEX = re.compile(r"[0-9a-fA-F]+")
_UUID = re.compile(r"[0-9a-fA-F]{8}(?:-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")
_FILE = re.compile(r".{1,300}\.(?!us\d)[a-z]{1,6}\d?")
_SAYS: Final = {"password": _KNOWN["passwords"], "key": _KNOWN["keys"], "cookie": ["cookie"]}
_COPULAS, _OF, _NOW = (_any(_KNOWN[name]) for name in ("copulas", "of", "now"))
_VALUE = r"[\"'`“„«]?(?P<value>(?:(?!&\w{1,40}=)[^\s\"'`<>,;“”„«»。，、（）]){4,128})"
_GIVEN = re.compile(rf"[\"'\]]{{0,2}}[ \t]{{0,4}}(?P<how>=>|:=|:(?!//)|=(?!=)|：|＝|>)[ \t]{{0,4}}{_VALUE}")
_TOLD = re.compile(
    rf"(?:\s{{1,3}}(?:{_OF})\s[^\n.:;?!]{{1,40}}?)?\s{{0,3}}(?:(?<![a-zà-ü])(?:{_COPULAS})(?![a-zà-ü])|[是为為は:：])"
    rf"(?:\s{{1,3}}(?:{_NOW}))?:?\s{{0,3}}{_VALUE}",
    re.IGNORECASE,
)
_REVERSED = re.compile(
    rf"(?<!\S)(?P<value>[^\s\"'<>]{{4,64}})\s(?:{_COPULAS}|as|als|como|comme|come)\s(?:\w{{1,8}}\s){{0,2}}$",
    re.IGNORECASE,
)
_APART = re.compile(rf"\s{{1,3}}(?:(?:add-authtoken|is)\s)?{_VALUE}")
_HEADER = re.compile(
    rf"[\"']?\s{{0,2}}[:=]\s{{0,2}}[\"']?(?:(?:Bearer|Basic|Digest|Token|ApiKey|GenieKey|SSWS|OAuth)\s{{1,2}})?(?:token=)?{_VALUE}",
    re.IGNORECASE,
)
_OPTION = re.compile(
    r"\s(?:-u|--user)\s{1,3}[\"']?[^\s:\"'$]{1,64}:(?P<secret>[^\s\"'$]{4,200})"
    r"|\bsshpass\s{1,3}-p\s{0,3}[\"']?(?P<told>[^\s\"'$]{4,64})"
)
_PHRASE = re.compile(r"(?:\s(?:is|was))?\s{0,2}:?\s{0,3}[\"'“]?(?P<value>[a-z]{3,12}(?: [a-z]{3,12}){3,23})(?![a-z])")
_NETRC = re.compile(r"\b(?:machine|login)\s")
_COOKIE = re.compile(r"(?:sess|auth|token|sid|jwt|login)[\w-]{0,20}=(?P<secret>[^\s;,\"']{8,4000})", re.IGNORECASE)
_CODE = re.compile(
    r"[\w.]{0,80}[(\[]|(?:os|process|settings|config|env|self|request|req|secrets|vars?)\.|[$%{<*\[]|your"
)
_NO_PASSWORD = re.compile(r"(?:sha|md|base|utf|aes|rsa)-?\d|https?:|/|\d{1,4}[+-]?[a-z]{3,}$", re.IGNORECASE)
"""An algorithm, an address, a path, a number of something."""
_ENDS: Final = ".,:!?)]}…！？でです"


def mask_secrets(text: str, allowed: Iterable[str] = ()) -> str:
    """The text without anything that opens a door. What fits a pattern of `allowed` (`order-*`) stays."""
    parts, at = list[str](), 0
    for start, end, kind in _apart(_found(text), text, tuple(allowed)):
        parts += (text[at:start], f"[MASKED {kind}]" if kind else "[MASKED]")
        at = end
    return redact("".join((*parts, text[at:])))


def mask_deep(value: Any, allowed: Iterable[str] = (), name: str = "") -> Any:
    """`mask_secrets` in every text of a JSON value, and where its `name` says what it is; names of fields stay."""
    patterns = tuple(allowed)
    if isinstance(value, str):
        masked = mask_secrets(value, patterns)
        if masked != value or not name or len(value) > WINDOW:
            return masked
        named = mask_secrets(f'"{name[:NAME]}": "{value}"', patterns)
        return re.sub(r'^"[^"]*": "', "", named).removesuffix('"')
    if isinstance(value, Mapping):
        return {key: mask_deep(inner, patterns, str(key)) for key, inner in value.items()}
    if isinstance(value, list | tuple):
        return [mask_deep(inner, patterns, name) for inner in value]
    return value


def _apart(found: Iterable[Found], text: str, allowed: tuple[str, ...]) -> Iterator[Found]:
    """In their order, none inside another, without what is allowed."""
    at = 0
    for one in sorted(found, key=lambda one: (one.start, -one.end)):
        start = max(one.start, at)
        if start < one.end and not any(fnmatchcase(text[one.start : one.end], pattern) for pattern in allowed):
            yield Found(start, one.end, one.kind)
            at = one.end


def _found(text: str) -> Iterator[Found]:
    for pattern, kind in _PLACES:
        for found in pattern.finditer(text):
            name = next((name for name in ("secret", "told") if found.groupdict().get(name)), 0)
            if name == 0 or not _stands_for_one(found[name]):
                yield Found(*found.span(name), kind)
    yield from (Found(*found.span(), _MAKERS[found["mark"]]) for found in _MADE.finditer(text))
    for found in _WORD.finditer(text):
        if (start := _labelled(text, found)) is not None:
            yield Found(start, found.start() + len(_whole(text, found)), "token")
    for found in _PAIR.finditer(text):
        label = found[0].partition(":")[0].casefold()
        if label not in _IDS and _is_random(found["secret"]) and not _HEX.fullmatch(found["secret"]):
            yield Found(*found.span(), "token")
    yield from _named(text)
    yield from _by_makers(text)


_PLACES: Final = (
    (_BLOCK, "private key"),
    (_PUTTY, "private key"),
    (_JWT, "JWT"),
    (_HASH, "password hash"),
    (_ADDRESS, "address"),
    (_URL, ""),
    (_OPTION, "password"),
)


def _labelled(text: str, found: re.Match[str]) -> int | None:
    """Where the word begins that looks random and has a label of its own."""
    word, before = _whole(text, found).rstrip("."), text[found.start() - 1 : found.start()]
    label = _LABELS.match(word)
    if before in ("/", "@", "#", "+", "%") or _UUID.search(word) or _FILE.fullmatch(word):
        return None
    if label is None or label[0].count(".") < word.count("."):
        parts = word.split(".")
        opaque = len(parts) > 1 and any(
            len(part) >= 20 and _is_random(part) and not _HEX.fullmatch(part) for part in parts
        )
        if opaque or label is None:
            return found.start() if opaque else None
    first = re.split(r"[_.-]", word, maxsplit=1)[0].casefold()
    if first in _IDS and not word.startswith("pk_" if word[3:11].isdecimal() else " "):
        return None
    while label is not None and len(word) - label.end() < LEAST:  # a body may begin as a label does
        shorter = max(label[0][:-1].rfind(sign) for sign in "_-.") + 1
        label = _LABELS.match(word, 0, shorter) if shorter else None
    if label is None:
        return None
    body = word[label.end() :]
    if _HEX.fullmatch(body) and not label[0].endswith("_") and first not in ("key", "pul", "tskey"):
        return None  # a sum, as of a build
    return found.start() if _is_random(body) else None


def _whole(text: str, found: re.Match[str]) -> str:
    """With what base64 has besides."""
    tail = _TAIL.match(text, found.end())
    return found[0] + (tail[0] if tail else "")


def _is_random(word: str) -> bool:
    """Whether nobody made it up: kinds of characters change often, or letters stand side by side that rarely do."""
    plain = re.sub(r"[^A-Za-z0-9]", "", word)
    size = len(plain)
    if size < LEAST - 4 or len(set(plain)) < 8:
        return False
    pairs = list(pairwise(plain))
    if sum(ord(after) - ord(before) == 1 for before, after in pairs) > size / 2:
        return False  # the alphabet
    changes = sum(_kind(before) != _kind(after) for before, after in pairs) / len(pairs)
    digits = sum(sign.isdecimal() for sign in plain)
    letters = [(before + after).lower() for before, after in pairs if before.isalpha() and after.isalpha()]
    rare = sum(pair not in _PAIRS for pair in letters) / len(letters) if letters else 1.0
    if digits == size:
        return False
    if changes >= 0.25 and (digits >= size / 5 or (digits >= 2 and rare >= 0.2)):
        return True
    return size >= 20 and rare >= 0.4


def _is_long(word: str) -> bool:
    return len(word) >= 40 and _is_random(word)


def _kind(sign: str) -> int:
    return 0 if sign.isdecimal() else 1 if sign.islower() else 2


def _named(text: str) -> Iterator[Found]:
    """What the text itself says is a secret; a name inside of one is part of it."""
    folded, at = text.casefold(), 0
    said = tuple(tuple(word for word in words if word in folded) for words in _SAYS.values())
    for name in _names(said).finditer(text) if any(said) else ():
        if name.start() < at or _inside_a_word(text, name) or _names_no_secret(text, name):
            continue
        for one in _SAID[name.lastgroup or ""](text, name):
            yield one
            at = max(at, one.end)


@lru_cache(256)
def _names(said: tuple[tuple[str, ...], ...]) -> re.Pattern[str]:
    """Only of the words that a text has: looking for all of them in every text takes twenty times as long."""
    groups = [f"(?P<{kind}>{_any(words)})" for kind, words in zip(_SAYS, said, strict=True) if words]
    return re.compile("|".join(groups), re.IGNORECASE)


def _cookie(text: str, name: re.Match[str]) -> Iterator[Found]:
    line, at = text[name.end() : name.end() + WINDOW].partition("\n")[0], name.end()
    for one in _COOKIE.finditer(line):
        yield Found(at + one.start("secret"), at + one.end("secret"), "session")


def _inside_a_word(text: str, name: re.Match[str]) -> bool:
    word = name[0]
    if not word.isascii() or not word[-1].isalnum():
        return False
    before, after = text[name.start() - 1 : name.start()], text[name.end() : name.end() + 2]
    goes_on = after[:1].isascii() and (after[:1].isalnum() or after[:1] == "_") and after != "s "
    begun = before.isalpha() and before.isascii() and not (word[0].isupper() and before.islower())
    return goes_on or (begun and len(word) < 5)


def _names_no_secret(text: str, name: re.Match[str]) -> bool:
    before = re.findall(r"[A-Za-z][a-z]+|[A-Z]+", text[max(0, name.start() - BEFORE) : name.start()])
    close = text[max(0, name.start() - 2) : name.start()].rstrip("_-. ").isalnum() or name[0][0].isupper()
    return bool(before) and close and before[-1].casefold() in _HARMLESS


_HARMLESS: Final = frozenset(_KNOWN["harmless"])


def _password(text: str, name: re.Match[str]) -> Iterator[Found]:
    if phrase := "phrase" in name[0].lower() and _PHRASE.match(text, name.end()):
        yield Found(*phrase.span("value"), "passphrase")
        return
    if turned := _REVERSED.search(text[max(0, name.start() - 100) : name.start()]):
        at = max(0, name.start() - 100)
        if _is_password(turned["value"], plain=False) and not turned["value"].isdecimal():
            yield Found(at + turned.start("value"), at + turned.end("value"), "password")
    option = text[max(0, name.start() - 40) : name.start()]
    given = _GIVEN.match(text, name.end())
    if given is not None:
        config = given["how"] in "=>" or name[0].isupper() or text[given.start("value") - 1] in "\"'"
        yield from _accepted(given, "password", lambda value: _is_password(value, plain=config))
    elif told := _TOLD.match(text, name.end()):
        yield from _accepted(told, "password", lambda value: _is_password(value, plain=False))
    elif (option.endswith("--") or _NETRC.search(option)) and (apart := _APART.match(text, name.end())):
        yield from _accepted(apart, "password", lambda value: _is_password(value, plain=False))


def _key(text: str, name: re.Match[str]) -> Iterator[Found]:
    if name[0].casefold() == "authorization" and (header := _HEADER.match(text, name.end())):
        yield from _accepted(header, "credential", lambda value: len(value) >= 8)
        return
    if (given := _GIVEN.match(text, name.end())) and given["how"] in "=:" and name[0].casefold() not in _VAGUE:
        yield from _accepted(given, "secret", lambda value: bool(_MIXED.fullmatch(value)))
    for form in (_GIVEN, _TOLD, _APART):
        if told := form.match(text, name.end()):
            vague = form is _APART and name[0].casefold() in ("code", "key", "session")
            yield from _accepted(told, "secret", _is_long if vague else _is_random)


def _accepted(found: re.Match[str], kind: str, fits: Callable[[str], bool]) -> Iterator[Found]:
    value = found["value"].rstrip(_ENDS)
    if len(value) >= 4 and not _stands_for_one(value) and fits(value):
        end = found.start("value") + len(value)
        rest = _REST.match(found.string, end) if end == found.end() else None
        yield Found(found.start("value"), rest.end() if rest else end, kind)


_SAID: Final = {"password": _password, "key": _key, "cookie": _cookie}
_REST: Final = re.compile(r"[A-Za-z0-9_/+=.~-]*")


def _stands_for_one(value: str) -> bool:
    """A variable, a call, a placeholder: no secret itself."""
    return (
        bool(_CODE.match(value)) or value.casefold() in _PLACEHOLDERS or (len(set(value)) < 3 and not value.isdecimal())
    )


def _is_password(value: str, *, plain: bool) -> bool:
    """`plain`: in a place where only a password stands, so that a word may be one."""
    if _NO_PASSWORD.match(value):
        return False
    letters, digits = any(map(str.isalpha, value)), any(map(str.isdecimal, value))
    signs = any(sign in "!@#$%^*+=?~|\\_" for sign in value)
    return value.isdecimal() or (letters and (digits or signs)) or (plain and letters and "." not in value)


@cache
def _makers() -> list[tuple[str, Any]]:
    """The detectors of single makers, loaded when a text first has something that may be one: they take a while."""
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class  # a third of a second

    every: dict[str, Any] = get_mapping_from_secret_type_to_class()
    return [(name, kind()) for name, kind in every.items() if kind.__name__ not in NOT_MAKERS]


def _by_makers(text: str) -> Iterator[Found]:
    """By the rules of the library, a window at a time."""
    for start in range(0, len(text), WINDOW - OVERLAP):
        window = text[start : start + WINDOW]
        if not _WORDY.search(window):
            continue
        for name, detector in _makers():
            for secret in detector.analyze_string(window):
                if not secret or _stands_for_one(secret) or not _is_random(secret):
                    continue
                at = window.find(secret)
                while at >= 0:
                    end = _TAIL.match(window, at + len(secret)).end()  # type: ignore[union-attr]
                    yield Found(start + at, start + end, name)
                    at = window.find(secret, end)


_WORDY: Final = re.compile(r"[A-Za-z0-9_/+=-]{20}")
_TAIL: Final = re.compile(r"[A-Za-z0-9_/+=-]*")
