"""Text cut into sentences, and what a sentence is: a question, chatter, English, worth keeping.

Splitting loses no words: joined again, the sentences hold every character that is not white space. Code blocks are
left out by `prose`, not by `split`.
"""

from __future__ import annotations

import re
from functools import lru_cache

from everlore.extract.lexicon import STOPWORDS
from everlore.extract.vocabulary import Vocabulary

_FENCE = re.compile(r"```.*?(?:```|\Z)|~~~.*?(?:~~~|\Z)", re.DOTALL)
_LINE = re.compile(r"\n+")
_MARKER = re.compile(r"^\s*(?:[-*•·–+]|\(?\d{1,3}[.)]|#{1,6}|>)\s+")
_KNOWN = Vocabulary("sentences")
_FIRST_MARK = re.compile(r"(?:^|[:;,.!?]\s)1[.)]\s")
_SECOND_MARK = re.compile(r"\s2[.)]\s")
_INLINE_MARK = re.compile(r"(?<=[\w:;,.!?])\s+(?=\d{1,2}[.)]\s+\S)")
_WORD = re.compile(r"[^\W_]+(?:['’.\-][^\W_]+)*")
_CJK = re.compile(r"[\u2e80-\u9fff\uac00-\ud7a3\uf900-\ufaff]")


def prose(text: str) -> str:
    """The text without its code blocks."""
    return _FENCE.sub("\n", text)


def split(text: str) -> list[str]:
    """Sentences in order, white space normalised, list marks removed. Works for scripts with their own full stops."""
    found: list[str] = []
    for line in _LINE.split(text):
        for item in items(" ".join(line.split())):
            plain = _MARKER.sub("", item)
            if plain:
                found.extend(_split_line(unmarked(plain)))
    return found


def items(line: str) -> list[str]:
    """A line with a list in it ("Try: 1. tea 2. rest"), cut before each item; any other line whole."""
    first = _FIRST_MARK.search(line)
    return _INLINE_MARK.split(line) if first and _SECOND_MARK.search(line, first.end()) else [line]


def unmarked(text: str) -> str:
    """The text without the marks of bold and italic."""
    return _KNOWN["bold"].sub(lambda mark: mark["code"] or mark[2] or mark[3] or mark[4], text)


def _split_line(line: str) -> list[str]:
    parts: list[str] = []
    start = 0
    for stop in _KNOWN["stop"].finditer(line):
        end = stop.end()
        if stop[0].startswith(".") and not _full_stop(line, start, end):
            continue
        ellipsis, picture = stop[0][0] in "…." and len(stop[0]) > 1, stop[0][0] not in ".!?…。！？"
        if (ellipsis or picture) and _following(line, end).islower():
            continue
        part = line[start:end].strip()
        if part and not any(char.isalnum() for char in part) and parts:
            parts[-1] = f"{parts[-1]} {part}"
        elif part:
            parts.append(part)
        start = end
    rest = line[start:].strip()
    if rest and not any(char.isalnum() for char in rest) and parts:
        parts[-1] = f"{parts[-1]} {rest}"
    elif rest:
        parts.append(rest)
    return parts


def _full_stop(line: str, start: int, end: int) -> bool:
    head = line[max(start, end - 12) : end]
    if _KNOWN["before_number"].search(head):
        return not _following(line, end).isdigit()
    if not _KNOWN["abbreviation"].search(head):
        return True
    return bool(_KNOWN["ends_sentence"].search(head)) and _following(line, end).isupper()


def _following(line: str, end: int) -> str:
    """The next letter; blanks in a line are single."""
    return line[end : end + 2].strip()[:1]


def words(text: str) -> list[str]:
    return _WORD.findall(text)


@lru_cache(maxsize=65536)
def _folded(word: str) -> str:
    return word.replace("’", "'").lower()


def content_words(text: str) -> list[str]:
    """The words that carry meaning, lower case, in order. A CJK character pair counts as a word."""
    found: list[str] = []
    for word in _WORD.findall(text):
        if not word.isascii() and _CJK.search(word):
            found.extend(word[at : at + 2] for at in range(0, len(word), 2))
            continue
        plain = _folded(word)
        if plain not in STOPWORDS and (len(plain) > 1 or plain.isdigit()):
            found.append(plain)
    return found


def is_question(sentence: str) -> bool:
    return sentence.rstrip("\"'”’) ").endswith(("?", "？"))


def stopped(text: str) -> str:
    """With a full stop where nothing ends the sentence, so that the next one can follow."""
    return f"{text}." if text[-1:].isalnum() else text


def clip(text: str, limit: int) -> str:
    """At most `limit` characters, cut at a blank where there is one, with an ellipsis."""
    if len(text) <= limit:
        return text
    cut = text[: limit - 1]
    blank = cut.rfind(" ")
    return (cut[:blank] if blank > limit // 2 else cut).rstrip(" ,;:.-–—") + "…"
