"""Sites in real databases, servers that read them, and what their answers should be, worked out in Python."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import httpx
import jwt
import sqlalchemy as sa
from serving import Server, running

from bench.servers import Missing, empty_server
from bench.site import Made, fill

PREFIX = "evo_"
DOCUMENTS = 320
SECRET = "a secret that is long enough for HS256 tokens"
READER = "GRANT SELECT ON ALL TABLES IN SCHEMA public TO reader"

Doc = dict[str, Any]


@dataclass(frozen=True)
class Stand:
    """A database with a site in it. `url` is of a user who may only read where the database knows users."""

    kind: str
    url: str
    admin: sa.Engine
    made: Made

    def checksum(self) -> dict[str, list[Any]]:
        """Everything in the database."""
        tables = sorted(sa.inspect(self.admin).get_table_names())
        with self.admin.connect() as connection:
            quoted = self.admin.dialect.identifier_preparer.quote_identifier
            return {
                table: sorted(map(repr, connection.execute(sa.text(f"SELECT * FROM {quoted(table)}"))))
                for table in tables
            }

    def visible(self, *, protected: bool = False, deleted: bool = False) -> list[Doc]:
        hidden = set() if protected else self.made.protected
        return [one for one in self.made.documents if one["id"] not in hidden and bool(one["deleted"]) == deleted]

    def below(self, root: int, depth: int) -> set[int]:
        found: set[int] = set()
        level = {root}
        for _ in range(depth):
            level = {one["id"] for one in self.made.documents if one["parent"] in level}
            found |= level
        return found

    def value(self, document: Doc, name: str, *, default: bool = False) -> str | None:
        variable = next(one for one in self.made.variables if one["name"] == name)
        own = self.made.values.get((document["id"], variable["id"]))
        fallback: str | None = variable["default_text"]
        return fallback if own is None and default else own


@contextmanager
def stand(kind: str, folder: Path) -> Iterator[Stand]:
    """Raises `Missing` when there is no such database here."""
    if kind == "sqlite":
        path = folder / "site.db"
        admin = sa.create_engine(f"sqlite:///{path}")
        made = fill(admin, DOCUMENTS, PREFIX, variables=8)
        admin.dispose()
        yield Stand(kind, f"sqlite:///{path}", admin, made)
        admin.dispose()
        return
    with empty_server(kind) as url:
        driver = url.replace("mysql:", "mysql+pymysql:").replace("postgresql:", "postgresql+psycopg:")
        root = sa.create_engine(driver + ("" if kind == "mariadb" else "postgres"), isolation_level="AUTOCOMMIT")
        with root.connect() as connection:
            connection.execute(
                sa.text("CREATE DATABASE site" + (" CHARACTER SET utf8mb4" if kind == "mariadb" else ""))
            )
        root.dispose()
        admin = sa.create_engine(f"{driver}site")
        made = fill(admin, DOCUMENTS, PREFIX, variables=8)
        host = url.rpartition("@")[2]
        grants = ["CREATE USER reader PASSWORD 'only-reads'", READER]
        if kind == "mariadb":
            user = "reader@'127.0.0.1'"
            grants = [f"CREATE USER {user} IDENTIFIED BY 'only-reads'", f"GRANT SELECT ON site.* TO {user}"]
        with admin.begin() as connection:
            for statement in grants:
                connection.execute(sa.text(statement))
        yield Stand(kind, f"{url.partition(':')[0]}://reader:only-reads@{host}site", admin, made)
        admin.dispose()


def token(user_id: int = 0, scopes: Any = "*", secret: str = SECRET, **claims: Any) -> str:
    now = int(time.time())
    body = {"sub": f"test-{user_id}", "user_id": user_id, "scopes": scopes, "iat": now, "exp": now + 600}
    return jwt.encode(body | claims, secret, algorithm="HS256")


@dataclass(frozen=True)
class Evo:
    """A client of the content server."""

    server: Server
    stand: Stand | None = None

    def post(
        self, body: Any, *, user: int = 0, path: str = "content", headers: dict[str, str] | None = None
    ) -> httpx.Response:
        sent = {"Authorization": f"Bearer {token(user)}"} | (headers or {})
        return self.server.client.post(f"/api/v1/mcp/{path}", json=body, headers=sent)

    def rpc(self, method: str, params: Any = None, *, user: int = 0) -> dict[str, Any]:
        answer = self.post({"jsonrpc": "2.0", "id": "x", "method": method, "params": params or {}}, user=user)
        assert answer.status_code == 200, answer.text
        body: dict[str, Any] = answer.json()
        assert body["jsonrpc"] == "2.0"
        assert body["id"] == "x"
        return body

    def call(self, tool: str, *, user: int = 0, **arguments: Any) -> dict[str, Any]:
        body = self.rpc("tools/call", {"name": f"evo.{tool}", "arguments": arguments}, user=user)
        assert "error" not in body, body
        structured: dict[str, Any] = body["result"]["structuredContent"]
        return structured

    def ids(self, tool: str, /, *, user: int = 0, **arguments: Any) -> list[int]:
        return [one["id"] for one in self.call(tool, user=user, **({"limit": 100} | arguments))["items"]]

    def all_ids(self, tool: str = "content.search", /, *, user: int = 0, **arguments: Any) -> list[int]:
        """Page by page until the end."""
        found: list[int] = []
        while True:
            page = self.ids(tool, user=user, offset=len(found), **arguments)
            found += page
            if len(page) < 100:
                return found

    def error(self, tool: str, **arguments: Any) -> dict[str, Any]:
        body = self.rpc("tools/call", {"name": f"evo.{tool}", "arguments": arguments})
        assert "error" in body, body
        error: dict[str, Any] = body["error"]
        return error


@contextmanager
def serving(root: Path, url: str = "", **settings: str) -> Iterator[Server]:
    env = {f"EVEROS_EMCP__{name.upper()}": value for name, value in settings.items()}
    if url:
        env |= {"EVEROS_EMCP__DATABASE_URL": url, "EVEROS_EMCP__TABLE_PREFIX": PREFIX}
    with running(root, env) as server:
        yield server


Check = Callable[[Doc], bool]
__all__ = ["Evo", "Missing", "Stand", "serving", "stand", "token"]
