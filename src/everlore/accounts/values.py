"""The values of accounts: who they are, what they hold, what was asked of them.

An account owns a space of the vault. The main space is the vault as processes without accounts see it; every other
space is a set of apps whose names begin with the account's id, so that no name a client sends leads out of it.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

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
    made_by: str = ""
    """The id of the key by which somebody approved the device that it was made for; it ends with that key."""


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
    made_by: str = ""
    """The id of the key that registered it; its token ends with that key."""


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

    def owns(self, scope: Scope) -> bool:
        """Whether a partition is of this account's space."""
        return not _SPACE.match(scope.app) if self.account.main else scope.app.startswith(self.prefix)


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
