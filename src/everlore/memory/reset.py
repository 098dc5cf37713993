"""Forget everything of a scope, or of one owner: files, index and waiting messages. It goes to the bin.

Files go one after the other, each when it is in the bin. After a crash, doing it again takes what is left; the index
follows the files.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import takewhile

from everlore.engine import Engine
from everlore.kinds.paths import Located, locate, owner_dir, scope_dir
from everlore.kinds.registry import kind
from everlore.memory.bin import Binning, binning
from everlore.memory.forget import accepted
from everlore.stores.buffer import Kept
from everlore.sync.indexing import Parsed, read_file
from everlore.types import Owner, Scope

AT_ONCE_BYTES = 8 * 2**20
"""Files that go to the bin together."""
AT_ONCE = 200


@dataclass(frozen=True, slots=True)
class Reset:
    counts: Counter[str]
    """Rows of each kind; under `relation` how many relations went with their entities."""
    bin: str


def reset(engine: Engine, scope: Scope) -> Reset:
    """Everything of a scope, but for what is only mirrored there."""
    messages = list(_waiting(engine, scope))
    sessions: set[str | None] = {None} if messages else set()
    folder = str(scope_dir(scope))
    return _clear(
        engine, scope, None, folder, lambda one: one.owner.scope == scope and one.kind.reset, sessions, messages
    )


def forget_owner(engine: Engine, owner: Owner) -> Reset:
    """Everything of one owner. Messages of theirs that wait go too, in sessions in which no other user spoke."""
    messages = list(_waiting(engine, owner.scope)) if owner.track == "user" else []
    spoke: dict[str, set[str]] = {}
    for kept in messages:
        if kept.message.role == "user":
            spoke.setdefault(kept.message.session_id, set()).add(kept.message.sender_id)
    alone: set[str | None] = {session for session, senders in spoke.items() if senders == {owner.id}}
    mine = [kept for kept in messages if kept.message.session_id in alone]
    return _clear(engine, owner.scope, owner, str(owner_dir(owner)), lambda one: one.owner == owner, alone, mine)


def _clear(
    engine: Engine,
    scope: Scope,
    owner: Owner | None,
    folder: str,
    mine: Callable[[Located], bool],
    sessions: set[str | None],
    messages: Sequence[Kept],
) -> Reset:
    gone: Counter[str] = Counter()
    named = f"everything of {owner.id}" if owner else f"everything in {scope.app}/{scope.project}"
    with binning(engine, "reset", scope, owner, named) as item:
        if messages:
            item.keep({}, records=messages)
        for session in sessions:
            engine.buffer.forget_scope(scope, session)
        for batch in _batches(engine, folder, mine):
            gone += _take(engine, item, batch)
        item.done(gone)
    return Reset(gone, item.id if messages or gone else "")


def _batches(engine: Engine, folder: str, mine: Callable[[Located], bool]) -> Iterator[dict[str, Located]]:
    batch: dict[str, Located] = {}
    weight = 0
    for path, _, size in list(engine.vault.walk(folder)):
        located = locate(path)
        if located is None or not mine(located):
            continue
        if batch and (weight + size > AT_ONCE_BYTES or len(batch) >= AT_ONCE):
            yield batch
            batch, weight = {}, 0
        batch[path] = located
        weight += size
    if batch:
        yield batch


def _take(engine: Engine, item: Binning, batch: dict[str, Located]) -> Counter[str]:
    gone: Counter[str] = Counter()
    with engine.vault.guard(batch):
        read = {path: read_file(engine, path, located) for path, located in batch.items()}
        cells = accepted(engine, [row for _, parsed in read.values() for row in parsed.rows])
        item.keep(dict.fromkeys(batch), records=cells)
        for path, (stamp, parsed) in read.items():
            with engine.vault.lock(path):
                if stamp is not None:
                    item.remove(path)
                    gone.update(_counted(parsed))
                engine.index.files.remove(path)
        for cell in cells:
            engine.buffer.forget_cell(cell.scope, cell.session_id, cell.cell)
    return gone


def _waiting(engine: Engine, scope: Scope) -> Iterator[Kept]:
    """Messages come first in what a buffer tells."""
    for record in takewhile(lambda one: isinstance(one, Kept), engine.buffer.dump()):
        if isinstance(record, Kept) and record.message.scope == scope:
            yield record


def _counted(parsed: Parsed) -> Iterable[str]:
    for row in parsed.rows:
        # a fact that repeats what its episode says is no memory of its own
        yield "part" if kind(row.key.kind).part_of and row.parent_id else row.key.kind
        yield from ("relation" for _ in row.data.get("relations", ()))
