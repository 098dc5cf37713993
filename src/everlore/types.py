"""The values that travel through Everlore: frozen, without I/O, known to every layer.

Times are integers: milliseconds since the Unix epoch, UTC. They become text only at the edges
(markdown and wire), where `clock` renders them.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any, Literal, NamedTuple, TypeAlias

PERSONAL = "*"
"""In the place of the project of a statement that somebody made there about themselves."""
Track: TypeAlias = Literal["user", "agent"]
Role: TypeAlias = Literal["user", "assistant", "tool"]
Json: TypeAlias = Any
"""A value that came from or goes to JSON: None, bool, int, float, str, list or dict of these."""


@dataclass(frozen=True, slots=True)
class Scope:
    """A partition of the vault. Nothing ever crosses scopes."""

    app: str = "default"
    project: str = "default"


@dataclass(frozen=True, slots=True)
class Owner:
    """Whose memory it is: a user or an agent inside one scope."""

    scope: Scope
    track: Track
    id: str


@dataclass(frozen=True, slots=True)
class Key:
    """The one internal identity of a memory. `local_id` alone is unique only inside (owner, kind)."""

    owner: Owner
    kind: str
    local_id: str

    @property
    def public_id(self) -> str:
        """`alice_ep_20260528_00000001`; `profile_alice` of what an owner has but one of, and is called as its kind."""
        return f"{self.kind}_{self.owner.id}" if self.local_id == self.kind else f"{self.owner.id}_{self.local_id}"

    @property
    def parts(self) -> tuple[str, str, str, str, str, str]:
        owner = self.owner
        return (owner.scope.app, owner.scope.project, owner.track, owner.id, self.kind, self.local_id)

    @property
    def global_id(self) -> str:
        """20 hexadecimal characters that name this memory alone, among all owners and kinds."""
        return blake2b("\0".join(self.parts).encode("utf-8", "surrogatepass"), digest_size=10).hexdigest()


def speaker_name(sender_id: str) -> str:
    """How somebody is called whose id is all we know: Alice for alice, user_42 for user_42."""
    return sender_id.capitalize() if sender_id.isalpha() and sender_id.islower() else sender_id


@dataclass(frozen=True, slots=True)
class Message:
    """One turn as it was accepted. `content` is what the client sent, `text` its plain reading."""

    id: str
    scope: Scope
    session_id: str
    sender_id: str
    sender_name: str | None
    role: Role
    timestamp: int
    content: Json
    text: str
    tool_calls: Sequence[Mapping[str, Json]] | None = None
    tool_call_id: str | None = None
    project: str = ""
    """The project whose folder it was said in, where that is known."""

    @property
    def speaker(self) -> str:
        """The name people read: the display name, else the id with a capital where it is a plain name."""
        return (self.sender_name or "").strip() or speaker_name(self.sender_id)

    @property
    def blank(self) -> bool:
        """Nothing to remember: no words and no tool calls."""
        return not self.text.strip() and not self.tool_calls


@dataclass(frozen=True, slots=True)
class Cell:
    """A closed stretch of one conversation: what one extraction works on."""

    id: str
    scope: Scope
    session_id: str
    messages: tuple[Message, ...]

    @property
    def timestamp(self) -> int:
        """The time of the last message."""
        return self.messages[-1].timestamp

    @property
    def project(self) -> str:
        return self.messages[-1].project


@dataclass(frozen=True, slots=True)
class LogEntry:
    """One memory as markdown shows it: an id, inline `**name**: value` fields, `### Name` sections.

    Fields keep the text of the file; a list is written `[a, b]` and read back as a tuple.
    """

    id: str
    fields: Mapping[str, str | tuple[str, ...]]
    sections: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class MemoryFile:
    """A memory that has a file of its own: YAML front matter and a body."""

    front: Mapping[str, Json]
    body: str


@dataclass(frozen=True, slots=True)
class Validity:
    """When something was true in the world. Open ends are None."""

    start: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Unit:
    """A small piece of a memory that search compares with a query.

    `turn` tells which turn of the episode it belongs to, so that neighbours can lend it weight.
    `dense` is the text for the embedder (empty: no vector is wanted), `words` the text for the word index.
    """

    turn: int
    dense: str
    words: str


@dataclass(frozen=True, slots=True)
class Edge:
    """A weighted link from a memory to a named thing or to another memory."""

    relation: str
    target: str
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class IndexRow:
    """What the index keeps of one memory. Derived from its markdown, never the other way round.

    `digest` covers everything that search or listing can see: equal digest, nothing to do.
    """

    key: Key
    digest: str
    session_id: str
    parent_type: str
    parent_id: str
    timestamp: int
    updated: int
    sender_ids: tuple[str, ...]
    validity: Validity
    data: Mapping[str, Json]
    slot: str = ""
    units: tuple[Unit, ...] = ()
    edges: tuple[Edge, ...] = ()
    project: str = ""
    """Whose talk it comes from, where that is marked. Who asks in another project does not see it; PERSONAL is seen
    in every one."""


@dataclass(frozen=True, slots=True)
class Problem:
    """Something in a file that could not be understood. The rest of the file stays usable."""

    path: str
    line: int
    """0 when it is the file as a whole."""
    reason: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}: {self.reason}" if self.line else f"{self.path}: {self.reason}"


FilterField: TypeAlias = Literal["session_id", "parent_type", "parent_id", "timestamp", "sender_id", "project"]
FilterOp: TypeAlias = Literal["eq", "ne", "gt", "gte", "lt", "lte", "in"]


@dataclass(frozen=True, slots=True)
class Predicate:
    """`field op value`. Timestamps are ms; the value of `in` is a tuple of strings."""

    field: FilterField
    op: FilterOp
    value: str | int | tuple[str, ...]


@dataclass(frozen=True, slots=True)
class AllOf:
    nodes: tuple[Filter, ...] = ()


@dataclass(frozen=True, slots=True)
class AnyOf:
    nodes: tuple[Filter, ...] = ()


Filter: TypeAlias = Predicate | AllOf | AnyOf


@dataclass(frozen=True, slots=True)
class Where:
    """Which memories a query may touch. `owner` None means every owner, of one `scope` if that is given; `kinds` is
    never empty."""

    owner: Owner | None
    kinds: tuple[str, ...]
    filter: Filter | None = None
    valid_at: int | None = None
    """When set, memories whose validity does not contain this instant are left out."""
    scope: Scope | None = None


class UnitHit(NamedTuple):
    """A unit that matched, with the raw score of the list it came from (BM25 or cosine). A search makes many."""

    unit: int
    score: float


class IndexedMemory(NamedTuple):
    """A row as the index gives it back, with the number the index knows it by. A search makes many."""

    id: int
    key: Key
    path: str
    session_id: str
    parent_type: str
    parent_id: str
    timestamp: int
    updated: int
    sender_ids: tuple[str, ...]
    validity: Validity
    data: Mapping[str, Json]
    slot: str
    project: str = ""
