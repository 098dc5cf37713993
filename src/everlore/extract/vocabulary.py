r"""What is known of language is data: words and patterns are read from `extract/data/<name>.toml`.

uses = ["lexicon"]                                # files whose words and patterns this one may name as well
[words]
kin = "mother father sister"                     # `_` stands for a blank: "stepping_stone"
[patterns]
visits = '''my (?:<<kin>>) (?:visits|visited)'''  # <<kin>> is any of the words, <<other>> another pattern
comes = ['drops in', '<<visits>>']                # any of them; a line break and the blanks after it don't count
[exact]                                           # patterns in which capitals count
named = 'my <<kin>> [A-Z]\w+'

KNOWN = Vocabulary("relatives")
KNOWN.words("kin"); KNOWN["visits"].search("my mother visits us")
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any

DATA = Path(__file__).with_name("data")
_BREAK = re.compile(r"\n\s*")
_NAMED = re.compile(r"<<(\w+)>>")


class Vocabulary(dict[str, re.Pattern[str]]):
    """One data file: its patterns by name, each compiled when it is first asked for, so that a start compiles none."""

    def __init__(self, name: str) -> None:
        super().__init__()
        self._data: Mapping[str, Any] = tomllib.loads((DATA / f"{name}.toml").read_text(encoding="utf-8"))
        self._words: Mapping[str, str] = self._data.get("words", {})
        self._exact: Mapping[str, str | list[str]] = self._data.get("exact", {})
        self._patterns: Mapping[str, str | list[str]] = {**self._data.get("patterns", {}), **self._exact}
        self._uses = [_used(other) for other in self._data.get("uses", ())]

    def __missing__(self, name: str) -> re.Pattern[str]:
        self[name] = re.compile(self.text(name), 0 if name in self._exact else re.IGNORECASE)
        return self[name]

    def in_order(self, name: str) -> tuple[str, ...]:
        return tuple(word.replace("_", " ") for word in self._words[name].split())

    def words(self, name: str) -> frozenset[str]:
        return frozenset(self.in_order(name))

    def table(self, name: str) -> dict[str, str]:
        """A table of the file: what stands for what."""
        return dict(self._data[name])

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

    def _filled(self, text: str) -> str:
        return _NAMED.sub(lambda found: self.text(found[1]), _BREAK.sub("", text))


_used = cache(Vocabulary)
