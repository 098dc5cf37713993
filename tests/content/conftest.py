"""The same site in each database, and a server for it."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from sites import SECRET, Evo, Missing, Stand, serving
from sites import stand as make_stand


@pytest.fixture(scope="session", params=["sqlite", "mariadb", "postgres"])
def stand(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stand]:
    made = make_stand(request.param, tmp_path_factory.mktemp("site"))
    try:
        opened = made.__enter__()
    except Missing as error:
        pytest.skip(str(error))
    yield opened
    made.__exit__(None, None, None)


@pytest.fixture(scope="session")
def evo(stand: Stand, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Evo]:
    root = tmp_path_factory.mktemp("vault") / "root"
    with serving(root, stand.url, jwt_secret=SECRET, rate_limit_per_minute="0") as server:
        yield Evo(server, stand)
