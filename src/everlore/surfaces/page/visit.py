"""A person on the page: who they are, what of the vault is theirs, in which language, and where they look."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeVar
from urllib.parse import parse_qsl, quote, unquote, urlencode, urlsplit

from anyio import to_thread
from starlette.datastructures import State

from everlore.accounts.values import Principal
from everlore.clock import DAY_MS
from everlore.engine import Engine
from everlore.errors import Denied, InvalidInput
from everlore.surfaces.http.guard import partition_of, seen_by
from everlore.surfaces.http.threads import Threads
from everlore.surfaces.page.sessions import Session
from everlore.surfaces.page.texts import Texts
from everlore.types import IndexedMemory, Owner, Scope, Track

T = TypeVar("T")
TRACKS: Mapping[str, Track] = {"user": "user", "agent": "agent"}
LONGEST_ADDRESS = 8000


@dataclass(frozen=True, slots=True)
class Place:
    """An address of the page: `/memories/anna_ep_1?owner=user:anna`."""

    view: str
    name: str = ""
    """What stands behind the view: a memory's id, a name."""
    asked: Mapping[str, str] = field(default_factory=dict)

    @classmethod
    def of(cls, address: str) -> Place:
        parts = urlsplit(address[:LONGEST_ADDRESS])
        view, _, name = parts.path.removeprefix("/").partition("/")
        return cls(view or "ask", unquote(name), dict(parse_qsl(parts.query, max_num_fields=40)))

    def to(self, view: str = "", name: str = "", **asked: object) -> str:
        """The address of another place, of the same owner."""
        kept = {"owner": self.asked["owner"]} if "owner" in self.asked else {}
        query = {key: str(value) for key, value in {**kept, **asked}.items() if value not in (None, "")}
        path = "/" if view == "ask" else f"/{view}" + (f"/{quote(name, safe='')}" if name else "")
        return path + (f"?{urlencode(query)}" if query else "")

    def but(self, **asked: object) -> str:
        """This place, of which something else is asked."""
        return self.to(self.view, self.name, **{**self.asked, **asked})

    def get(self, name: str, default: str = "") -> str:
        return self.asked.get(name, default)

    def number(self, name: str, default: int, most: int = 10**6) -> int:
        text = self.asked.get(name, "")
        return min(int(text), most) if text.isdecimal() and len(text) < 10 else default


@dataclass(frozen=True, slots=True)
class Visit:
    state: State
    session: Session
    who: Principal | None
    words: Texts
    dark: bool = False

    @property
    def engine(self) -> Engine:
        """As they see it. What is recalled for them alone is no use that a memory was put to."""
        return replace(seen_by(self.state.engine, self.who), heard=None)

    @property
    def is_owner(self) -> bool:
        """Of the vault: whoever needs no account to read all of it."""
        return self.who is None

    @property
    def may_write(self) -> bool:
        return self.who is None or "mem:write" in self.who.scopes

    def check(self, *, writing: bool = False) -> None:
        """Their key may have ended since they came. Raises `Denied`."""
        self.state.door.sessions.who(self.session)
        if writing and not self.may_write:
            raise Denied("scope", self.words("common.read_only"))

    async def run(self, work: Callable[..., T], *args: Any, searching: bool = False) -> T:
        """In a thread, as requests are."""
        threads: Threads = self.state.threads
        limiter = threads.searching if searching else threads.all
        return await to_thread.run_sync(partial(work, *args), limiter=limiter)

    def owners(self, track: Track | None = None) -> list[tuple[Owner, int]]:
        """Whose memories this person may see, those with the most first."""
        known = self.state.engine.index.rows.owners()
        mine = [pair for pair in known if self.sees(pair[0].scope) and track in (None, pair[0].track)]
        return sorted(mine, key=lambda pair: (pair[0].track != "user", -pair[1], pair[0].id))

    def owner(self, place: Place, track: Track = "user") -> Owner:
        """The owner that an address names; else the one that the settings name, if there is such, or has the most."""
        if (code := place.get("owner")) and (found := self.owner_of(code)).track == track:
            return found
        mcp = self.state.engine.settings.mcp
        known = [owner for owner, _ in self.owners(track)]
        usual = Owner(partition_of(self.who, mcp.app, mcp.project), track, mcp.user)
        return usual if usual in known or not known else known[0]

    def owner_of(self, code: str) -> Owner:
        """No name that an address holds leads out of what is theirs."""
        named, _, place = code.partition("@")
        track, _, name = named.partition(":")
        app, _, project = place.partition("/")
        if track not in TRACKS or not name:
            raise InvalidInput(self.words("common.no_owner"))
        scope = partition_of(self.who, unquote(app) or "default", unquote(project) or "default")
        return Owner(scope, TRACKS[track], unquote(name))

    def code_of(self, owner: Owner) -> str:
        """How an address names an owner: `user:anna`, `user:anna@app/project`."""
        app, project = self.app_of(owner), owner.scope.project
        place = "" if (app, project) == ("default", "default") else f"@{quote(app, safe='')}/{quote(project, safe='')}"
        return f"{owner.track}:{quote(owner.id, safe='')}{place}"

    def app_of(self, owner: Owner) -> str:
        return owner.scope.app.removeprefix(self.who.prefix if self.who else "")

    def called(self, owner: Owner) -> str:
        app, project = self.app_of(owner), owner.scope.project
        where = "" if (app, project) == ("default", "default") else f" ({app}/{project})"
        return f"{owner.id}{where}"

    def link(self, place: Place, stored: IndexedMemory) -> str:
        """The address of a memory."""
        return place.to("memories", stored.key.public_id, owner=self.code_of(stored.key.owner))

    def moment(self, text: str, *, end: bool = False) -> int | None:
        """A day of an address as a moment: when it begins, or when it is over."""
        try:
            begin = self.engine.clock.parse(text) if text else None
        except InvalidInput:
            return None
        return begin + DAY_MS - 1 if begin is not None and end and len(text) == 10 else begin

    def day(self, ms: int | None) -> str:
        return "" if ms is None else f"{self.engine.clock.local(ms):%Y-%m-%d}"

    def sees(self, scope: Scope) -> bool:
        return self.who is None or self.who.owns(scope)
