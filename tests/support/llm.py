"""A scripted language model that speaks the OpenAI protocol over a real socket."""

from __future__ import annotations

import json
import socket
import struct
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

KEY = "sk-llm-secret-0123456789"


@dataclass
class Asked:
    """One request as it came."""

    body: dict[str, Any]
    authorization: str | None
    path: str

    @property
    def task(self) -> str:
        name = self.body.get("response_format", {}).get("json_schema", {}).get("name")
        return name or next((task for task, words in SIGNS.items() if words in self.system), "other")

    @property
    def system(self) -> str:
        return str(self.body["messages"][0]["content"])

    @property
    def data(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.body["messages"][1]["content"])
        return found


SIGNS = {
    "cell": "You keep the memory",
    "boundary": "You cut a conversation",
    "skill": "how an agent does a kind of task",
    "rerank": "You order search results",
    "sufficient": "You help a search",
}


@dataclass
class Said:
    """What to answer. `content` is the text of the choice; a mapping is sent as JSON."""

    content: Any = None
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    delay: float = 0.0
    cut: bool = False
    """Break the connection in the middle of the answer."""
    reset: bool = False
    """Break it before any of the answer."""
    finish: str = "stop"
    raw: bytes | None = None
    usage: dict[str, Any] | None = field(default_factory=lambda: {"prompt_tokens": 100, "completion_tokens": 10})


Step = Said | Callable[[Asked], Said]


class Llm:
    """Answers from `script` as long as it lasts, then from `otherwise`, by default sensibly."""

    def __init__(self) -> None:
        self.asked: list[Asked] = []
        self.script: list[Step] = []
        self.otherwise: Step = sensible
        self.url = ""
        self._guard = threading.Lock()

    def next(self, asked: Asked) -> Said:
        with self._guard:
            self.asked.append(asked)
            step = self.script.pop(0) if self.script else self.otherwise
        return step if isinstance(step, Said) else step(asked)

    def tasks(self) -> list[str]:
        return [asked.task for asked in self.asked]

    def env(self, **more: Any) -> dict[str, str]:
        given = {"base_url": self.url, "api_key": KEY, "model": "scripted", "timeout_seconds": 5} | more
        return {f"EVEROS_LLM__{name.upper()}": str(value) for name, value in given.items()}


def sensible(asked: Asked) -> Said:
    """Every user turn becomes a fact that says so; nothing is cut; everything found is enough."""
    if asked.task == "other":  # a picture or a recording
        return Said("A red bicycle leans on a wall.")
    data = asked.data
    match asked.task:
        case "cell":
            turns = [turn for turn in data["turns"] if turn["role"] == "user"]
            said = {
                "episode": {"subject": "What the model calls it", "summary": "The model's summary of the talk."},
                "facts": [
                    {"turn": turn["turn"], "fact": f"{turn['speaker']} told the model: {turn['text'][:200]}"}
                    for turn in turns
                    if turn["text"].strip()
                ],
                "profile": [],
                "cases": [
                    {
                        "turn": 1,
                        "task_intent": "Do what the model says",
                        "key_insight": "Ask models.",
                        "quality_score": 0.9,
                    }
                ],
            }
            return Said(said)
        case "boundary":
            return Said({"boundaries": []})
        case "skill":
            return Said({"how_to": "do it as the model says", "steps": ["Look closely.", "Then act."]})
        case "rerank":
            return Said({"ranking": [result["number"] for result in reversed(data["results"])]})
        case "sufficient":
            return Said({"sufficient": True, "queries": []})
    raise AssertionError(asked.task)


@contextmanager
def scripted() -> Iterator[Llm]:
    llm = Llm()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        wbufsize = -1

        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["content-length"])))
            said = llm.next(Asked(body, self.headers.get("authorization"), self.path))
            time.sleep(said.delay)
            with suppress(OSError):
                self._answer(said)

        def _answer(self, said: Said) -> None:
            if said.reset:
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
                self.close_connection = True
                self.connection.close()
                return
            text = said.content if isinstance(said.content, str) or said.content is None else json.dumps(said.content)
            choice = {"message": {"role": "assistant", "content": text}, "finish_reason": said.finish}
            body = {"choices": [choice]} | ({"usage": said.usage} if said.usage is not None else {})
            raw = said.raw if said.raw is not None else json.dumps(body).encode()
            self.send_response(said.status)
            for name, value in said.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(raw)))
            self.end_headers()
            if said.cut:
                self.wfile.write(raw[: len(raw) // 2])
                self.wfile.flush()
                self.close_connection = True
                self.connection.shutdown(socket.SHUT_RDWR)
                return
            self.wfile.write(raw)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - the library's own name
            pass

    class Server(ThreadingHTTPServer):
        daemon_threads = True

        def handle_error(self, request: object, client_address: object) -> None:
            pass  # a killed client leaves broken connections behind

    server = Server(("127.0.0.1", 0), Handler)
    llm.url = f"http://127.0.0.1:{server.server_port}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield llm
    finally:
        server.shutdown()
        server.server_close()
        thread.join()
