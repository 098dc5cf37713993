"""Embeddings kept on disk by model and text, so that nothing is embedded twice, not even by another process."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from hashlib import blake2b
from pathlib import Path

from everlore.database import Connection, Database, Schema
from everlore.models.base import Cache, Vectors, packed, unpacked


def _upgrade(connection: Connection, found: int) -> None:
    if found:
        connection.execute("DROP TABLE IF EXISTS vectors; DROP TABLE IF EXISTS models")
    connection.execute(
        "CREATE TABLE models(id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE);"
        "CREATE TABLE vectors(model INTEGER NOT NULL, text BLOB NOT NULL, vector BLOB NOT NULL,"
        " PRIMARY KEY(model, text)) WITHOUT ROWID"
    )


class EmbeddingCache(Cache):
    """A text has one vector, whosever it is, so nothing is asked of the units."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        remedy = "delete it; it fills again by itself"
        self._db = Database(path, Schema(1, _upgrade), durable=False, derived=True, remedy=remedy)

    def _known(self, model: str, texts: Sequence[str], pieces: Sequence[int]) -> dict[int, Vectors]:  # noqa: ARG002
        select = (
            "SELECT j.key, v.vector FROM json_each(?) j CROSS JOIN vectors v"
            " ON v.model = (SELECT id FROM models WHERE name = ?) AND v.text = unhex(j.value)"
        )
        keys = json.dumps([_key(text).hex() for text in texts])
        with self._db.reading() as connection:
            return {place: unpacked(data) for place, data in connection.rows(select, (keys, model))}

    def put(self, model: str, texts: Sequence[str], vectors: Vectors, pieces: Sequence[int] = ()) -> None:  # noqa: ARG002
        with self._db.writing() as connection:
            connection.execute("INSERT OR IGNORE INTO models(name) VALUES(?)", (model,))
            number = connection.value("SELECT id FROM models WHERE name = ?", (model,))
            connection.executemany(
                "INSERT OR REPLACE INTO vectors(model, text, vector) VALUES(?, ?, ?)",
                [(number, _key(text), packed(vector)) for text, vector in zip(texts, vectors, strict=True)],
            )

    def keep(self, model: str, texts: Mapping[str, int]) -> None:
        """They are kept already."""

    def _size(self, model: str) -> int:
        select = "SELECT count(*) FROM vectors WHERE model = (SELECT id FROM models WHERE name = ?)"
        with self._db.reading() as connection:
            return int(connection.value(select, (model,)))

    def close(self) -> None:
        self._db.close()


def _key(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()
