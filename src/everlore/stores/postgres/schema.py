"""The tables of the index on PostgreSQL, all derived. Each version has a schema of its own.

- `memories` are the rows; `units` their pieces, which are never changed but for their place among their tokens.
- `words` of a unit are hashes of its tokens: once mixed with the owner, so that a query for one owner walks only
  that owner's lists, and once plain, for queries over all owners.
- Keys name the row first and the tenant after it: the tenant says nothing about a row that its number does not say.
- `epoch` of an owner grows with every change of its units, under the lock of its row. A unit carries the epoch it
  came with, so that counts that a process remembers can follow: what came since is added, and when something was
  lost they are taken anew.
- `waiting` are the units that have no vector of the current model. Vectors are halves; the column has no dimension,
  because models differ, and each model has its own HNSW index, made when there are many of its vectors.
- Long texts in indexes are cut: a key in a B-tree has room for 2,700 bytes.
"""

from __future__ import annotations

from collections.abc import Callable
from importlib.resources import files
from uuid import UUID

from everlore.postgres.parts import Part
from everlore.postgres.server import Server
from everlore.postgres.statements import Connection
from everlore.postgres.tenants import digest128, file_uuid, owner_uuid, tenant_of
from everlore.sql import T
from everlore.types import Key

CUT = 64
LOCK = "index"

_TABLES = (files("everlore.stores.postgres") / "index.sql").read_text(encoding="utf-8")

_OF_TENANTS = ["owners", "tally", "files", "problems", "queue", "memories", "edges", "units", "waiting", "vectors"]

PART = Part(
    "index",
    ("", "", "", "", _TABLES),  # derived: the last one makes all tables, those before it only count
    {**dict.fromkeys(_OF_TENANTS, "tenant"), "models": "reference"},
    derived=True,
    sequences=("numbers",),
)


def key_uuid(key: Key) -> UUID:
    return digest128(owner_uuid(key.owner).bytes, key.kind, key.local_id)


def of_file(path: str) -> tuple[str, tuple[object, ...]]:
    """Which memories are in a file. One in its owner's folder has memories of that owner only: one tenant is asked."""
    file = file_uuid(path)
    if file == digest128(path):
        return "file = %s", (file,)
    return "file = %s AND tenant = %s", (file, tenant_of(file))


def write_shared(server: Server, path: str, work: Callable[[Connection], T]) -> T:
    """Writers work side by side, but not on one file, and not beside a rebuild or a change of model."""
    keys = (_lock_key(server.schema, "writers"), _lock_key(server.schema, f"file {path}"))

    def shared(connection: Connection) -> T:
        connection.execute("SELECT pg_advisory_xact_lock_shared(%s), pg_advisory_xact_lock(%s)", keys)
        return work(connection)

    return server.write(shared, lasting=False)


def alone(connection: Connection, schema: str) -> None:
    connection.execute("SELECT pg_advisory_xact_lock(%s)", (_lock_key(schema, "writers"),))


def _lock_key(schema: str, name: str) -> int:
    return int.from_bytes(digest128(schema, LOCK, name).bytes[:8], "big", signed=True)
