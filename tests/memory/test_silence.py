"""What was said in a session that nobody goes on with becomes memories by itself."""

from __future__ import annotations

from dataclasses import replace

import pytest
from serving import Api, running
from vaults import ALICE, MAY_28, SCOPE, says

from everlore.engine import Engine
from everlore.memory import listing, remember
from everlore.memory.silence import come_back, flush_silent


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The seconds that this module sees, which only a test moves."""
    moment = [1000.0]
    monkeypatch.setattr("everlore.memory.silence.monotonic", lambda: moment[0])
    return moment


def test_a_session_is_extracted_once_it_has_been_silent(engine: Engine, now: list[float]) -> None:
    remember(engine, SCOPE, "s", [says("I live in Graz.", at=MAY_28)])
    assert flush_silent(engine) == 0
    now[0] += 29 * 60
    remember(engine, SCOPE, "s", [says("My dog is called Rex.", at=MAY_28 + 1000)])
    assert flush_silent(engine) == 0
    now[0] += 29 * 60
    assert flush_silent(engine) == 0, "somebody spoke meanwhile"
    assert listing(engine, ALICE, "episode").total == 0
    now[0] += 60
    assert flush_silent(engine) == 1
    assert listing(engine, ALICE, "episode").total == 1
    assert engine.buffer.count() == 0
    assert come_back(engine) == 0


def test_it_can_be_turned_off(engine: Engine, now: list[float]) -> None:
    settings = engine.settings
    limits = settings.boundary_detection.model_copy(update={"silence_minutes": 0.0})
    never = settings.model_copy(update={"boundary_detection": limits})
    remember(engine, SCOPE, "s", [says("I live in Graz.", at=MAY_28)])
    for _ in range(2):
        assert flush_silent(replace(engine, settings=never)) == 0
        now[0] += 10**6
    assert engine.buffer.count() == 1


def test_a_server_does_it_by_itself(tmp_path_factory: pytest.TempPathFactory) -> None:
    env = {"EVEROS_BOUNDARY_DETECTION__SILENCE_MINUTES": "0.01", "EVEROS_LLM__RETRY_SECONDS": "0.2"}
    with running(tmp_path_factory.mktemp("silence") / "root", env) as server:
        api = Api(server.client, server.root)
        said = {"sender_id": "alice", "role": "user", "timestamp": MAY_28, "content": "I live in Graz."}
        api.ok("add", session_id="s", messages=[said])
        found = api.until("get", lambda data: data["count"] == 1, user_id="alice", memory_type="episode")
        assert "Graz" in str(found)
