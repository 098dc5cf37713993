"""Forget everything in a scope: files, index and waiting messages.

Files go one after the other. After a crash, doing it again takes what is left; the index follows the files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

from everlore.engine import Engine
from everlore.kinds.paths import locate, scope_dir
from everlore.kinds.registry import kind
from everlore.sync.indexing import Parsed, read_file
from everlore.types import Scope


def reset(engine: Engine, scope: Scope) -> Counter[str]:
    """Returns how many rows of each kind went, and under `relation` how many relations went with their entities."""
    engine.buffer.forget_scope(scope)
    gone: Counter[str] = Counter()
    for path, _, _ in list(engine.vault.walk(str(scope_dir(scope)))):
        located = locate(path)
        if located is None or located.owner.scope != scope or not located.kind.reset:
            continue
        with engine.vault.lock(path):
            stamp, parsed = read_file(engine, path, located)
            if stamp is not None:
                engine.vault.remove(path)
                gone.update(_counted(parsed))
                for session, cell in {(row.session_id, row.parent_id) for row in parsed.rows if row.parent_id}:
                    engine.buffer.forget_cell(scope, session, cell)
            engine.index.files.remove(path)
    return gone


def _counted(parsed: Parsed) -> Iterable[str]:
    for row in parsed.rows:
        # a fact that repeats what its episode says is no memory of its own
        yield "part" if kind(row.key.kind).part_of and row.parent_id else row.key.kind
        yield from ("relation" for _ in row.data.get("relations", ()))
