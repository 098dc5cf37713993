"""A vault with the real offline model in which Ann said things that changed, and things that did not."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from vaults import MAY_28, says

from everlore.config import load
from everlore.engine import Engine, open_engine
from everlore.memory import NewMessage, flush, remember
from everlore.sync.embedding import embed_pending
from everlore.types import Scope

MINUTE = 60_000
DAY = 86_400_000
TALKS = {
    "home": (0, ["I live in Rome."]),
    "single": (5, ["I am single. The rent is cheap here."]),
    "garden": (
        10,
        [
            "Good evening, here is the news from the balcony.",
            "The tomatoes ripen slowly. My sister Maria waters them on Sundays. The compost smells.",
            "bot: Compost smells less with dry leaves in it.",
        ],
    ),
    "night": (20, ["The moon over the harbour rose late.", "The moon over the harbour hides behind a cloud."]),
    "moved": (60, ["I moved to Lisbon."]),
    "wedding": (90, ["I got married."]),
}
"""By session: the day, and what was said, a minute apart."""


def _message(line: str, at: int) -> NewMessage:
    if line.startswith("bot: "):
        return says(line.removeprefix("bot: "), "bot", at, role="assistant")
    return says(line, "ann", at, sender_name="Ann")


@pytest.fixture(scope="session")
def told(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Engine]:
    opened = open_engine(load(memory={"root": tmp_path_factory.mktemp("told")}))
    for session, (day, lines) in TALKS.items():
        begin = MAY_28 + day * DAY
        talk = [_message(line, begin + number * MINUTE) for number, line in enumerate(lines)]
        remember(opened, Scope(), session, talk)
        flush(opened, Scope(), session)
    while embed_pending(opened, 100):
        pass
    yield opened
    opened.close()
