"""The tables of the index on PostgreSQL. Another version than ours is dropped and made anew: all of it is derived.

- `memories` are the rows; `units` their pieces, which are never changed but for their place among their tokens.
- `words` of a unit are hashes of its tokens: once mixed with the owner, so that a query for one owner walks only
  that owner's lists, and once plain, for queries over all owners.
- Keys name the row first and the tenant after it: the tenant says nothing about a row that its number does not say.
- `epoch` of an owner grows with every change of its units, under the lock of its row. A unit carries the epoch it
  came with, so that counts that a process remembers can follow: what came since is added, and when something was
  lost they are taken anew.
- `waiting` are the units that have no vector of the current model. Vectors are halves; the column has no dimension,
  because models differ, and each model has its own HNSW index.
- Long texts in indexes are cut: a key in a B-tree has room for 2,700 bytes.
"""

from __future__ import annotations

from uuid import UUID

from everlore.postgres.parts import Part
from everlore.postgres.statements import Connection
from everlore.postgres.tenants import digest128, file_uuid, owner_uuid, tenant_of
from everlore.types import Key

CUT = 64
LOCK = "index"

_TABLES = """
CREATE SEQUENCE numbers;
CREATE TABLE owners(
  tenant int NOT NULL, owner uuid NOT NULL, app text COLLATE "C" NOT NULL, project text COLLATE "C" NOT NULL,
  track text COLLATE "C" NOT NULL, name text COLLATE "C" NOT NULL, epoch bigint NOT NULL, lost bigint NOT NULL,
  PRIMARY KEY(owner, tenant));
CREATE INDEX owners_scope ON owners(left(app, 64), left(project, 64));
CREATE TABLE tally(
  tenant int NOT NULL, owner uuid NOT NULL, kind text COLLATE "C" NOT NULL, rows bigint NOT NULL,
  units bigint NOT NULL, tokens bigint NOT NULL, PRIMARY KEY(owner, kind, tenant));
CREATE TABLE files(
  tenant int NOT NULL, file uuid NOT NULL, path text COLLATE "C" NOT NULL, mtime_ns bigint NOT NULL,
  size bigint NOT NULL, PRIMARY KEY(file, tenant));
CREATE TABLE problems(
  tenant int NOT NULL, file uuid NOT NULL, path text COLLATE "C" NOT NULL, line int NOT NULL,
  reason text COLLATE "C" NOT NULL);
CREATE INDEX problems_file ON problems(file);
CREATE TABLE queue(
  tenant int NOT NULL, file uuid NOT NULL, number bigint NOT NULL, path text COLLATE "C" NOT NULL,
  generation bigint NOT NULL, due double precision NOT NULL, tries int NOT NULL DEFAULT 0,
  error text NOT NULL DEFAULT '', written bigint, PRIMARY KEY(file, tenant));
CREATE INDEX queue_due ON queue(due);
CREATE TABLE memories(
  tenant int NOT NULL, id bigint NOT NULL, key uuid NOT NULL, handle text COLLATE "C" NOT NULL, owner uuid NOT NULL,
  kind text COLLATE "C" NOT NULL, entry text COLLATE "C" NOT NULL, file uuid NOT NULL, path text COLLATE "C" NOT NULL,
  digest text COLLATE "C" NOT NULL, session_id text COLLATE "C" NOT NULL, parent_type text COLLATE "C" NOT NULL,
  parent_id text COLLATE "C" NOT NULL, timestamp bigint NOT NULL, updated bigint NOT NULL, valid_from bigint,
  valid_until bigint, slot text COLLATE "C" NOT NULL, senders text[] COLLATE "C" NOT NULL, data text NOT NULL,
  PRIMARY KEY(id, tenant), UNIQUE(key, tenant));
CREATE INDEX memories_handle ON memories(handle);
CREATE INDEX memories_file ON memories(file);
CREATE INDEX memories_time ON memories(owner, kind, timestamp, left(entry, 64));
CREATE INDEX memories_newest ON memories(timestamp, left(entry, 64));
CREATE INDEX memories_parent ON memories(owner, left(parent_id, 64));
CREATE INDEX memories_ended ON memories(owner, left(parent_id, 64)) WHERE valid_until IS NOT NULL;
CREATE INDEX memories_any_parent ON memories(left(parent_id, 64));
CREATE INDEX memories_session ON memories(owner, left(session_id, 64));
CREATE INDEX memories_slot ON memories(owner, left(slot, 64)) WHERE slot <> '';
CREATE TABLE edges(
  tenant int NOT NULL, row bigint NOT NULL, place int NOT NULL, owner uuid NOT NULL,
  relation text COLLATE "C" NOT NULL, target text COLLATE "C" NOT NULL, weight double precision NOT NULL,
  PRIMARY KEY(row, place, tenant));
CREATE INDEX edges_target ON edges(left(target, 64), owner);
CREATE TABLE units(
  tenant int NOT NULL, id bigint NOT NULL, row bigint NOT NULL, owner uuid NOT NULL, kind text COLLATE "C" NOT NULL,
  place int NOT NULL, turn int NOT NULL, start int NOT NULL, length int NOT NULL, tie bigint NOT NULL,
  epoch bigint NOT NULL, words bigint[] NOT NULL, tokens text COLLATE "C" NOT NULL, dense text NOT NULL,
  PRIMARY KEY(id, tenant));
CREATE INDEX units_row ON units(row, tenant, place);  -- with the tenant, or a new database, whose planner knows
  -- nothing of it yet, would look all units of the tenant up as well
CREATE INDEX units_owner ON units(owner, epoch);
CREATE INDEX units_words ON units USING gin(words) WITH (gin_pending_list_limit = 256);
CREATE TABLE waiting(tenant int NOT NULL, unit bigint NOT NULL, PRIMARY KEY(unit, tenant));
CREATE INDEX waiting_order ON waiting((unit & 70368744177663));  -- without its tenant: as they came
CREATE TABLE vectors(
  tenant int NOT NULL, unit bigint NOT NULL, row bigint NOT NULL, owner uuid NOT NULL, kind text COLLATE "C" NOT NULL,
  model int NOT NULL, tie bigint NOT NULL, place int NOT NULL, turn int NOT NULL,
  vector halfvec NOT NULL, PRIMARY KEY(unit, tenant));
CREATE INDEX vectors_owner ON vectors(owner, model);
CREATE INDEX vectors_row ON vectors(row);
CREATE TABLE models(
  id int PRIMARY KEY, name text COLLATE "C" NOT NULL, dimension int NOT NULL, current boolean NOT NULL,
  UNIQUE(name, dimension));
"""

_OF_TENANTS = ["owners", "tally", "files", "problems", "queue", "memories", "edges", "units", "waiting", "vectors"]

PART = Part(
    "index",
    ("", "", "", _TABLES),  # derived: the last one makes all tables, those before it only count
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


def share(connection: Connection, schema: str, path: str) -> None:
    """Writers work side by side, but not on one file, and not beside a rebuild or a change of model."""
    lock = "SELECT pg_advisory_xact_lock_shared(%s), pg_advisory_xact_lock(%s)"
    connection.execute(lock, (_lock_key(schema, "writers"), _lock_key(schema, f"file {path}")))


def alone(connection: Connection, schema: str) -> None:
    connection.execute("SELECT pg_advisory_xact_lock(%s)", (_lock_key(schema, "writers"),))


def _lock_key(schema: str, name: str) -> int:
    return int.from_bytes(digest128(schema, LOCK, name).bytes[:8], "big", signed=True)
