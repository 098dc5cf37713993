"""What is known of language is data: words and patterns are read from `extract/data/<name>.toml`.

uses = ["lexicon"]                                # files whose words and patterns this one may name as well
[words]
kin = "mother father sister"                     # `_` stands for a blank: "stepping_stone"
[patterns]
visits = '''my (?:<<kin>>) (?:visits|visited)'''  # <<kin>> is any of the words, <<other>> another pattern
comes = ['drops in', '<<visits>>']                # any of them; a line break and the blanks after it don't count

KNOWN = Vocabulary("relatives")
KNOWN.words("kin"); KNOWN.pattern("visits")
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from typing import Any

_BREAK = re.compile(r"\n\s*")
_NAMED = re.compile(r"<<(\w+)>>")


class Vocabulary:
    """One data file. A name that it does not have is an error of ours, told when its module is imported."""

    def __init__(self, name: str) -> None:
        self._data: Mapping[str, Any] = tomllib.loads(
            (files("everlore.extract") / "data" / f"{name}.toml").read_text(encoding="utf-8")
        )
        self._words: Mapping[str, str] = self._data.get("words", {})
        self._patterns: Mapping[str, str | list[str]] = self._data.get("patterns", {})
        self._uses = [_used(other) for other in self._data.get("uses", ())]

    def in_order(self, name: str) -> tuple[str, ...]:
        return tuple(word.replace("_", " ") for word in self._words[name].split())

    def words(self, name: str) -> frozenset[str]:
        return frozenset(self.in_order(name))

    def table(self, name: str) -> dict[str, str]:
        """A table of the file: what stands for what."""
        return dict(self._data[name])

    def rows(self, name: str) -> Iterator[list[str]]:
        """A list of lists of the file, with what they name put in as in patterns."""
        return ([self._filled(text) for text in row] for row in self._data[name])

    def text(self, name: str) -> str:
        """A pattern as text, with what it names put in; of words any of them, the longest first."""
        if name in self._patterns:
            given = self._patterns[name]
            return self._filled(given if isinstance(given, str) else "|".join(given))
        if name not in self._words:
            for other in self._uses:
                if name in other._words or name in other._patterns:
                    return other.text(name)
        return "|".join(re.escape(word) for word in sorted(self.in_order(name), key=lambda word: (-len(word), word)))

    def pattern(self, name: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
        return re.compile(self.text(name), flags)

    def _filled(self, text: str) -> str:
        return _NAMED.sub(lambda found: self.text(found[1]), _BREAK.sub("", text))


_used = cache(Vocabulary)
