"""Vectors: made once, kept through rebuilds and shared by processes; made anew for another model; done without."""

from __future__ import annotations

import time
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path

import pytest
from embeddings import Endpoint, endpoint
from vaults import ALICE, MAY_28, SCOPE, open_vault, says, within

from everlore.engine import Engine
from everlore.errors import Unavailable
from everlore.memory import flush, remember
from everlore.search import METHODS, Query, recall
from everlore.search.recipes import KEYWORD, Method
from everlore.stores.base import PieceText
from everlore.surfaces.http.health import examine
from everlore.sync import upkeep, worker
from everlore.sync.doctor import doctor
from everlore.sync.upkeep import rebuild, reembed
from everlore.sync.worker import Worker

TOLD = ("I climb in Yosemite every spring.", "My favorite coffee shop is Blue Bottle.", "I play the violin in Rome.")


@pytest.fixture
def first() -> Iterator[Endpoint]:
    with endpoint(64) as served:
        yield served


@pytest.fixture
def second() -> Iterator[Endpoint]:
    with endpoint(32) as served:
        yield served


def tell(engine: Engine, *texts: str) -> None:
    for number, text in enumerate(texts):
        remember(engine, SCOPE, f"s{number}", [says(text, at=MAY_28 + number)])
        flush(engine, SCOPE, f"s{number}")


def subjects(engine: Engine, text: str, method: Method) -> list[str]:
    return [
        hit.stored.data["episode"] for hit in recall(engine, Query(ALICE, text, 3), METHODS[method]).hits["episode"]
    ]


def nothing(*_: object) -> None:
    pass


def test_another_model_embeds_anew_in_the_background_while_words_go_on(
    tmp_path: Path, first: Endpoint, second: Endpoint
) -> None:
    engine = open_vault(tmp_path, first.url, model="one")
    tell(engine, *TOLD)
    assert "Yosemite" in subjects(engine, "climb Yosemite", "vector")[0]
    assert engine.index.upkeep.status().unembedded == 0
    engine.close()
    asked = first.requests

    second.delay = 0.2
    engine = open_vault(tmp_path, second.url, model="two", dimension=32)
    assert any(
        finding.level == "warning" and "reembed" in finding.hint for finding in doctor(engine.settings, lambda *_: None)
    )
    working = Worker(engine)
    working.start()
    assert "Yosemite" in subjects(engine, "climb Yosemite", "keyword")[0]
    assert "Yosemite" in subjects(engine, "climb Yosemite", "hybrid")[0]
    within(
        10,
        lambda: (
            (engine.index.upkeep.model() or ("",))[0].startswith("two") and not engine.index.upkeep.status().unembedded
        ),
    )
    assert "Yosemite" in subjects(engine, "climb Yosemite", "vector")[0]
    assert engine.index.upkeep.model() == (engine.embedder.name, 32)
    working.stop()
    engine.close()
    assert first.requests == asked


def test_reembed_by_hand(tmp_path: Path, first: Endpoint, second: Endpoint) -> None:
    engine = open_vault(tmp_path, first.url, model="one")
    tell(engine, *TOLD)
    engine.close()
    engine = open_vault(tmp_path, second.url, model="two", dimension=32)
    units = engine.index.upkeep.status().units
    steps: list[tuple[str, int, int]] = []
    assert 0 < reembed(engine, lambda *step: steps.append(step)) <= units
    assert steps[-1][1] == steps[-1][2]
    assert reembed(engine, nothing) == 0
    assert "Rome" in subjects(engine, "violin Rome", "vector")[0]
    engine.close()


def test_nothing_is_embedded_twice(tmp_path: Path, first: Endpoint) -> None:
    engine = open_vault(tmp_path, first.url)
    tell(engine, *TOLD)
    assert engine.index.upkeep.status().unembedded == 0
    assert set(first.texts.values()) == {1}
    made = dict(first.texts)
    rebuild(engine, nothing)
    assert engine.index.upkeep.status().unembedded == 0
    engine.close()
    (tmp_path / ".everlore" / "index.db").unlink()
    again = open_vault(tmp_path, first.url)
    rebuild(again, nothing)
    assert "Yosemite" in subjects(again, "Yosemite", "keyword")[0]
    assert again.index.upkeep.status().unembedded == 0
    assert first.texts == made, "neither the rebuild nor another process asked again"
    again.close()


def test_a_rebuilt_index_has_the_vectors_that_are_known_from_the_first_moment(
    tmp_path: Path, first: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    engine = open_vault(tmp_path, first.url)
    tell(engine, *TOLD)
    left: list[int] = []
    monkeypatch.setattr(upkeep, "embed_all", lambda *_: left.append(engine.index.upkeep.status().unembedded))
    rebuild(engine, nothing)
    assert left == [0]
    assert "Rome" in subjects(engine, "violin Rome", "vector")[0]
    engine.close()


def test_an_endpoint_that_is_down_costs_vectors_and_nothing_else(tmp_path: Path, first: Endpoint) -> None:
    first.broken = True
    engine = open_vault(tmp_path, first.url)
    tell(engine, TOLD[0])
    assert "Yosemite" in subjects(engine, "Yosemite", "keyword")[0]
    assert engine.buffer.count() == 0, "what is written is acknowledged, with or without vectors"
    asked = first.requests
    remember(engine, SCOPE, "next", [says(TOLD[1], at=MAY_28 + 5)])
    assert flush(engine, SCOPE, "next")
    assert first.requests <= asked + 1, "an endpoint that failed a moment ago is not asked for every piece again"
    assert engine.index.upkeep.status().unembedded >= 2
    first.broken = False
    working = Worker(engine)
    working.start()
    within(20, lambda: not engine.index.upkeep.status().unembedded)
    assert "Yosemite" in subjects(engine, "climb Yosemite", "vector")[0]
    working.stop()
    engine.close()


def test_words_are_searched_without_asking_the_endpoint(tmp_path: Path, first: Endpoint) -> None:
    engine = open_vault(tmp_path, first.url)
    tell(engine, TOLD[0])
    engine.close()
    engine = open_vault(tmp_path, first.url)
    asked = first.requests
    found = recall(engine, Query(ALICE, "Yosemite", explain=True), KEYWORD)
    assert len(found.hits["episode"]) == 1
    assert first.requests == asked
    engine.close()


def test_what_waits_for_its_vector_is_told(tmp_path: Path, first: Endpoint) -> None:
    first.broken = True
    engine = open_vault(tmp_path, first.url)
    tell(engine, TOLD[0])
    health = examine(engine)
    assert health.status == "degraded"
    assert "pieces that wait for the embedding model" in health.problems[0]
    assert "503" in health.problems[0]
    first.broken = False
    within(20, lambda: engine.embedder.state() == "ready")
    tell(engine, *(f"{text} Once more." for text in TOLD))
    assert examine(engine).problems == []
    engine.close()


def test_a_search_among_pieces_without_a_vector_says_so(tmp_path: Path, first: Endpoint, second: Endpoint) -> None:
    engine = open_vault(tmp_path, first.url, model="one")
    tell(engine, *(f"{text} Day {number}." for number in range(8) for text in TOLD))
    engine.close()
    engine = open_vault(tmp_path, second.url, model="two", dimension=32)
    note = recall(engine, Query(ALICE, "climb Yosemite", explain=True)).trace["note"]
    assert "pieces of this owner have no vector of the model yet" in note
    reembed(engine, nothing)
    assert recall(engine, Query(ALICE, "climb Yosemite", explain=True)).trace["note"] is None
    engine.close()


def test_a_model_that_does_not_answer_is_asked_ever_more_rarely(
    tmp_path: Path, first: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[float] = []

    def unanswered(*_: object) -> int:
        asked.append(time.monotonic())
        raise Unavailable("no answer")

    monkeypatch.setattr(worker, "embed_pending", unanswered)
    monkeypatch.setattr(worker, "EMBED_AGAIN_SECONDS", 0.1)
    engine = open_vault(tmp_path, first.url)
    monkeypatch.setattr(type(engine.index.upkeep), "unembedded", lambda *_: [PieceText(1, "waits")])
    working = Worker(engine)
    working.start()
    within(10, lambda: len(asked) > 3)
    working.stop()
    engine.close()
    pauses = [later - earlier for earlier, later in pairwise(asked)]
    assert pauses[1] >= 0.2
    assert pauses[2] >= 0.4
