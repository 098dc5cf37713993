"""Lines in, lines out, and what is still open, without a process; and the engine, opened once and closed for good."""

from __future__ import annotations

import json
import queue
import threading
from pathlib import Path
from typing import Any, cast

import anyio
import mcp_types as types
import pytest
import tiny
from mcp.shared.message import SessionMessage

from everlore.config import load
from everlore.errors import EverloreError, Unavailable
from everlore.surfaces.mcp.stdio import Pipe
from everlore.surfaces.mcp.stdio_frames import Desk, Opener


class Lines:
    """A pipe whose other end is here."""

    def __init__(self, *lines: Any) -> None:
        self.lines: queue.SimpleQueue[bytes | None] = queue.SimpleQueue()
        for line in (*lines, None):
            self.lines.put(line if line is None or isinstance(line, bytes) else json.dumps(line).encode())
        self.broken = threading.Event()
        self.written: list[Any] = []

    def write(self, line: bytes) -> None:
        self.written.append(json.loads(line))


def served(*lines: Any, answered: Any = None) -> tuple[list[str], list[Any]]:
    """The methods that the SDK was handed, each of them answered, and what was written."""
    pipe, methods = Lines(*lines[1:]), list[str]()

    async def talk() -> None:
        desk = Desk(cast("Pipe", pipe), tiny.toolset(), answered)
        send, receive = anyio.create_memory_object_stream[SessionMessage | Exception](100)
        first = lines[0] if isinstance(lines[0], bytes) else json.dumps(lines[0]).encode()
        async with anyio.create_task_group() as group, receive:
            group.start_soon(desk.read, send, first)
            async for item in receive:
                assert isinstance(item, SessionMessage)
                message = item.message
                methods.append(getattr(message, "method", ""))
                if isinstance(message, types.JSONRPCRequest):
                    done = types.JSONRPCResponse(jsonrpc="2.0", id=message.id, result={})
                    await desk.send(SessionMessage(done))

    anyio.run(talk)
    return methods, pipe.written


def ping(id_: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": id_, "method": "ping"}


def test_requests_are_handed_on_and_what_is_none_is_refused() -> None:
    methods, written = served(ping(1), b"", b"nonsense", [])
    assert methods == ["ping"]
    assert sorted((answer.get("id") or 0, answer.get("error", {}).get("code", 0)) for answer in written) == [
        (0, -32700),
        (0, -32600),
        (1, 0),
    ]


def test_a_batch_is_answered_by_one_line() -> None:
    note = {"jsonrpc": "2.0", "method": "notifications/unheard"}
    methods, written = served([ping("a"), note, ping("b"), 7])
    assert methods == ["ping", "notifications/unheard", "ping"]
    assert [sorted(str(answer["id"]) for answer in line) for line in written] == [["None", "a", "b"]]


def test_a_cancelled_request_of_a_batch_is_not_waited_for() -> None:
    gone = {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": "b"}}
    _, written = served([ping("a"), gone])
    assert [[answer["id"] for answer in line] for line in written] == [["a"]]


@pytest.mark.parametrize(("answered", "lines"), [(1, 1), (None, 2)])
def test_what_was_answered_before_is_not_answered_again(answered: Any, lines: int) -> None:
    assert len(served(ping(1), ping(2), answered=answered)[1]) == lines


def test_it_is_opened_once_and_closed_for_good(tmp_path: Path) -> None:
    opener = Opener(load(memory={"root": tmp_path / "root"}))
    assert opener.engine() is opener.engine()
    assert opener.failure is None
    opener.close()
    with pytest.raises(Unavailable, match="stopping"):
        opener.engine()


def test_a_failure_is_kept_until_it_opens(tmp_path: Path) -> None:
    (tmp_path / "root").mkdir()
    (tmp_path / "root" / ".everlore").write_text("in the way", encoding="utf-8")
    opener = Opener(load(memory={"root": tmp_path / "root"}))
    with pytest.raises((EverloreError, OSError)) as caught:
        opener.engine()
    assert str(opener.failure) == str(caught.value)
    (tmp_path / "root" / ".everlore").unlink()
    opener.engine()
    assert opener.failure is None
    opener.close()
