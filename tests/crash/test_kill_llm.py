"""The server and the language model, killed at every moment of an extraction: no message is lost or doubled."""

from __future__ import annotations

import threading
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import httpx
from embeddings import Endpoint
from llm import Asked, Llm, Said, scripted, sensible
from serving import Server, running
from vaults import ALICE, MAY_28, contents, facts, open_vault, within

from everlore.memory import recover, unprocessed
from everlore.types import Scope

Moment = Callable[[Asked, Server], Said]


def kill(server: Server, after: float = 0.0) -> None:
    if after:
        threading.Timer(after, server.process.kill).start()
    else:
        server.process.kill()


def killed_when_asked(asked: Asked, server: Server) -> Said:
    kill(server)
    return sensible(asked)


def killed_in_the_answer(asked: Asked, server: Server) -> Said:
    kill(server, 0.001)
    said = sensible(asked)
    said.cut = True
    return said


def killed_later(seconds: float) -> Moment:
    def moment(asked: Asked, server: Server) -> Said:
        kill(server, seconds)
        return sensible(asked)

    return moment


def model_dies_then_server(asked: Asked, server: Server) -> Said:
    kill(server, 0.3)
    return Said(reset=True)


MOMENTS: tuple[Moment, ...] = (
    killed_when_asked,
    killed_in_the_answer,
    killed_later(0.002),
    killed_later(0.01),
    killed_later(0.03),
    killed_later(0.1),
    model_dies_then_server,
)


def test_nothing_is_lost_or_doubled(tmp_path: Path, vectors: Endpoint) -> None:
    root = tmp_path / "vault"
    accepted: list[str] = []
    with scripted() as llm:
        env = {
            "EVEROS_EMBEDDING__BASE_URL": vectors.url,
            "EVEROS_EMBEDDING__MODEL": "test",
            "EVEROS_EMBEDDING__DIMENSION": str(vectors.dimension),
            "EVEROS_BOUNDARY_DETECTION__TOPIC_SHIFT": "false",
            **llm.env(retry_seconds=0.05),
        }
        for number, moment in enumerate(MOMENTS):
            with running(root, env) as server:
                accepted += _one_round(server, llm, moment, number)
        llm.otherwise = sensible
        given = {"base_url": llm.url, "model": "scripted", "timeout_seconds": 5}
        engine = open_vault(root, vectors.url, llm=given)
        try:
            recover(engine)
            told = Counter(
                word for text in contents(engine, ALICE).values() for word in accepted if f" {word} " in text
            )
            waiting = [message.text for session in "ab" for message in unprocessed(engine, Scope(), session)]
            told.update(word for word in accepted if any(f" {word} " in text for text in waiting))
            by_fact = Counter(
                word for fact in facts(engine, ALICE) for word in accepted if f" {word} " in str(fact["content"])
            )
        finally:
            engine.close()
    assert len(accepted) >= len(MOMENTS)
    assert told == dict.fromkeys(accepted, 1)
    assert set(by_fact.values()) <= {1}


def _one_round(server: Server, llm: Llm, moment: Moment, number: int) -> list[str]:
    """Add, then flush until the server is gone. Returns the words that it said it has."""
    accepted: list[str] = []
    llm.otherwise = sensible
    try:
        for session in "ab":
            words = [f"r{number}{session}{count}" for count in range(2)]
            messages = [
                {
                    "sender_id": "alice",
                    "role": "user",
                    "timestamp": MAY_28 + number * 1000 + count,
                    "content": f"I named the boat {word} in Rome.",
                }
                for count, word in enumerate(words)
            ]
            answer = server.client.post("/api/v1/memory/add", json={"session_id": session, "messages": messages})
            assert answer.status_code == 200
            accepted += words
        llm.otherwise = lambda asked: moment(asked, server)
        for session in "ab":
            server.client.post("/api/v1/memory/flush", json={"session_id": session})
    except httpx.TransportError:
        pass  # as it should be
    within(5, lambda: server.process.poll() is not None)
    return accepted
