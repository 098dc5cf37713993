"""The embedded store of accounts: one SQLite file that any number of processes may use at once."""

from __future__ import annotations

import secrets
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import apsw

from everlore.accounts import tokens
from everlore.accounts.base import AGENT_SCOPES, SCOPES, Account, Agent, Device, Event, Key, Poll, Principal
from everlore.accounts.documents import Documents
from everlore.accounts.schema import SCHEMA
from everlore.database import Database, row, rows, value
from everlore.errors import Denied, InvalidInput, NotFound

LONGEST = 128
TOUCH_MS = 60_000
"""How old the note of a credential's last use may be, so that not every request writes."""
KEPT_EVENTS = 100_000
FORGOTTEN_DEVICES_MS = 24 * 3600 * 1000

_KEYS = (
    "SELECT k.id, a.id, a.name, a.main, a.created, k.name, k.prefix, k.scopes, k.created, k.expires, k.revoked,"
    " k.last_used FROM keys k JOIN accounts a ON a.id = k.account"
)
_AGENTS = (
    "SELECT g.id, g.account, g.platform, g.name, g.version, g.fingerprint, t.prefix, t.revoked, g.last_active,"
    " g.created FROM agents g JOIN agent_tokens t ON t.agent = g.id"
    " AND t.created = (SELECT max(created) FROM agent_tokens WHERE agent = g.id)"
)


def _now() -> int:
    return time.time_ns() // 1_000_000


class SqliteAccounts(Documents):
    def __init__(self, path: Path, now: Callable[[], int] = _now) -> None:
        self._now = now
        self._db = Database(
            path,
            SCHEMA,
            durable=True,
            derived=False,
            remedy="restore it from a backup, or remove it and make new keys with `everlore keys create`",
        )

    def create_key(
        self,
        name: str,
        *,
        account: str = "",
        separate: bool = False,
        scopes: Sequence[str] = SCOPES,
        expires: int | None = None,
    ) -> tuple[Key, str]:
        name = _label(name, "the name")
        wanted = _scopes(scopes)
        secret = tokens.new_credential(tokens.KEY)
        with self._db.write() as db:
            owner = _account(db, account) if account else _new_account(db, name, separate, self._now())
            key = _insert_key(db, owner, name, secret, wanted, self._now(), expires)
        return key, secret

    def keys(self) -> list[Key]:
        with self._db.read() as db:
            return [_key(found) for found in rows(db, f"{_KEYS} ORDER BY k.created, k.id")]

    def revoke_key(self, which: str) -> list[Key]:
        with self._db.write() as db:
            known = [_key(found) for found in rows(db, f"{_KEYS} ORDER BY k.created")]
            meant = [key for key in known if which in (key.id, key.prefix, key.account.id)]
            if not meant and tokens.well_formed(which):
                prefix = tokens.shown(which)
                hashed = row(db, "SELECT id FROM keys WHERE hash = ?", (tokens.digest(which),))
                meant = [key for key in known if key.prefix == prefix and hashed and key.id == hashed[0]]
            if not meant:
                raise NotFound("no key or account goes by that name; `everlore keys list` shows them")
            if len({key.id for key in meant}) > 1 and which not in (meant[0].account.id,):
                raise InvalidInput(f"several keys begin with {which}; name one by its id, see `everlore keys list`")
            now = self._now()
            for key in meant:
                db.execute("UPDATE keys SET revoked = coalesce(revoked, ?) WHERE id = ?", (now, key.id))
            if which == meant[0].account.id:
                db.execute(
                    "UPDATE agent_tokens SET revoked = coalesce(revoked, ?)"
                    " WHERE agent IN (SELECT id FROM agents WHERE account = ?)",
                    (now, which),
                )
            ids = {key.id for key in meant}
            return [key for found in rows(db, _KEYS) if (key := _key(found)).id in ids]

    def authenticate(self, credential: str) -> Principal:
        if not tokens.well_formed(credential):
            raise Denied("malformed", "the token is neither an account key (emk_) nor an agent token (evt_)")
        return self._by_key(credential) if credential.startswith(tokens.KEY) else self._by_token(credential)

    def _by_key(self, credential: str) -> Principal:
        hashed = tokens.digest(credential)
        with self._db.read() as db:
            stored = value(db, "SELECT hash FROM keys WHERE hash = ?", (hashed,))
            if stored is None or not tokens.same(stored, hashed):
                raise Denied("key_invalid", "this account key is not known here; make one with `everlore keys create`")
            key = _key(rows(db, f"{_KEYS} WHERE k.hash = ?", (hashed,))[0])
        if key.revoked is not None:
            raise Denied("key_revoked", "this account key was revoked; make a new one with `everlore keys create`")
        if key.expires is not None and key.expires <= self._now():
            raise Denied("key_expired", "this account key has expired; make a new one with `everlore keys create`")
        self._touch("keys", "last_used", key.id, key.last_used)
        return Principal(key.account, key.id, key.scopes, key_prefix=key.prefix, expires=key.expires)

    def _by_token(self, credential: str) -> Principal:
        hashed = tokens.digest(credential)
        select = (
            "SELECT t.hash, t.revoked, t.expires, g.id, g.last_active, a.id, a.name, a.main, a.created"
            " FROM agent_tokens t JOIN agents g ON g.id = t.agent JOIN accounts a ON a.id = g.account WHERE t.hash = ?"
        )
        with self._db.read() as db:
            found = row(db, select, (hashed,))
        if found is None or not tokens.same(found[0], hashed):
            raise Denied("agent_invalid", "this agent token is not known here; register with `evercli plugin install`")
        _, revoked, expires, agent, active, account, name, main, created = found
        if revoked is not None:
            raise Denied("agent_revoked", "this agent was disconnected; register again with `evercli plugin install`")
        if expires is not None and expires <= self._now():
            raise Denied("agent_expired", "this agent token has expired; register again with `evercli plugin install`")
        self._touch("agents", "last_active", agent, active)
        owner = Account(account, name, bool(main), created)
        return Principal(owner, agent, AGENT_SCOPES, agent_id=agent, key_prefix=tokens.shown(credential))

    def _touch(self, table: str, column: str, ident: str, last: int | None) -> None:
        now = self._now()
        if last is None or now - last > TOUCH_MS:
            with self._db.write() as db:
                db.execute(f"UPDATE {table} SET {column} = ? WHERE id = ?", (now, ident))

    def register_agent(
        self, account: str, platform: str, fingerprint: str, name: str, version: str, expires: int | None
    ) -> tuple[Agent, str]:
        with self._db.write() as db:
            return _register(db, account, platform, fingerprint, name, version, self._now(), expires)

    def agents(self, account: str) -> list[Agent]:
        with self._db.read() as db:
            found = rows(db, f"{_AGENTS} WHERE g.account = ? ORDER BY g.created, g.id", (account,))
        return [_agent(one) for one in found]

    def revoke_agent(self, account: str, agent: str) -> Agent:
        with self._db.write() as db:
            if row(db, "SELECT 1 FROM agents WHERE id = ? AND account = ?", (agent, account)) is None:
                raise NotFound("no agent of this account goes by that id; list them with /api/v1/agents/list")
            update = "UPDATE agent_tokens SET revoked = coalesce(revoked, ?) WHERE agent = ?"
            db.execute(update, (self._now(), agent))
            return _agent(rows(db, f"{_AGENTS} WHERE g.id = ?", (agent,))[0])

    def start_device(self, platform: str, client: str, version: str, fingerprint: str, expires: int) -> tuple[str, str]:
        secret = f"dev_{secrets.token_hex(20)}"
        with self._db.write() as db:
            db.execute("DELETE FROM devices WHERE expires < ?", (self._now() - FORGOTTEN_DEVICES_MS,))
            code = tokens.new_user_code()
            while row(db, "SELECT 1 FROM devices WHERE user_code = ?", (code,)):
                code = tokens.new_user_code()
            db.execute(
                "INSERT INTO devices(hash, user_code, platform, client, version, fingerprint, expires)"
                " VALUES(?, ?, ?, ?, ?, ?, ?)",
                (tokens.digest(secret), code, platform, client, version, fingerprint, expires),
            )
        return secret, code

    def device(self, user_code: str) -> Device | None:
        select = "SELECT user_code, platform, client, version, state, expires FROM devices WHERE user_code = ?"
        with self._db.read() as db:
            found = row(db, select, (tokens.plain_user_code(user_code),))
        if found is None:
            return None
        code, platform, client, version, state, expires = found
        return Device(code, platform, client, version, "expired" if expires <= self._now() else state, expires)

    def decide_device(self, user_code: str, account: str, *, approve: bool) -> bool:
        with self._db.write() as db:
            db.execute(
                "UPDATE devices SET state = ?, account = ? WHERE user_code = ? AND state = 'pending' AND expires > ?",
                ("approved" if approve else "denied", account, tokens.plain_user_code(user_code), self._now()),
            )
            return bool(db.changes())

    def poll_device(self, device_code: str, interval_ms: int, agent_expires: int | None) -> Poll:
        hashed = tokens.digest(device_code)
        now = self._now()
        slow = False
        with self._db.write() as db:
            select = "SELECT state, account, expires, polled, platform, client, version, fingerprint FROM devices"
            found = row(db, f"{select} WHERE hash = ?", (hashed,))
            if found is None:
                raise Denied("device", "this device code is not known or was used already; start again")
            state, account, expires, polled, platform, client, version, fingerprint = found
            if state == "pending" and expires > now:
                slow = now - polled < interval_ms
                db.execute("UPDATE devices SET polled = ? WHERE hash = ?", (now, hashed))
            elif state != "pending":
                db.execute("DELETE FROM devices WHERE hash = ?", (hashed,))
            if state == "approved" and expires > now:
                secret = tokens.new_credential(tokens.KEY)
                owner = _account(db, account)
                key = _insert_key(db, owner, client or platform, secret, SCOPES, now, None)
                agent, token = _register(
                    db, account, platform, fingerprint, client or platform, version, now, agent_expires
                )
                return Poll("approved", key, secret, agent, token)
        if slow:
            raise Denied("slow", f"asked too often; wait {interval_ms // 1000} seconds between two questions")
        return Poll("expired" if expires <= now else state)

    def record(self, event: Event) -> None:
        with self._db.write() as db:
            db.execute(
                "INSERT INTO audit(at, account, actor, action, target, address, outcome) VALUES(?, ?, ?, ?, ?, ?, ?)",
                (event.at, event.account_id, event.actor, event.action, event.target, event.address, event.outcome),
            )
            last = db.last_insert_rowid()
            if last % 1000 == 0:
                db.execute("DELETE FROM audit WHERE id <= ?", (last - KEPT_EVENTS,))

    def events(self, limit: int) -> list[Event]:
        select = "SELECT at, account, actor, action, target, address, outcome FROM audit ORDER BY id DESC LIMIT ?"
        with self._db.read() as db:
            return [Event(*found) for found in rows(db, select, (limit,))]

    def secret(self) -> bytes:
        with self._db.write() as db:
            db.execute("INSERT OR IGNORE INTO meta VALUES('secret', ?)", (secrets.token_bytes(32),))
            return bytes(value(db, "SELECT value FROM meta WHERE name = 'secret'"))

    def check(self) -> list[str]:
        return self._db.faults()

    def close(self) -> None:
        self._db.close()


def _new_account(db: apsw.Connection, name: str, separate: bool, now: int) -> Account:
    """The first one owns what is in the vault already, unless told otherwise."""
    first = row(db, "SELECT 1 FROM accounts LIMIT 1") is None
    account = Account(tokens.new_id("acc_"), name, first and not separate, now)
    db.execute("INSERT INTO accounts VALUES(?, ?, ?, ?)", (account.id, name, account.main, now))
    return account


def _account(db: apsw.Connection, ident: str) -> Account:
    found = row(db, "SELECT id, name, main, created FROM accounts WHERE id = ?", (ident,))
    if found is None:
        raise NotFound(f"no account {ident!r}; `everlore keys list` shows them")
    return Account(found[0], found[1], bool(found[2]), found[3])


def _insert_key(
    db: apsw.Connection,
    owner: Account,
    name: str,
    secret: str,
    scopes: Sequence[str],
    now: int,
    expires: int | None,
) -> Key:
    key = Key(
        tokens.new_id("key_"),
        owner,
        name,
        tokens.shown(secret),
        tuple(scopes),
        now,
        expires,
        revoked=None,
        last_used=None,
    )
    db.execute(
        "INSERT INTO keys(id, account, name, prefix, hash, scopes, created, expires) VALUES(?, ?, ?, ?, ?, ?, ?, ?)",
        (key.id, owner.id, name, key.prefix, tokens.digest(secret), " ".join(key.scopes), now, expires),
    )
    return key


def _register(
    db: apsw.Connection,
    account: str,
    platform: str,
    fingerprint: str,
    name: str,
    version: str,
    now: int,
    expires: int | None,
) -> tuple[Agent, str]:
    secret = tokens.new_credential(tokens.TOKEN)
    db.execute(
        "INSERT INTO agents(id, account, platform, fingerprint, name, version, created) VALUES(?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT(account, platform, fingerprint) DO UPDATE SET name = excluded.name, version = excluded.version",
        (tokens.new_id("agt_"), account, platform, fingerprint, name, version, now),
    )
    place = "account = ? AND platform = ? AND fingerprint = ?"
    agent = value(db, f"SELECT id FROM agents WHERE {place}", (account, platform, fingerprint))
    db.execute("UPDATE agent_tokens SET revoked = ? WHERE agent = ? AND revoked IS NULL", (now, agent))
    # two in one millisecond are told apart, since the newest speaks for the agent
    newest = value(db, "SELECT max(created) FROM agent_tokens WHERE agent = ?", (agent,)) or 0
    db.execute(
        "INSERT INTO agent_tokens(hash, agent, prefix, created, expires) VALUES(?, ?, ?, ?, ?)",
        (tokens.digest(secret), agent, tokens.shown(secret), max(now, newest + 1), expires),
    )
    return _agent(rows(db, f"{_AGENTS} WHERE g.id = ?", (agent,))[0]), secret


def _key(found: tuple[Any, ...]) -> Key:
    ident, account, owner, main, made, name, prefix, scopes, *times = found
    return Key(ident, Account(account, owner, bool(main), made), name, prefix, tuple(scopes.split()), *times)


def _agent(found: tuple[Any, ...]) -> Agent:
    ident, account, platform, name, version, fingerprint, prefix, revoked, active, created = found
    return Agent(ident, account, platform, name, version, fingerprint, prefix, revoked is None, active, created)


def _label(text: str, what: str) -> str:
    text = text.strip()
    if not text or len(text) > LONGEST or not text.isprintable():
        raise InvalidInput(f"{what} must have 1 to {LONGEST} printable characters")
    return text


def _scopes(scopes: Sequence[str]) -> tuple[str, ...]:
    unknown = sorted(set(scopes) - set(SCOPES))
    if unknown or not scopes:
        raise InvalidInput(f"scopes are {', '.join(SCOPES)}; not {', '.join(unknown) or 'nothing at all'}")
    return tuple(scope for scope in SCOPES if scope in scopes)
