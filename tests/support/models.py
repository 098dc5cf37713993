"""A language model that always says the same, at an address of this machine, in the four ways in which hosts ask: the
Messages of Anthropic, the Responses and chat completions of OpenAI, and Gemini's generateContent. It keeps what it was
asked."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

SAID = "Good to know."


@dataclass
class Model:
    url: str
    asked: list[dict[str, Any]] = field(default_factory=list)
    """What came, in order; those with tools are of the conversation, others are titles and the like."""

    def with_tools(self) -> list[dict[str, Any]]:
        return [one for one in self.asked if one.get("tools")]


def tools_of(request: Mapping[str, Any]) -> set[str]:
    """Names of the tools that a request offers, whichever its shape."""
    found: set[str] = set()
    for tool in request.get("tools") or []:
        inner = [tool, tool.get("function") or {}, *tool.get("functionDeclarations", []), *(tool.get("tools") or [])]
        found |= {str(one["name"]) for one in inner if one.get("name")}
    return found


@contextmanager
def scripted() -> Iterator[Model]:
    server = ThreadingHTTPServer(("127.0.0.1", 0), _Handler)
    model = Model(f"http://127.0.0.1:{server.server_address[1]}")
    server.model = model  # type: ignore[attr-defined]
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    try:
        yield model
    finally:
        server.shutdown()
        server.server_close()


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_message(self, *_: object) -> None: ...

    def do_GET(self) -> None:
        self._send(json.dumps({"data": [], "models": []}), "application/json")

    do_HEAD = do_GET

    def do_POST(self) -> None:
        length = int(self.headers.get("Content-Length") or 0)
        raw = self.rfile.read(length) if length else _chunked(self.rfile)
        try:
            asked = json.loads(raw)
        except ValueError:
            asked = {}
        path = self.path.partition("?")[0]
        if path.endswith("/count_tokens") or ":countTokens" in path:
            self._send(json.dumps({"input_tokens": 10, "totalTokens": 10}), "application/json")
            return
        self.server.model.asked.append(asked)  # type: ignore[attr-defined]
        if path.endswith("/messages"):
            stream, whole = _anthropic(asked)
        elif path.endswith("/responses"):
            stream, whole = _responses()
        elif path.endswith("/chat/completions"):
            stream, whole = _chat()
        else:
            stream, whole = _gemini()
        if asked.get("stream") or ":stream" in path:
            self._send("".join(stream), "text/event-stream")
        else:
            self._send(json.dumps(whole), "application/json")

    def _send(self, text: str, kind: str) -> None:
        body = text.encode()
        self.send_response(200)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)


def _chunked(source: Any) -> bytes:
    found = b""
    while size := int(source.readline().split(b";")[0] or b"0", 16):
        found += source.read(size)
        source.readline()
    source.readline()
    return found


def _event(data: Mapping[str, Any], name: str = "") -> str:
    return (f"event: {name}\n" if name else "") + f"data: {json.dumps(data)}\n\n"


def _anthropic(asked: Mapping[str, Any]) -> tuple[list[str], dict[str, Any]]:
    usage = {"input_tokens": 10, "output_tokens": 3}
    message: dict[str, Any] = {"id": "msg_1", "type": "message", "role": "assistant", "model": asked.get("model", "m")}
    message |= {"content": [], "stop_reason": None, "stop_sequence": None, "usage": usage}
    text = {"type": "text", "text": SAID}
    events: list[dict[str, Any]] = [
        {"type": "message_start", "message": message},
        {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}},
        {"type": "content_block_delta", "index": 0, "delta": {"type": "text_delta", "text": SAID}},
        {"type": "content_block_stop", "index": 0},
        {"type": "message_delta", "delta": {"stop_reason": "end_turn", "stop_sequence": None}, "usage": usage},
        {"type": "message_stop"},
    ]
    return [_event(one, one["type"]) for one in events], {**message, "content": [text], "stop_reason": "end_turn"}


def _responses() -> tuple[list[str], dict[str, Any]]:
    part = {"type": "output_text", "text": SAID, "annotations": []}
    item = {"type": "message", "id": "m_1", "role": "assistant", "status": "completed", "content": [part]}
    whole: dict[str, Any] = {"id": "resp_1", "object": "response", "status": "completed", "output": [item]}
    whole |= {"usage": {"input_tokens": 10, "output_tokens": 3, "total_tokens": 13}}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {"id": "resp_1"}},
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "content": []}},
        {"type": "response.output_text.delta", "output_index": 0, "content_index": 0, "delta": SAID, "item_id": "m_1"},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
    ]
    return [_event(one, one["type"]) for one in events], whole


def _chat() -> tuple[list[str], dict[str, Any]]:
    base = {"id": "c_1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    said = {**base, "choices": [{"index": 0, "delta": {"role": "assistant", "content": SAID}, "finish_reason": None}]}
    end = {**base, "choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}
    message = {"index": 0, "message": {"role": "assistant", "content": SAID}, "finish_reason": "stop"}
    whole = {**base, "object": "chat.completion", "choices": [message]}
    return [_event(said), _event(end), "data: [DONE]\n\n"], whole


def _gemini() -> tuple[list[str], dict[str, Any]]:
    content = {"role": "model", "parts": [{"text": SAID}]}
    counts = {"promptTokenCount": 10, "candidatesTokenCount": 3, "totalTokenCount": 13}
    whole = {"candidates": [{"content": content, "finishReason": "STOP", "index": 0}], "usageMetadata": counts}
    return [_event(whole)], whole
