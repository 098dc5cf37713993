"""The store of accounts, over tables in whatever database. Any number of processes use it at once.

A credential is made before the work that stores it, so that work which runs twice stores it once (see `tables`).
"""

from __future__ import annotations

import contextlib
import secrets
import time
from collections.abc import Callable, Sequence

from everlore.accounts import tokens
from everlore.accounts.documents import Documents
from everlore.accounts.values import AGENT_SCOPES, SCOPES, Account, Agent, Device, Event, Key, Poll, Principal
from everlore.errors import Denied, InvalidInput, NotFound, Unavailable
from everlore.sql import Row, Session, Tables

LONGEST = 128
TOUCH_MS = 60_000
"""How old the note of a credential's last use may be, so that not every request writes."""
KEPT_EVENTS = 100_000
FORGOTTEN_DEVICES_MS = 24 * 3600 * 1000

_KEYS = (
    "SELECT k.hash, k.id, a.id, a.name, a.main, a.created, k.name, k.prefix, k.scopes, k.created, k.expires, k.revoked,"
    " k.last_used, k.made_by FROM keys k JOIN accounts a ON a.id = k.account"
)
_AGENTS = (
    "SELECT g.id, g.account, g.platform, g.name, g.version, g.fingerprint, t.prefix, t.revoked, g.last_active,"
    " g.created, t.made_by FROM agents g JOIN agent_tokens t ON t.agent = g.id"
    " AND t.created = (SELECT max(created) FROM agent_tokens WHERE agent = g.id)"
)


def _now() -> int:
    return time.time_ns() // 1_000_000


class Accounts(Documents):
    def __init__(self, tables: Tables, now: Callable[[], int] = _now, close: Callable[[], None] = lambda: None) -> None:
        self._now = now
        self._tables = tables
        self.close = close

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
        name = _label(name, "the name")
        wanted = _scopes(scopes)
        secret = tokens.new_credential(tokens.KEY)

        def work(db: Session) -> Key:
            made = _find_key(db, secret)
            if made:  # this ran before, and its answer was lost
                return made
            owner = _account(db, account) if account else _new_account(db, name, separate, self._now())
            return _insert_key(db, owner, name, secret, wanted, self._now(), expires)

        return self._tables.write(work), secret

    def keys(self) -> list[Key]:
        return [_key(found) for found in self._tables.read(lambda db: db.rows(f"{_KEYS} ORDER BY k.created, k.id"))]

    def revoke_key(self, which: str) -> list[Key]:
        """By id, by prefix or by account, with everything it made: the keys of devices that were approved with it, and
        the tokens of agents; with an account all its agents. Raises `NotFound`."""

        def work(db: Session) -> list[Key]:
            meant = _meant(db, which)
            now = self._now()
            ids = _with_descendants(db, {key.id for key in meant})
            for ident in ids:
                db.run("UPDATE keys SET revoked = coalesce(revoked, ?) WHERE id = ?", (now, ident))
                db.run("UPDATE agent_tokens SET revoked = coalesce(revoked, ?) WHERE made_by = ?", (now, ident))
            if which == meant[0].account.id:
                db.run(
                    "UPDATE agent_tokens SET revoked = coalesce(revoked, ?)"
                    " WHERE agent IN (SELECT id FROM agents WHERE account = ?)",
                    (now, which),
                )
            return [key for found in db.rows(_KEYS) if (key := _key(found)).id in ids]

        return self._tables.write(work)

    def authenticate(self, credential: str) -> Principal:
        """Raises `Denied`."""
        if not tokens.well_formed(credential):
            raise Denied("malformed", "the token is neither an account key (emk_) nor an agent token (evt_)")
        return self._by_key(credential) if credential.startswith(tokens.KEY) else self._by_token(credential)

    def _by_key(self, credential: str) -> Principal:
        key = self._tables.read(lambda db: _find_key(db, credential))
        if key is None:
            raise Denied("key_invalid", "this account key is not known here; make one with `everlore keys create`")
        if key.revoked is not None:
            raise Denied("key_revoked", "this account key was revoked; make a new one with `everlore keys create`")
        if key.expires is not None and key.expires <= self._now():
            raise Denied("key_expired", "this account key has expired; make a new one with `everlore keys create`")
        self._touch("keys", "last_used", key.id, key.last_used)
        return Principal(key.account, key.id, key.scopes, key_prefix=key.prefix, expires=key.expires)

    def _by_token(self, credential: str) -> Principal:
        hashed = tokens.digest(credential)
        select = (
            "SELECT t.hash, t.revoked, t.expires, t.scopes, g.id, g.last_active, a.id, a.name, a.main, a.created"
            " FROM agent_tokens t JOIN agents g ON g.id = t.agent JOIN accounts a ON a.id = g.account WHERE t.hash = ?"
        )
        found = self._tables.read(lambda db: db.row(select, (hashed,)))
        if found is None or not tokens.same(found[0], hashed):
            raise Denied("agent_invalid", "this agent token is not known here; register with `evercli plugin install`")
        _, revoked, expires, scopes, agent, active, account, name, main, created = found
        if revoked is not None:
            raise Denied("agent_revoked", "this agent was disconnected; register again with `evercli plugin install`")
        if expires is not None and expires <= self._now():
            raise Denied("agent_expired", "this agent token has expired; register again with `evercli plugin install`")
        self._touch("agents", "last_active", agent, active)
        owner = Account(account, name, bool(main), created)
        return Principal(owner, agent, tuple(scopes.split()), agent_id=agent, key_prefix=tokens.shown(credential))

    def _touch(self, table: str, column: str, ident: str, last: int | None) -> None:
        now = self._now()
        if last is None or now - last > TOUCH_MS:
            # whoever may read does so also while nothing can be written
            with contextlib.suppress(Unavailable):
                self._tables.write(lambda db: db.run(f"UPDATE {table} SET {column} = ? WHERE id = ?", (now, ident)))

    def register_agent(
        self, by: Key | Principal, platform: str, fingerprint: str, name: str, version: str, expires: int | None
    ) -> tuple[Agent, str]:
        """The agent of this place and a new token, which may no more and lives no longer than the key that it is made
        `by`; its older tokens are revoked."""
        secret = tokens.new_credential(tokens.TOKEN)
        place = (platform, fingerprint)
        agent = self._tables.write(lambda db: _register(db, by, place, name, version, secret, self._now(), expires))
        return agent, secret

    def agents(self, account: str) -> list[Agent]:
        select = f"{_AGENTS} WHERE g.account = ? ORDER BY g.created, g.id"
        return [_agent(one) for one in self._tables.read(lambda db: db.rows(select, (account,)))]

    def revoke_agent(self, account: str, agent: str) -> Agent:
        def work(db: Session) -> Agent:
            if db.row("SELECT 1 FROM agents WHERE id = ? AND account = ?", (agent, account)) is None:
                raise NotFound("no agent of this account goes by that id; list them with /api/v1/agents/list")
            db.run("UPDATE agent_tokens SET revoked = coalesce(revoked, ?) WHERE agent = ?", (self._now(), agent))
            return _agent(db.rows(f"{_AGENTS} WHERE g.id = ?", (agent,))[0])

        return self._tables.write(work)

    def start_device(self, platform: str, client: str, version: str, fingerprint: str, expires: int) -> tuple[str, str]:
        """The device code (a secret) and the user code."""
        secret = f"dev_{secrets.token_hex(20)}"

        def work(db: Session) -> str:
            db.run("DELETE FROM devices WHERE expires < ?", (self._now() - FORGOTTEN_DEVICES_MS,))
            while True:
                # a code that somebody else has right now is not stored, and then another is tried
                code = tokens.new_user_code()
                db.run(
                    "INSERT INTO devices(hash, user_code, platform, client, version, fingerprint, expires)"
                    " VALUES(?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                    (tokens.digest(secret), code, platform, client, version, fingerprint, expires),
                )
                kept = db.value("SELECT user_code FROM devices WHERE hash = ?", (tokens.digest(secret),))
                if kept:
                    return str(kept)

        return secret, self._tables.write(work)

    def device(self, user_code: str) -> Device | None:
        select = "SELECT user_code, platform, client, version, state, expires FROM devices WHERE user_code = ?"
        found = self._tables.read(lambda db: db.row(select, (tokens.plain_user_code(user_code),)))
        if found is None:
            return None
        code, platform, client, version, state, expires = found
        return Device(code, platform, client, version, "expired" if expires <= self._now() else state, expires)

    def decide_device(self, user_code: str, key: str, *, approve: bool) -> bool:
        """`key` is the id of the key that decides. False when nothing by that code is waiting any more."""
        update = "UPDATE devices SET state = ?, key = ? WHERE user_code = ? AND state = 'pending' AND expires > ?"
        decided = ("approved" if approve else "denied", key, tokens.plain_user_code(user_code), self._now())
        return bool(self._tables.write(lambda db: db.run(update, decided)))

    def poll_device(self, device_code: str, interval_ms: int, agent_expires: int | None) -> Poll:
        """Whoever was approved gets a key like the one that approved it, and nothing when that one has ended since.
        Raises `Denied`: "device" for a code that is unknown or used up, "slow" when asked too often."""
        hashed = tokens.digest(device_code)
        now = self._now()
        key_secret, agent_secret = tokens.new_credential(tokens.KEY), tokens.new_credential(tokens.TOKEN)

        def work(db: Session) -> Poll | None:
            """None: asked too often."""
            handed = _find_key(db, key_secret)
            if handed:  # this ran before, and its answer was lost
                return Poll("approved", handed, key_secret, _agent_of(db, agent_secret), agent_secret)
            # from here on nobody else has this row
            db.run("UPDATE devices SET state = state WHERE hash = ?", (hashed,))
            select = "SELECT state, key, expires, polled, platform, client, version, fingerprint FROM devices"
            found = db.row(f"{select} WHERE hash = ?", (hashed,))
            if found is None:
                raise Denied("device", "this device code is not known or was used already; start again")
            state, approver, expires, polled, platform, client, version, fingerprint = found
            if state == "pending" and expires > now:
                db.run("UPDATE devices SET polled = ? WHERE hash = ?", (now, hashed))
                return None if now - polled < interval_ms else Poll("pending")
            if state != "pending":
                db.run("DELETE FROM devices WHERE hash = ?", (hashed,))
            if state == "approved" and expires > now:
                by = _valid_key(db, approver, now)
                if by is None:
                    return Poll("expired")
                name, place = client or platform, (platform, fingerprint)
                key = _insert_key(db, by.account, name, key_secret, by.scopes, now, by.expires, by.id)
                agent = _register(db, by, place, name, version, agent_secret, now, agent_expires)
                return Poll("approved", key, key_secret, agent, agent_secret)
            return Poll("expired" if expires <= now else state)

        poll = self._tables.write(work)
        if poll is None:
            raise Denied("slow", f"asked too often; wait {interval_ms // 1000} seconds between two questions")
        return poll

    def record(self, event: Event) -> None:
        insert = (
            "INSERT INTO audit(at, account, actor, action, target, address, outcome) VALUES(?, ?, ?, ?, ?, ?, ?)"
            " RETURNING id"
        )
        said = (event.at, event.account_id, event.actor, event.action, event.target, event.address, event.outcome)

        def work(db: Session) -> None:
            last = db.value(insert, said)
            if last % 1000 == 0:
                db.run("DELETE FROM audit WHERE id <= ?", (last - KEPT_EVENTS,))

        self._tables.write(work)

    def events(self, limit: int) -> list[Event]:
        """Newest first."""
        select = "SELECT at, account, actor, action, target, address, outcome FROM audit ORDER BY id DESC LIMIT ?"
        return [Event(*found) for found in self._tables.read(lambda db: db.rows(select, (limit,)))]

    def secret(self) -> bytes:
        """What this installation signs with. Made once, never shown."""
        select = "SELECT value FROM meta WHERE name = 'secret'"
        insert = "INSERT INTO meta VALUES('secret', ?) ON CONFLICT DO NOTHING"
        found = self._tables.read(lambda db: db.value(select))
        if found is None:
            self._tables.write(lambda db: db.run(insert, (secrets.token_bytes(32),)))
            found = self._tables.read(lambda db: db.value(select))
        return bytes(found)


def _new_account(db: Session, name: str, separate: bool, now: int) -> Account:
    """The first one owns what is in the vault already, unless told otherwise."""
    first = db.row("SELECT 1 FROM accounts LIMIT 1") is None
    account = Account(tokens.new_id("acc_"), name, first and not separate, now)
    db.run("INSERT INTO accounts VALUES(?, ?, ?, ?)", (account.id, name, int(account.main), now))
    return account


def _account(db: Session, ident: str) -> Account:
    found = db.row("SELECT id, name, main, created FROM accounts WHERE id = ?", (ident,))
    if found is None:
        raise NotFound(f"no account {ident!r}; `everlore keys list` shows them")
    return Account(found[0], found[1], bool(found[2]), found[3])


def _insert_key(
    db: Session,
    owner: Account,
    name: str,
    secret: str,
    scopes: Sequence[str],
    now: int,
    expires: int | None,
    made_by: str = "",
) -> Key:
    hashed = tokens.digest(secret)
    db.run(
        "INSERT INTO keys(id, account, name, prefix, hash, scopes, created, expires, made_by)"
        " VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)",
        (tokens.new_id("key_"), owner.id, name, tokens.shown(secret), hashed, " ".join(scopes), now, expires, made_by),
    )
    return _key(db.rows(f"{_KEYS} WHERE k.hash = ?", (hashed,))[0])


def _register(
    db: Session,
    by: Key | Principal,
    place: tuple[str, str],
    name: str,
    version: str,
    secret: str,
    now: int,
    expires: int | None,
) -> Agent:
    """`place`: platform and fingerprint. Who registers there at the same time waits at the first statement."""
    where, maker = (by.account.id, *place), by.id if isinstance(by, Key) else by.actor
    if db.value("SELECT revoked FROM keys WHERE id = ?", (maker,)) is not None:
        raise Denied("key_revoked", "this account key was revoked; make a new one with `everlore keys create`")
    scopes = " ".join(scope for scope in AGENT_SCOPES if scope in by.scopes)
    ends = min((moment for moment in (expires, by.expires) if moment is not None), default=None)
    db.run(
        "INSERT INTO agents(id, account, platform, fingerprint, name, version, created) VALUES(?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT(account, platform, fingerprint) DO UPDATE SET name = excluded.name, version = excluded.version",
        (tokens.new_id("agt_"), *where, name, version, now),
    )
    agent = db.value("SELECT id FROM agents WHERE account = ? AND platform = ? AND fingerprint = ?", where)
    hashed = tokens.digest(secret)
    revoke = "UPDATE agent_tokens SET revoked = ? WHERE agent = ? AND revoked IS NULL AND hash <> ?"
    db.run(revoke, (now, agent, hashed))
    # two in one millisecond are told apart, since the newest speaks for the agent
    newest = db.value("SELECT max(created) FROM agent_tokens WHERE agent = ?", (agent,)) or 0
    db.run(
        "INSERT INTO agent_tokens(hash, agent, prefix, created, expires, scopes, made_by) VALUES(?, ?, ?, ?, ?, ?, ?)"
        " ON CONFLICT DO NOTHING",
        (hashed, agent, tokens.shown(secret), max(now, newest + 1), ends, scopes, maker),
    )
    return _agent_of(db, secret)


def _agent_of(db: Session, secret: str) -> Agent:
    select = f"{_AGENTS} WHERE g.id = (SELECT agent FROM agent_tokens WHERE hash = ?)"
    return _agent(db.rows(select, (tokens.digest(secret),))[0])


def _find_key(db: Session, credential: str) -> Key | None:
    hashed = tokens.digest(credential)
    found = db.row(f"{_KEYS} WHERE k.hash = ?", (hashed,))
    return _key(found) if found and tokens.same(found[0], hashed) else None


def _valid_key(db: Session, ident: str, now: int) -> Key | None:
    found = db.row(f"{_KEYS} WHERE k.id = ?", (ident,))
    key = _key(found) if found else None
    return key if key and key.revoked is None and (key.expires is None or key.expires > now) else None


def _meant(db: Session, which: str) -> list[Key]:
    """The keys that go by this name."""
    known = [_key(found) for found in db.rows(f"{_KEYS} ORDER BY k.created")]
    meant = [key for key in known if which in (key.id, key.prefix, key.account.id)]
    if not meant and tokens.well_formed(which) and (whole := _find_key(db, which)):
        meant = [whole]
    if not meant:
        raise NotFound("no key or account goes by that name; `everlore keys list` shows them")
    if len(meant) > 1 and which != meant[0].account.id:
        raise InvalidInput(f"several keys begin with {which}; name one by its id, see `everlore keys list`")
    return meant


def _with_descendants(db: Session, ids: set[str]) -> set[str]:
    """With the keys that these made, and those that they made."""
    made = [(ident, by) for ident, by in db.rows("SELECT id, made_by FROM keys") if by]
    while more := {ident for ident, by in made if by in ids} - ids:
        ids = ids | more
    return ids


def _key(found: Row) -> Key:
    _, ident, account, owner, main, made, name, prefix, scopes, *times = found
    return Key(ident, Account(account, owner, bool(main), made), name, prefix, tuple(scopes.split()), *times)


def _agent(found: Row) -> Agent:
    ident, account, platform, name, version, fingerprint, prefix, revoked, *others = found
    return Agent(ident, account, platform, name, version, fingerprint, prefix, revoked is None, *others)


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
