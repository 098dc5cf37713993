"""What is known of language is data: words and patterns are read from `extract/data/<name>.toml`.

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
from collections.abc import Mapping
from importlib.resources import files

_BREAK = re.compile(r"\n\s*")
_NAMED = re.compile(r"<<(\w+)>>")


class Vocabulary:
    """One data file. A name that it does not have is an error of ours, told when its module is imported."""

    def __init__(self, name: str) -> None:
        data = tomllib.loads((files("everlore.extract") / "data" / f"{name}.toml").read_text(encoding="utf-8"))
        self._words: Mapping[str, str] = data.get("words", {})
        self._patterns: Mapping[str, str | list[str]] = data.get("patterns", {})

    def in_order(self, name: str) -> tuple[str, ...]:
        return tuple(word.replace("_", " ") for word in self._words[name].split())

    def words(self, name: str) -> frozenset[str]:
        return frozenset(self.in_order(name))

    def text(self, name: str) -> str:
        """A pattern as text, with what it names put in; of words any of them, the longest first."""
        if name in self._patterns:
            given = self._patterns[name]
            joined = _BREAK.sub("", given if isinstance(given, str) else "|".join(given))
            return _NAMED.sub(lambda found: self.text(found[1]), joined)
        return "|".join(re.escape(word) for word in sorted(self.in_order(name), key=lambda word: (-len(word), word)))

    def pattern(self, name: str, flags: int = re.IGNORECASE) -> re.Pattern[str]:
        return re.compile(self.text(name), flags)
