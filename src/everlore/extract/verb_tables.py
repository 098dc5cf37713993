"""lemminflect with tables that are read a word at a time.

By itself it parses the 120,000 lines of its tables when the first word is asked for: most of a second and 40 MB, in
every process, for the few words that a conversation asks about. Here the lines stay as they are until one is needed.
The answers are the same; a test asks for every word of both tables.
"""

from __future__ import annotations

import gzip
from bisect import bisect_left
from collections.abc import Callable, Mapping
from functools import cache
from pathlib import Path
from typing import Any

Forms = dict[str, tuple[str, ...]]


class Lines:
    """A table of lemminflect in the one way it uses it: `get`."""

    def __init__(self, path: str, parse: Callable[[str], Forms], fixed: Mapping[str, Forms]) -> None:
        self._lines = sorted(gzip.decompress(Path(path).read_bytes()).splitlines())
        self._parse = parse
        self._fixed = fixed

    def get(self, word: str, default: Forms) -> Forms:
        if word in self._fixed:
            return self._fixed[word]
        if "," in word:
            return default
        start = f"{word},".encode("utf-8", "surrogatepass")
        found: Forms = {}
        place = bisect_left(self._lines, start)
        while place < len(self._lines) and self._lines[place].startswith(start):
            found.update(self._parse(self._lines[place].decode()))
            place += 1
        return found or default


@cache
def lemminflect() -> Any:
    """The library, with its tables in place."""
    import lemminflect as library
    from lemminflect import config
    from lemminflect.codecs.InflectionLUCodec import InflectionLUCodec
    from lemminflect.codecs.LemmaLUCodec import LemmaLUCodec
    from lemminflect.core.LexicalUtils import categoryToUPos

    def lemmas(line: str) -> Forms:
        _, category, forms = LemmaLUCodec.fromString(line)
        return {categoryToUPos(category): forms}

    def inflections(line: str) -> Forms:
        _, _, forms = InflectionLUCodec.fromString(line)
        return dict(forms)

    # both are single instances that fill these attributes only where they are missing
    library.Lemmatizer().lemma_dict = Lines(config.lemma_lu_fn, lemmas, {})
    library.Inflections().infl_dict = Lines(config.inflection_lu_fn, inflections, InflectionLUCodec.updateForAuxMod({}))
    return library
