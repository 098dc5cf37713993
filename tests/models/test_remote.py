from __future__ import annotations

import json
import logging
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import numpy as np
import pytest

from everlore.errors import Misconfigured, Unavailable
from everlore.models import remote
from everlore.models.remote import RemoteEmbedder
from everlore.models.transport import Endpoint

KEY = "sk-very-secret-0123456789"


def embedder_at(url: str, model: str = "m", dimension: int = 0, **options: Any) -> RemoteEmbedder:
    endpoint = Endpoint(url, "embeddings", what="embedding", section="EVEROS_EMBEDDING", **options)
    return RemoteEmbedder(endpoint, model, dimension)


@dataclass
class Seen:
    path: str
    authorization: str | None
    body: dict[str, Any]


@dataclass
class Answer:
    status: int = 200
    body: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    cut: bool = False
    hangs: bool = False
    """Nothing is answered before the server ends."""


def good(seen: Seen) -> Answer:
    """Vectors that tell which text they belong to: (length of the text, 1, 0)."""
    data = [{"index": at, "embedding": [len(text), 1, 0]} for at, text in enumerate(seen.body["input"])]
    return Answer(body={"data": data})


class Server:
    """A real HTTP server on a real socket. `script` decides each answer; the last one repeats."""

    def __init__(self, *script: Answer | Callable[[Seen], Answer]) -> None:
        self.seen: list[Seen] = []
        self.asked, self.ending = threading.Event(), threading.Event()
        server = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = json.loads(self.rfile.read(int(self.headers["content-length"])))
                server.seen.append(Seen(self.path, self.headers.get("authorization"), body))
                step = script[min(len(server.seen), len(script)) - 1]
                answer = step if isinstance(step, Answer) else step(server.seen[-1])
                server.asked.set()
                if answer.hangs:
                    server.ending.wait()
                    return
                data = answer.body if isinstance(answer.body, bytes) else json.dumps(answer.body).encode()
                try:
                    self.send_response(answer.status)
                    for name, value in answer.headers.items():
                        self.send_header(name, value)
                    self.send_header("content-length", str(len(data) + (1000 if answer.cut else 0)))
                    self.end_headers()
                    self.wfile.write(data)
                except OSError:
                    return

            def log_message(self, format: str, *args: Any) -> None:  # noqa: A002
                return

        self.http = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.http.server_port}"


@contextmanager
def serving(
    *script: Answer | Callable[[Seen], Answer], path: str = "/v1", **options: Any
) -> Iterator[tuple[RemoteEmbedder, Server]]:
    server = Server(*script)
    thread = threading.Thread(target=server.http.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    given: dict[str, Any] = {"model": "m", "timeout_seconds": 5, "first_wait_seconds": 0.01, **options}
    embedder = embedder_at(server.url + path, **given)
    try:
        yield embedder, server
    finally:
        embedder.close()
        server.ending.set()
        server.http.shutdown()
        server.http.server_close()
        thread.join()


def test_vectors_are_normalised_and_in_order_over_batches() -> None:
    with serving(good) as (embedder, server):
        texts = ["x" * (number % 90) for number in range(150)]
        vectors = embedder.encode(texts)
    assert [len(seen.body["input"]) for seen in server.seen] == [64, 64, 22]
    assert vectors.dtype == np.float32
    assert np.allclose(np.linalg.norm(vectors, axis=1), 1)
    assert np.allclose(vectors[:, 0] / vectors[:, 1], [len(text) or 1 for text in texts], rtol=1e-5)


@pytest.mark.parametrize("status", [400, 413, 422])
def test_a_text_that_is_too_long_for_the_model_costs_the_others_nothing(status: int) -> None:
    def short_ones_only(seen: Seen) -> Answer:
        too_long = any(len(text) > 500 for text in seen.body["input"])
        return Answer(status, {"error": "too long"}) if too_long else good(seen)

    texts = ["x" * 10, "x" * 1999, "x" * 30, "x" * 501]
    with serving(short_ones_only) as (embedder, _):
        vectors = embedder.encode(texts)
    assert np.allclose(vectors[:, 0] / vectors[:, 1], [10, 499, 30, 250], rtol=1e-5)


def test_a_refusal_that_is_not_about_the_texts_ends_soon() -> None:
    with serving(Answer(400, {"error": "no such model"})) as (embedder, server), pytest.raises(Unavailable):
        embedder.encode(["x" * 1000] * 64)
    assert len(server.seen) < 15
    with serving(Answer(401)) as (embedder, server), pytest.raises(Unavailable):
        embedder.encode(["x" * 1000] * 64)
    assert len(server.seen) == 1


def test_rows_are_put_in_order_by_their_index() -> None:
    data = [{"index": 1, "embedding": [0, 1]}, {"index": 0, "embedding": [1, 0]}]
    with serving(Answer(body={"data": data})) as (embedder, _):
        assert embedder.encode(["first", "second"]).tolist() == [[1, 0], [0, 1]]


@pytest.mark.parametrize("path", ["", "/", "/v1", "/v1/", "/v1/embeddings"])
def test_the_base_may_or_may_not_end_in_v1(path: str) -> None:
    with serving(good, path=path) as (embedder, server):
        embedder.encode(["x"])
    assert server.seen[0].path == "/v1/embeddings"


@pytest.mark.parametrize("url", ["localhost:8080", "ftp://h/v1", "http://", "http://h:99999/v1", "http://[::1"])
def test_a_base_that_is_no_address_is_misconfigured(url: str) -> None:
    with pytest.raises(Misconfigured, match="EVEROS_EMBEDDING__BASE_URL"):
        embedder_at(url)


def test_the_key_is_sent_only_when_there_is_one() -> None:
    with serving(good) as (embedder, server):
        embedder.encode(["x"])
    with serving(good, api_key=f" {KEY}\n") as (keyed, keyed_server):
        keyed.encode(["x"])
    assert server.seen[0].authorization is None
    assert keyed_server.seen[0].authorization == f"Bearer {KEY}"


def test_the_dimension_is_asked_once() -> None:
    with serving(good) as (embedder, server):
        assert embedder.dimension == 3
        assert embedder.dimension == 3
        assert embedder.encode([]).shape == (0, 3)
    assert len(server.seen) == 1
    with serving(good, dimension=3) as (embedder, server):
        assert embedder.dimension == 3
    assert not server.seen


def test_an_empty_or_odd_text_is_sent_in_a_form_endpoints_take() -> None:
    with serving(good) as (embedder, server):
        embedder.encode(["", "\ud800", "x" * 100_000])
    empty, odd, long = server.seen[0].body["input"]
    assert (empty, odd, len(long)) == (" ", "?", 8000)


@pytest.mark.parametrize("status", [429, 500, 503])
def test_what_can_pass_is_tried_again(status: int) -> None:
    with serving(Answer(status=status), Answer(status=status), good) as (embedder, server):
        assert embedder.encode(["x"]).shape == (1, 3)
    assert len(server.seen) == 3


def test_a_lasting_failure_ends_after_a_few_attempts() -> None:
    overloaded = Answer(status=503, body="overloaded")
    with serving(overloaded) as (embedder, server), pytest.raises(Unavailable, match=r"503.*overloaded.*try again"):
        embedder.encode(["x"])
    assert len(server.seen) == 4


@pytest.mark.parametrize("status", [400, 401, 403, 404, 302])
def test_what_cannot_pass_is_not_tried_again(status: int) -> None:
    with serving(Answer(status=status)) as (embedder, server), pytest.raises(Unavailable, match=str(status)):
        embedder.encode(["x"])
    assert len(server.seen) == 1


def test_retry_after_is_honoured() -> None:
    with serving(Answer(status=429, headers={"Retry-After": "1"}), good) as (embedder, _):
        started = time.monotonic()
        embedder.encode(["x"])
    assert time.monotonic() - started >= 1


def test_a_retry_after_beyond_all_patience_gives_up_at_once() -> None:
    late = Answer(status=429, headers={"Retry-After": "3600"})
    with serving(late) as (embedder, server), pytest.raises(Unavailable, match="429"):
        embedder.encode(["x"])
    assert len(server.seen) == 1


def test_a_slow_endpoint_times_out_and_is_tried_again() -> None:
    with serving(Answer(hangs=True), good, timeout_seconds=3.0) as (embedder, server):
        assert embedder.encode(["x"]).shape == (1, 3)
        assert len(server.seen) > 1


def test_an_endpoint_that_never_answers_is_unavailable() -> None:
    with serving(Answer(hangs=True), timeout_seconds=0.2) as (embedder, server):
        with pytest.raises(Unavailable, match=r"within 0\.2 s"):
            embedder.encode(["x"])
        assert not server.ending.is_set()


def test_an_endpoint_that_is_not_there_is_unavailable() -> None:
    with serving(good) as (_, server):
        url = server.url
    with pytest.raises(Unavailable, match="cannot be reached"):
        embedder_at(url, first_wait_seconds=0.01).encode(["x"])


def test_an_answer_cut_off_in_the_middle_is_tried_again() -> None:
    with serving(Answer(body={"data": []}, cut=True, headers={"Connection": "close"}), good) as (embedder, server):
        assert embedder.encode(["x"]).shape == (1, 3)
    assert len(server.seen) == 2


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        (b"<html>hello</html>", "not JSON"),
        ([1, 2], "no list `data`"),
        ({"data": "x"}, "no list `data`"),
        ({"data": [3]}, "no list `data`"),
        ({"data": []}, "0 vectors came back for 1 texts"),
        ({"data": [{"embedding": [1.0]}] * 2}, "2 vectors came back for 1 texts"),
        ({"data": [{"embedding": None}]}, "not a list of numbers|not finite"),
        ({"data": [{"embedding": []}]}, "not a list of numbers"),
        ({"data": [{"embedding": "AAAA"}]}, "not a list of numbers"),
        ({"data": [{"embedding": {"a": 1}}]}, "not a list of numbers"),
        ({"data": [{"embedding": [1.0, None]}]}, "not a list of numbers|not finite"),
        (b'{"data": [{"embedding": [NaN, 1.0]}]}', "not finite"),
        (b'{"data": [{"embedding": [1e999, 1.0]}]}', "not finite"),
        (b'{"data": [{"embedding": [1e300, 1.0]}]}', "not finite"),
    ],
)
def test_an_unusable_answer_is_unavailable(body: Any, reason: str) -> None:
    with serving(Answer(body=body)) as (embedder, _), pytest.raises(Unavailable, match=reason):
        embedder.encode(["x"])


def test_another_dimension_than_expected_is_unavailable() -> None:
    with serving(good, dimension=4) as (embedder, _), pytest.raises(Unavailable, match="3 dimensions and 4"):
        embedder.encode(["x"])


def test_a_zero_vector_stays_zero() -> None:
    with serving(Answer(body={"data": [{"embedding": [0, 0]}]})) as (embedder, _):
        assert embedder.encode(["x"]).tolist() == [[0, 0]]


@pytest.mark.parametrize("status", [400, 401, 500])
def test_the_key_is_in_no_error_and_no_log(status: int, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    answer = Answer(status=status, body={"error": f"bad key {KEY}"})
    with serving(answer, api_key=KEY) as (embedder, _), pytest.raises(Unavailable) as caught:
        embedder.encode(["x"])
    told = f"{caught.value!r} {caught.value.__cause__!r} {embedder!r} {embedder.name}"
    assert KEY not in told
    assert KEY not in caplog.text


def test_a_key_that_no_header_can_carry_is_misconfigured_without_showing_it() -> None:
    with pytest.raises(Misconfigured) as caught:
        embedder_at("http://h", api_key="sk-bad\nkey")
    assert "sk-bad" not in str(caught.value)


def test_a_password_in_the_address_is_not_shown() -> None:
    embedder = embedder_at("http://me:secret@127.0.0.1:9/v1?token=secret", first_wait_seconds=0.001)
    assert embedder.name == "m@127.0.0.1:9/v1/embeddings"
    with pytest.raises(Unavailable) as caught:
        embedder.encode(["x"])
    assert "secret" not in str(caught.value)


def test_closing_ends_a_wait_and_later_calls() -> None:
    """The wait before the second try would be longer than the test may take."""
    with serving(Answer(status=503), first_wait_seconds=3600, timeout_seconds=9999) as (embedder, server):

        def close() -> None:
            server.asked.wait()
            embedder.close()

        closing = threading.Thread(target=close)
        closing.start()
        with pytest.raises(Unavailable):
            embedder.encode(["x"])
        closing.join()
        assert not embedder.ready()
        with pytest.raises(Unavailable, match="closed"):
            embedder.encode(["x"])


def test_an_endpoint_that_failed_is_left_alone_for_a_while() -> None:
    with serving(Answer(status=500), first_wait_seconds=100) as (embedder, server):
        for _ in range(2):
            with pytest.raises(Unavailable, match="try again later"):
                embedder.encode(["x"])
        assert len(server.seen) == 1


# -- somebody waits


def test_who_waits_does_not_wait_as_long_as_a_batch_may_take(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "IMPATIENT_SECONDS", 0.3)
    with serving(Answer(hangs=True), timeout_seconds=9999, first_wait_seconds=100) as (embedder, server):
        for ask in (lambda: embedder.query("x"), lambda: embedder.dimension):
            with pytest.raises(Unavailable, match="did not answer within"):
                ask()
        assert embedder.state() == "error", "it is left alone for a while"
        assert "did not answer" in embedder.trouble
        assert len(server.seen) == 1


def test_an_endpoint_that_needs_its_time_for_many_texts_is_not_blamed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(remote, "IMPATIENT_SECONDS", 0.2)
    with serving(Answer(hangs=True), good, timeout_seconds=30) as (embedder, _):
        with pytest.raises(Unavailable):
            embedder.encode(["a", "b"], patient=False)
        assert embedder.state() == "ready"
        assert embedder.encode(["a", "b"]).shape == (2, 3), "a patient one gets its answer"
        assert embedder.trouble == ""


def test_a_key_that_comes_back_in_part_is_not_shown() -> None:
    shown = f"unknown key {KEY[:9]}...{KEY[-4:]}, or {KEY[:8]}********{KEY[-2:]}; or {KEY}"
    with serving(Answer(400, {"error": shown}), api_key=KEY) as (embedder, _), pytest.raises(Unavailable) as told:
        embedder.encode(["x"])
    assert "unknown key ***, or ***; or ***" in str(told.value)
    assert KEY[:7] not in str(told.value)
    assert KEY[-4:] not in str(told.value)
