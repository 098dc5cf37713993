"""The same site in each database, and a server for it."""

from __future__ import annotations

from contextlib import AbstractContextManager
from pathlib import Path

import pytest
from keeping import Kept
from markdown_site import FILES, write
from serving import Server
from sites import SECRET, Evo, Missing, Stand, serving
from sites import stand as make_stand


@pytest.fixture(scope="session", params=["sqlite", "mariadb", "postgres"])
def stand(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory, lasting: Kept) -> Stand:
    try:
        return lasting.get(("stand", request.param), lambda: make_stand(request.param, tmp_path_factory.mktemp("site")))
    except Missing as error:
        pytest.skip(str(error))


@pytest.fixture(scope="session")
def evo(stand: Stand, tmp_path_factory: pytest.TempPathFactory, lasting: Kept) -> Evo:
    def start() -> AbstractContextManager[Server]:
        root = tmp_path_factory.mktemp("vault") / "root"
        return serving(root, stand.url, jwt_secret=SECRET, rate_limit_per_minute="0")

    return Evo(lasting.get(("evo", stand.kind), start), stand)


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    top = tmp_path / "docs"
    for name, text in FILES.items():
        write(top, name, text)
    return top


@pytest.fixture
def database(tmp_path: Path) -> Path:
    return tmp_path / "vault" / ".everlore" / "content.db"
