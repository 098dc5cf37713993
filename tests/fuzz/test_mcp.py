"""Whatever a host writes to an MCP process, each request is answered once, in a valid form, and nothing else is said:
no hang, no traceback, no defect of ours.

`EVERLORE_FUZZ` is how many sessions are tried; `make fuzz` tries many, other ones every time.
"""

from __future__ import annotations

import itertools
import json
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import pytest
from embeddings import Endpoint
from gates import quick
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from talking import Talk, talking

from everlore.background import client
from everlore.surfaces.mcp import toolsets
from everlore.surfaces.mcp.answer import UNEXPECTED
from everlore.surfaces.mcp.protocol import INTERNAL_ERROR, STATELESS

EXAMPLES = int(os.environ.get("EVERLORE_FUZZ", "12"))
SECONDS = 60.0
EVERLORE = [sys.executable, "-m", "everlore", "mcp", "--toolset"]
LISTED: Mapping[str, Any] = toolsets.offer(toolsets.NAMES).lists["handshake"]
TOOLS: Sequence[Mapping[str, Any]] = LISTED["tools/list"]["tools"]
METHODS = (
    "tools/call", "tools/list", "resources/list", "resources/read", "resources/templates/list", "prompts/list",
    "prompts/get", "initialize", "ping", "logging/setLevel", "completion/complete", "server/discover",
    "notifications/cancelled", "",
)  # fmt: skip
META = {
    "io.modelcontextprotocol/protocolVersion": STATELESS,
    "io.modelcontextprotocol/clientInfo": {"name": "fuzz", "version": "1"},
    "io.modelcontextprotocol/clientCapabilities": {},
}

words = st.one_of(
    st.sampled_from(["", "alice", "where do I live", "../../x", "\x00", "🦊" * 9, "%", "'", "*"]), st.text(max_size=30)
)
numbers = st.one_of(st.integers(-3, 60), st.integers(), st.floats(allow_nan=False, allow_infinity=False))
scalars = st.one_of(st.none(), st.booleans(), numbers, words)
values = st.recursive(
    scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(words, inner, max_size=3), max_leaves=8
)
ids = st.one_of(st.integers(0, 9), st.text(max_size=3), st.just(-1), st.just(2**70))


def of(schema: Mapping[str, Any], name: str = "") -> st.SearchStrategy[Any]:
    """Mostly what the schema asks for, and sometimes anything."""
    return st.integers(0, 9).flatmap(lambda chance: values if chance == 0 else right(schema, name))


def right(schema: Mapping[str, Any], name: str) -> st.SearchStrategy[Any]:
    if name == "path":
        return st.sampled_from(["", "nowhere", "/nowhere/at/all", "\x00"])  # not a folder of this machine
    if "enum" in schema:
        return st.sampled_from(list(schema["enum"]))
    if "anyOf" in schema:
        return st.one_of([of(one, name) for one in schema["anyOf"]])
    match schema.get("type"):
        case "object":
            given_, needed = schema.get("properties", {}), schema.get("required", ())
            most = {key: of(one, key) for key, one in given_.items() if key not in needed}
            least = {key: of(given_[key], key) for key in needed if key in given_}
            return st.fixed_dictionaries(least, optional=most)
        case "array":
            return st.lists(of(schema.get("items", {})), max_size=3)
        case "integer" | "number":
            return st.integers(schema.get("minimum", 0), min(schema.get("maximum", 50), 10**6))
        case "boolean":
            return st.booleans()
        case "string":
            return words
        case _:
            return values


calls = st.sampled_from(TOOLS).flatmap(
    lambda tool: st.fixed_dictionaries({"name": st.just(tool["name"]), "arguments": of(tool["inputSchema"])})
)
resources = st.fixed_dictionaries(
    {
        "uri": st.sampled_from(
            ["mem://recent", "mem://profile", "mem://item/1", "mem://search?q=x", "mem://by-tags/", "x:"]
        )
        | words
    }
)
prompts = st.fixed_dictionaries(
    {
        "name": st.sampled_from(["memory_recall", "memory_save"]) | words,
        "arguments": st.dictionaries(words, values, max_size=3),
    }
)
stamped = st.booleans().map(lambda yes: {"_meta": META} if yes else {})
requests = st.one_of(
    st.tuples(st.just("tools/call"), calls),
    st.tuples(st.just("tools/call"), calls),
    st.tuples(st.just("resources/read"), resources),
    st.tuples(st.just("prompts/get"), prompts),
    st.tuples(st.sampled_from(METHODS) | words, st.dictionaries(words, values, max_size=3)),
)
messages = st.one_of(
    st.tuples(requests, ids, stamped).map(lambda made: _message(made[0], made[2], id=made[1])),
    st.tuples(requests, ids, stamped).map(lambda made: _message(made[0], made[2], id=made[1])),
    st.tuples(requests, stamped).map(lambda made: _message(made[0], made[1])),
    st.tuples(requests, values).map(lambda made: _message(made[0], {}, id=made[1])),
    st.tuples(ids, values).map(lambda made: {"jsonrpc": "2.0", "id": made[0], "result": made[1]}),
    ids.map(lambda id_: {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": id_}}),
    values,
    st.dictionaries(st.sampled_from(["jsonrpc", "id", "method", "params", "result", "error"]), values, max_size=5),
)
texts = st.one_of(messages, messages, st.lists(messages, max_size=3)).map(lambda value: json.dumps(value).encode())
lines = st.one_of(
    texts,
    texts,
    texts,
    st.tuples(texts, st.integers(0, 400), st.binary(max_size=3)).map(
        lambda cut: cut[0][: cut[1]] + cut[2] + cut[0][cut[1] + 1 :]
    ),
    st.tuples(texts, st.integers(0, 400)).map(lambda cut: cut[0][: cut[1]]),
    st.binary(max_size=20),
    st.sampled_from([b"", b" ", b"[]", b"{}", b"\xef\xbb\xbf{}", b'"\\ud83d"', b"[" * 300, b"1e999", b"9" * 5000]),
).map(lambda line: line.replace(b"\n", b" "))


def _message(request: tuple[str, Any], more: Mapping[str, Any], **id_: Any) -> dict[str, Any]:
    method, params = request
    return {"jsonrpc": "2.0", **id_, "method": method, "params": {**params, **more}}


class Owed:
    """What must be answered, as the protocol says, and what may be: requests that were cancelled."""

    def __init__(self) -> None:
        self.must: Counter[str] = Counter()
        self.may: Counter[str] = Counter()

    def hear(self, line: bytes) -> None:
        if not line.strip():
            return
        try:
            value = json.loads(line.decode("utf-8"), parse_constant=lambda name: int(name))
        except (ValueError, RecursionError):
            self.must["?"] += 1  # an error; with the id, where one can be told
            return
        for one in value if isinstance(value, list) and value else [value]:
            self._one(one)

    def _one(self, value: Any) -> None:
        whole = isinstance(value, dict) and value.get("jsonrpc") == "2.0"
        id_ = value.get("id", 0) if isinstance(value, dict) else None
        named = isinstance(id_, int | str) and not isinstance(id_, bool)
        method = isinstance(value, dict) and isinstance(value.get("method"), str)
        params = isinstance(value, dict) and isinstance(value.get("params", {}), dict)
        if whole and named and method and params and "id" not in value:
            if value["method"] == "notifications/cancelled":
                cancelled = _shown(value.get("params", {}).get("requestId"))
                self.may[cancelled] += self.must.pop(cancelled, 0)
            return
        if whole and named and "method" not in value and "id" in value and ("result" in value or "error" in value):
            return
        known = named and isinstance(value, dict) and "id" in value
        self.must[_shown(id_) if known else "?"] += 1

    def settle(self, answer: Mapping[str, Any]) -> None:
        assert answer["jsonrpc"] == "2.0"
        assert ("result" in answer) != ("error" in answer), answer
        if "error" in answer:
            assert answer["error"]["code"] != INTERNAL_ERROR, answer
            assert answer["error"]["message"]
        assert UNEXPECTED not in json.dumps(answer), answer
        for ids_ in (_shown(answer["id"]), "?"):
            for owed in (self.must, self.may):
                if owed[ids_]:
                    owed[ids_] -= 1
                    return
        raise AssertionError(f"nobody asked for {answer}, but for {+self.must}")


def _shown(id_: Any) -> str:
    return json.dumps(id_)


numbered = itertools.count()


def converse(talk: Talk, said: Sequence[bytes]) -> None:
    owed = Owed()
    for line in said:
        talk.say(line)
        owed.hear(line)
    last = f"last{next(numbered)}"
    talk.say({"jsonrpc": "2.0", "id": last, "method": "ping"})
    owed.must[_shown(last)] += 1
    deadline = time.monotonic() + SECONDS
    while +owed.must:
        assert time.monotonic() < deadline, f"never answered: {+owed.must}; the log:\n{talk.log()}"
        heard = talk.hear()
        for answer in heard if isinstance(heard, list) else [heard]:
            owed.settle(answer)


@pytest.fixture(scope="module")
def root(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    made = tmp_path_factory.mktemp("fuzz") / "vault"
    yield made
    for place, server in client.running(made):
        client.stop(place, server)


def tried(examples: int) -> settings:
    return settings(
        max_examples=examples,
        deadline=None,
        database=None,
        derandomize="EVERLORE_FUZZ" not in os.environ,
        phases=[Phase.explicit, Phase.generate, Phase.shrink],
        suppress_health_check=list(HealthCheck),
    )


@pytest.mark.parametrize("start", ["true", "false"], ids=["carried to a server", "by itself"])
def test_every_line_of_a_session_is_answered_as_the_protocol_says(root: Path, vectors: Endpoint, start: str) -> None:
    env = {**quick(vectors), "EVEROS_BACKGROUND__START": start}
    with talking(root, command=[*EVERLORE, ",".join(toolsets.NAMES)], env=env) as process:
        process.shake()

        @tried(3 * EXAMPLES)
        @given(st.lists(lines, min_size=1, max_size=8))
        def once(said: list[bytes]) -> None:
            converse(process, said)

        once()
        assert process.end() == 0
        _clean(process)


def test_a_session_may_begin_with_anything(root: Path, vectors: Endpoint) -> None:
    @tried(EXAMPLES // 2)
    @given(st.sampled_from(toolsets.NAMES), st.lists(lines, min_size=1, max_size=8))
    def once(name: str, said: list[bytes]) -> None:
        with talking(root, command=[*EVERLORE, name], env=quick(vectors)) as process:
            converse(process, said)
            assert process.end() == 0
            _clean(process)

    once()


def _clean(process: Talk) -> None:
    log = process.log()
    assert "Traceback" not in log
    assert "unexpected" not in log
