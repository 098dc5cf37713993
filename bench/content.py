"""How long the content tools take on a large site, in each database, with the indexes a real installation has.

The floor is the least a database can do for a page: seek a document by its key and read the page's rows by theirs.
Both take turns on the same connection pool, so that a busy machine slows both alike.
"""

from __future__ import annotations

import contextlib
import random
import tempfile
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import sqlalchemy as sa
from rich.progress import Progress

from bench.peers import Spent, percentile, spent
from bench.servers import Missing, empty_server
from bench.site import fill
from bench.timing import Timing
from everlore.config import EmcpSection
from everlore.content import arguments as a
from everlore.content import tools
from everlore.content.access import VISITOR
from everlore.content.connect import Site, open_site
from everlore.errors import Unavailable

PREFIX = "evo_"
VARIABLES = 20
BUDGET = 100.0
SHOWN = ["price", "color:d", "rating", "author", "tv_05:d"]


@dataclass(frozen=True, slots=True)
class Plan:
    sizes: dict[str, int]
    rounds: int


FULL = Plan({"sqlite": 100_000, "mariadb": 100_000, "postgres": 100_000}, rounds=20)
QUICK = Plan({"sqlite": 10_000, "mariadb": 5_000, "postgres": 5_000}, rounds=10)


@dataclass(frozen=True, slots=True)
class Ask:
    """`usual`: counts for the budget. The others order the whole site, or look for a value in the whole site, by what
    no installation has an index for; they are shown, and bounded by the time-out."""

    name: str
    tool: str
    shape: type[a.Arguments]
    arguments: Callable[[random.Random, int], dict[str, Any]]
    usual: bool = True


def _node(chance: random.Random, n: int) -> dict[str, Any]:
    return {"id": chance.randint(1, n), "limit": 20, "with_tvs": SHOWN}


def _search(**more: Any) -> Callable[[random.Random, int], dict[str, Any]]:
    return lambda _chance, _n: {"limit": 20, "with_tvs": SHOWN, **more}


def _filter(tv: str, op: str, value: str | None = None, **more: Any) -> dict[str, Any]:
    return {"tv_filters": [{"tv": tv, "op": op, "value": value, **more}]}


ASKED = [
    Ask("get", "evo.content.get", a.Get, lambda chance, n: {"id": chance.randint(1, n), "with_tvs": SHOWN}),
    Ask("search", "evo.content.search", a.Search, _search()),
    Ask("search, flags", "evo.content.search", a.Search, _search(published=True, template=2, hidemenu=False)),
    Ask("search, page at offset 1000", "evo.content.search", a.Search, _search(offset=1000)),
    Ask(
        "search below a folder",
        "evo.content.search",
        a.Search,
        lambda chance, n: {"limit": 20, "with_tvs": SHOWN, "parent": chance.randint(7, n)},
    ),
    Ask("search below a root, by date", "evo.content.search", a.Search, _search(parent=2, order_by_date="desc")),
    Ask(
        "search, price above 500",
        "evo.content.search",
        a.Search,
        _search(**_filter("price", ">", "500", cast="UNSIGNED")),
    ),
    Ask("search, colour", "evo.content.search", a.Search, _search(**_filter("color", "=", "red"))),
    Ask("search, no rating", "evo.content.search", a.Search, _search(**_filter("rating", "null"))),
    Ask("search, default", "evo.content.search", a.Search, _search(**_filter("color", "=", "white", use_default=True))),
    Ask("search, tag", "evo.content.search", a.Search, _search(tags_data={"tv_id": 7, "tags": ["sale"]})),
    Ask("root tree", "evo.content.root_tree", a.RootTree, lambda *_: {"limit": 50, "depth": 2}),
    Ask("descendants of a root", "evo.content.descendants", a.DeepNode, lambda *_: {"id": 2, "limit": 50, "depth": 6}),
    Ask("ancestors", "evo.content.ancestors", a.Ancestors, _node),
    Ask("children", "evo.content.children", a.Node, lambda chance, _: {"id": chance.randint(1, 6), "limit": 50}),
    Ask("siblings", "evo.content.siblings", a.Node, _node),
    Ask("next siblings", "evo.content.next_siblings", a.Node, _node),
    Ask("records of a model", "evo.model.list", a.ModelList, lambda *_: {"model": "SiteTmplvar", "limit": 20}),
    Ask(
        "values of a document",
        "evo.model.list",
        a.ModelList,
        lambda chance, n: {
            "model": "SiteTmplvarContentvalue",
            "limit": 50,
            "filters": {"where": [{"field": "contentid", "op": "=", "value": chance.randint(1, n)}]},
        },
    ),
    Ask("search, all by title", "evo.content.search", a.Search, _search(order_by="pagetitle"), usual=False),
    Ask(
        "search, rare value", "evo.content.search", a.Search, _search(**_filter("tv_05", "=", "river 77")), usual=False
    ),
    Ask(
        "search, all by price",
        "evo.content.search",
        a.Search,
        _search(tv_order=[{"tv": "price", "dir": "desc", "cast": "UNSIGNED"}]),
        usual=False,
    ),
]


def measure(plan: Plan, progress: Progress) -> list[Timing]:
    found: list[Timing] = []
    for kind, n in plan.sizes.items():
        bar = progress.add_task(f"content: {kind}, {n:,} documents", total=len(ASKED) + 1)
        try:
            with (
                tempfile.TemporaryDirectory(prefix="everlore-bench-") as folder,
                _filled(kind, n, Path(folder)) as site,
            ):
                progress.advance(bar)
                found += _measured(kind, site, n, plan.rounds, lambda: progress.advance(bar))  # noqa: B023
        except Missing as error:
            progress.console.print(f"content: {kind} left out: {error}")
    return found


@contextlib.contextmanager
def _filled(kind: str, n: int, folder: Path) -> Iterator[Site]:
    with contextlib.ExitStack() as stack:
        url = f"sqlite:///{folder / 'site.db'}"
        if kind != "sqlite":
            server = stack.enter_context(empty_server(kind))
            url = _database(server)
        writer = sa.create_engine(_driver(url))
        fill(writer, n, PREFIX, variables=VARIABLES, text=1000, keep=False)
        if kind == "postgres":  # as a running server does by itself, after a while
            with writer.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
                connection.execute(sa.text("VACUUM ANALYZE"))
        writer.dispose()
        site = open_site(EmcpSection(database_url=url, table_prefix=PREFIX, statement_seconds=60), Path("none"))
        stack.callback(site.close)
        yield site


def _database(server: str) -> str:
    own = sa.create_engine(_driver(server) + ("" if server.startswith("mysql") else "postgres"))
    encoding = " CHARACTER SET utf8mb4" if server.startswith("mysql") else ""
    with own.connect().execution_options(isolation_level="AUTOCOMMIT") as connection:
        connection.execute(sa.text(f"CREATE DATABASE site{encoding}"))
    own.dispose()
    return f"{server}site"


def _driver(url: str) -> str:
    return url.replace("mysql:", "mysql+pymysql:").replace("postgresql:", "postgresql+psycopg:")


def _measured(kind: str, site: Site, n: int, rounds: int, done: Callable[[], None]) -> list[Timing]:
    found: list[Timing] = []
    usual: list[Spent] = []
    floors: list[Spent] = []
    for ask in ASKED:
        chance = random.Random(n)
        mine: list[Spent] = []
        floor: list[Spent] = []
        for number in range(rounds + 1):
            checked = a.check(ask.shape, ask.arguments(chance, n), 100)
            try:
                one = spent(lambda: tools.answer(site, VISITOR, ask.tool, checked))  # noqa: B023
            except Unavailable:
                one = Spent(float("inf"), float("inf"))
            least = spent(lambda: _seek(site, chance.randint(1, n)))  # noqa: B023
            if number:  # the first one reads the disk and looks up the tables
                mine.append(one)
                floor.append(least)
        if ask.usual:
            usual += mine
        floors += floor
        found.append(_timing(f"{kind}: {ask.name}", n, mine, floor))
        done()
    return [_timing(f"{kind}: all usual calls", n, usual, floors, budget=True), *found]


def _seek(site: Site, id_: int) -> None:
    table = site.table("site_content")
    with site.reading() as connection:
        connection.execute(sa.select(table.c.id, table.c.pagetitle).where(table.c.id == id_)).all()
        page = sa.select(table.c.id, table.c.pagetitle).where(table.c.id >= id_).order_by(table.c.id).limit(20)
        connection.execute(page).all()


def _timing(name: str, n: int, mine: list[Spent], floor: list[Spent], *, budget: bool = False) -> Timing:
    high = percentile([one.wall for one in mine], 0.95)
    return Timing(
        name=name,
        n=n,
        p50=percentile([one.wall for one in mine], 0.5),
        p95=high,
        cpu=percentile([one.cpu for one in mine], 0.5),
        peer="seek by key and read 20 rows",
        peer_p50=percentile([one.wall for one in floor], 0.5),
        peer_cpu=percentile([one.cpu for one in floor], 0.5),
        budget=f"p95 < {BUDGET:g}" if budget else "",
        holds=high < BUDGET if budget else None,
    )
