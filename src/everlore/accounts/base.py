"""What surfaces ask of the store of accounts, and the values that it gives.

An account owns a space of the vault. The main space is the vault as processes without accounts see it; every other
space is a set of apps whose names begin with the account's id, so that no name a client sends leads out of it.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from everlore.errors import InvalidInput
from everlore.types import Scope

SCOPES = ("agents", "mem:read", "mem:write")
AGENT_SCOPES = ("mem:read", "mem:write")
_SPACE = re.compile(r"acc_[0-9a-f]{16}\.", re.IGNORECASE)

DeviceState: TypeAlias = Literal["pending", "approved", "denied", "expired"]


@dataclass(frozen=True, slots=True)
class Account:
    id: str
    name: str
    main: bool
    created: int


@dataclass(frozen=True, slots=True)
class Key:
    """An account key as it may be shown."""

    id: str
    account: Account
    name: str
    prefix: str
    scopes: tuple[str, ...]
    created: int
    expires: int | None
    revoked: int | None
    last_used: int | None


@dataclass(frozen=True, slots=True)
class Agent:
    id: str
    account_id: str
    platform: str
    name: str
    version: str
    fingerprint: str
    token_prefix: str
    connected: bool
    last_active: int | None
    created: int


@dataclass(frozen=True, slots=True)
class Principal:
    """Who is asking: an account, by one of its keys or agents. `actor` names the key or the agent."""

    account: Account
    actor: str
    scopes: tuple[str, ...]
    agent_id: str = ""
    """Empty for an account key."""
    key_prefix: str = ""
    expires: int | None = None

    @property
    def prefix(self) -> str:
        return "" if self.account.main else f"{self.account.id}."

    def scope(self, app: str, project: str) -> Scope:
        """The partition that these names mean to this account, and to nobody else."""
        if self.account.main and _SPACE.match(app):
            raise InvalidInput("app ids of this form are reserved; choose another one")
        return Scope(f"{self.prefix}{app}", project)


@dataclass(frozen=True, slots=True)
class Device:
    """A sign-in that waits for a person."""

    user_code: str
    platform: str
    client: str
    version: str
    state: DeviceState
    expires: int


@dataclass(frozen=True, slots=True)
class Poll:
    """What became of a sign-in. The credentials are there once, when it was approved."""

    state: DeviceState
    key: Key | None = None
    key_secret: str = ""
    agent: Agent | None = None
    agent_secret: str = ""


@dataclass(frozen=True, slots=True)
class Upload:
    key: str
    account_id: str
    name: str
    size: int
    hash: str
    expires: int
    stored: bool


@dataclass(frozen=True, slots=True)
class Source:
    """A document that became memories, all in one session."""

    id: str
    account_id: str
    agent_id: str
    object_key: str
    title: str
    size: int
    hash: str
    document_key: str
    idempotency_key: str
    platform: str
    session_id: str
    status: str
    created: int


@dataclass(frozen=True, slots=True)
class Event:
    """A line of the audit log."""

    at: int
    account_id: str
    actor: str
    action: str
    target: str
    address: str
    outcome: str


class Accounts(Protocol):
    def create_key(
        self,
        name: str,
        *,
        account: str = "",
        separate: bool = False,
        scopes: Sequence[str] = SCOPES,
        expires: int | None = None,
    ) -> tuple[Key, str]:
        """A key and its secret, which nobody can ask for again. Without `account` it belongs to a new account."""
        ...

    def keys(self) -> list[Key]: ...

    def revoke_key(self, which: str) -> list[Key]:
        """Revoke by id, by prefix or by account, and with an account all its agents. Raises `NotFound`."""
        ...

    def authenticate(self, credential: str) -> Principal:
        """Raises `Denied`."""
        ...

    def register_agent(
        self, by: Key | Principal, platform: str, fingerprint: str, name: str, version: str, expires: int | None
    ) -> tuple[Agent, str]:
        """The agent of this place and a new token, which may no more and lives no longer than the key that it is made
        `by`; its older tokens are revoked."""
        ...

    def agents(self, account: str) -> list[Agent]: ...

    def revoke_agent(self, account: str, agent: str) -> Agent: ...

    def start_device(self, platform: str, client: str, version: str, fingerprint: str, expires: int) -> tuple[str, str]:
        """The device code (a secret) and the user code."""
        ...

    def device(self, user_code: str) -> Device | None: ...

    def decide_device(self, user_code: str, key: str, *, approve: bool) -> bool:
        """`key` is the id of the key that decides. False when nothing by that code is waiting any more."""
        ...

    def poll_device(self, device_code: str, interval_ms: int, agent_expires: int | None) -> Poll:
        """Whoever was approved gets a key like the one that approved it, and nothing when that one has ended since.
        Raises `Denied`: "device" for a code that is unknown or used up, "slow" when asked too often."""
        ...

    def add_upload(self, account: str, key: str, name: str, size: int, digest: str, expires: int) -> None: ...

    def upload(self, key: str) -> Upload | None: ...

    def store_upload(self, key: str, content: bytes) -> bool:
        """False when nothing by that key is expected any more."""
        ...

    def content(self, key: str) -> bytes | None:
        """What was uploaded."""
        ...

    def drop_upload(self, key: str) -> None: ...

    def drop_expired_uploads(self) -> None: ...

    def add_source(self, source: Source) -> None: ...

    def find_source(self, account: str, *, idempotency_key: str = "", document_key: str = "") -> Source | None:
        """The newest one by either key."""
        ...

    def record(self, event: Event) -> None: ...

    def events(self, limit: int) -> list[Event]:
        """Newest first."""
        ...

    def secret(self) -> bytes:
        """What this installation signs with. Made once, never shown."""
        ...

    def check(self) -> list[str]: ...

    def close(self) -> None: ...
