"""What is known of a language is data: `extract/languages/<code>/*.toml`. A language is a folder; no code names one.

Every file of a folder is read. Lists of phrases become one pattern each (`_` at the end of a phrase: any ending);
in scripts without blanks a phrase may stand anywhere in a word. CONTRIBUTING.md tells what the files hold.
"""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from functools import cache, cached_property, lru_cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).with_name("languages")
DEFAULT = "en"
_WORD = re.compile(r"[^\W_]+(?:['’.\-][^\W_]+)*")
_KANA = re.compile(r"[\u3040-\u30ff]")
_HAN = re.compile(r"[\u2e80-\u2fdf\u3400-\u9fff]")


class Language:
    """One folder of `languages/`."""

    def __init__(self, code: str) -> None:
        self.code = code
        self.data: dict[str, Any] = {}
        for file in sorted((FOLDER / code).glob("*.toml")):
            self.data[file.stem] = tomllib.loads(file.read_text(encoding="utf-8"))
        self.words: Mapping[str, Any] = self.data["words"]

    @property
    def spaced(self) -> bool:
        """Whether blanks stand between words."""
        name = str(self.words["name"])
        return not (_HAN.search(name) or _KANA.search(name))

    @cached_property
    def function(self) -> frozenset[str]:
        """The little words by which it is known, and its days."""
        dates = self.data.get("dates", {})
        days = [*dates.get("near", ()), *dates.get("weekdays", {}).get("names", ())]
        rules = self.data.get("rules", {})
        orders = [word for group in ("lasting", "polite", "verbs", "back") for word in rules.get(group, ())]
        orders += [phrase.partition(" ")[0] for phrase in rules.get("always", ())]
        single = (word for word in (*days, *orders) if " " not in word)
        return frozenset([*str(self.words["function"]).split(), *single])

    @cache  # noqa: B019 - there is one object for each language, for good
    def pattern(self, group: str) -> re.Pattern[str]:
        return phrases(self.words.get(group, ()), spaced=self.spaced)

    def has(self, group: str, text: str) -> bool:
        """Whether any phrase of a list stands in a text of small letters."""
        return bool(self.pattern(group).search(text))

    def is_common(self, word: str) -> bool:
        """Whether it is one of the little words of the language, and no name."""
        return word.lower() in self.function or self.has("lead_in", word.lower()) or self.has("outside", word.lower())

    def count(self, group: str, text: str) -> int:
        return len(self.pattern(group).findall(text))


def phrases(listed: Sequence[str], *, spaced: bool = True) -> re.Pattern[str]:
    """One pattern that finds any of these phrases in a text of small letters."""
    ordered = sorted(listed, key=lambda phrase: (-len(phrase), phrase))
    inner = "|".join(re.escape(phrase.rstrip("_")) + (r"\w*" if phrase.endswith("_") else "") for phrase in ordered)
    if not ordered:
        return re.compile(r"(?!)")
    return re.compile(rf"(?<!\w)(?:{inner})(?!\w)|(?<=\W)(?:{inner})$" if spaced else inner)


@cache
def language(code: str) -> Language:
    return Language(code)


@cache
def codes() -> tuple[str, ...]:
    return tuple(sorted(path.name for path in FOLDER.iterdir() if (path / "words.toml").exists()))


@lru_cache(maxsize=4096)
def language_of(text: str) -> Language:
    """The language of a sentence: by its script, else by the little words in it; English where nothing tells."""
    if _KANA.search(text):
        return language("ja")
    if _HAN.search(text):
        return language("zh")
    said = [word.lower().replace("’", "'") for word in _WORD.findall(text)]
    said += [part for word in said if "'" in word for part in word.split("'")]
    best, most = DEFAULT, float(sum(word in language(DEFAULT).function for word in said))
    for code in codes():
        known = language(code)
        if code != DEFAULT and known.spaced:
            little = [word for word in said if word in known.function]
            own = any(word not in language(DEFAULT).function for word in little)
            english = any(word in language(DEFAULT).function and word not in known.function for word in said)
            count = len(little) + 0.5 * (own and not english) + 0.5 * (own and not text.isascii())
            if own and count > most:
                best, most = code, count
    return language(best)


def small(text: str) -> str:
    """As lists of phrases have it."""
    return text.lower().replace("’", "'")


def words(text: str) -> list[str]:
    return _WORD.findall(text)
