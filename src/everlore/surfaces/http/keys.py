"""Accounts and keys for whoever may manage them: the vault's owner all, an account its own and no more than it has."""

from __future__ import annotations

from collections.abc import Sequence

from everlore.accounts.store import Accounts
from everlore.accounts.values import SCOPES, Event, Key, Principal
from everlore.clock import DAY_MS, Clock
from everlore.config import Settings
from everlore.errors import Denied, InvalidInput, NotFound
from everlore.surfaces.http.middleware import is_loopback

MOST_EVENTS = 200
LONGEST_DAYS = 3650


def check_may_manage(settings: Settings, who: Principal | None) -> None:
    """Raises `Denied`. Where no token is needed, nobody is let to make one through a port that others can reach."""
    if who is None:
        if not is_loopback(settings.api.host) or settings.auth.public_url:
            raise Denied("scope", "keys are managed with a key here, or on the server with `everlore keys`")
    elif "agents" not in who.scopes or who.agent_id:
        raise Denied("scope", "this needs an account key with the scope agents")


def keys_of(accounts: Accounts, who: Principal | None) -> list[Key]:
    known = accounts.keys()
    return [key for key in known if who is None or key.account.id == who.account.id]


def make_key(
    accounts: Accounts, who: Principal | None, name: str, scopes: Sequence[str], days: int, *, account: str = ""
) -> tuple[Key, str]:
    """A key and its secret, which is not shown again. An account makes keys for itself, that may no more and last no
    longer than the one it shows."""
    if not 0 <= days <= LONGEST_DAYS:
        raise InvalidInput(f"a key lasts 1 to {LONGEST_DAYS} days, or 0 for ever")
    wanted = tuple(scopes) or (SCOPES if who is None else who.scopes)
    expires = Clock().now() + days * DAY_MS if days else None
    if who is not None:
        if more := sorted(set(wanted) - set(who.scopes)):
            raise Denied("scope", f"a key cannot give what it has not: {', '.join(more)}")
        account = who.account.id
        expires = min((one for one in (expires, who.expires) if one is not None), default=None)
    key, secret = accounts.create_key(name, account=account, scopes=wanted, expires=expires)
    _note(accounts, who, key, "key.create")
    return key, secret


def revoke_key(accounts: Accounts, who: Principal | None, ident: str) -> Key:
    if all(key.id != ident for key in keys_of(accounts, who)):
        raise NotFound("no key of yours goes by that id; list them to see their ids")
    [key] = accounts.revoke_key(ident)
    _note(accounts, who, key, "key.revoke")
    return key


def events_of(accounts: Accounts, who: Principal | None) -> list[Event]:
    """The audit log, newest first."""
    found = accounts.events(MOST_EVENTS if who is None else MOST_EVENTS * 10)
    return [one for one in found if who is None or one.account_id == who.account.id][:MOST_EVENTS]


def _note(accounts: Accounts, who: Principal | None, key: Key, action: str) -> None:
    actor = who.actor if who else "owner"
    accounts.record(Event(Clock().now(), key.account.id, actor, action, key.id, "", "ok"))
