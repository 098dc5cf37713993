"""Which schema a table is in, written into every statement on its way to the database, where a value is `%s`.

So nothing depends on a session: behind a proxy that gives each transaction another one, statements mean the same, and
two versions of a derived part live side by side, each server naming its own. Statements in the code name tables
plainly (`FROM units`); names of ours after a word that announces a table are qualified, and so are those of pgvector.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

from everlore.errors import Misconfigured

_MOST = 4096
"""Statements that are remembered; one that counts its values in its text has as many forms."""
_TYPES = r"(?P<type>(?<=::)vector\b|\bhalfvec(?:_cosine_ops)?\b)|(?P<far><=>)"
_ANNOUNCED = r"\b(?P<word>FROM|JOIN|INTO|UPDATE|USING|ON|COPY|(?:TABLE|SEQUENCE)(?: IF(?: NOT)? EXISTS)?)\s+"


def quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'


class Names:
    """Safe to use from many threads: what it knows is replaced, never changed."""

    def __init__(self, schema: str) -> None:
        if "%" in schema or "?" in schema:
            raise Misconfigured(f"the store's schema {schema!r} cannot be used: choose a name without % and ?")
        self.vectors = "public"
        self.plans_kept = True
        self._homes: dict[str, str] = {}
        self._known: dict[str, str] = {}
        self._pattern = re.compile(_TYPES)
        self.place(schema, ["versions"])

    def place(self, schema: str, tables: Iterable[str]) -> None:
        """From now on these tables and sequences are looked for there."""
        self._homes = {**self._homes, **dict.fromkeys(tables, schema)}
        names = "|".join(map(re.escape, self._homes))
        self._pattern = re.compile(rf"{_ANNOUNCED}(?P<table>{names})\b|nextval\('(?P<sequence>{names})'\)|{_TYPES}")
        self._known = {}

    def home(self, table: str) -> str:
        """The schema it is in."""
        return self._homes[table]

    def qualified(self, statement: str) -> str:
        found = self._known.get(statement)
        if found is None:
            found = self._pattern.sub(self._said, statement).replace("?", "%s")
            if len(self._known) >= _MOST:
                self._known = {}
            self._known[statement] = found
        return found

    def _said(self, match: re.Match[str]) -> str:
        match match.lastgroup:
            case "table":
                return f"{match['word']} {quoted(self._homes[match['table']])}.{match['table']}"
            case "sequence":
                home = quoted(self._homes[match["sequence"]]).replace("'", "''")
                return f"nextval('{home}.{match['sequence']}')"
            case "far":
                return f"OPERATOR({quoted(self.vectors)}.<=>)"
            case _:
                return f"{quoted(self.vectors)}.{match['type']}"
