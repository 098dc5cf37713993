"""Routes for processes of the vault's owner on this machine, which show the token that the server registered.

MCP processes, commands and hooks have no engine of their own: `/relay` and `/server/ask` answer for them, with the
settings and from the folder of each, and `/hooks/save` reads what a host has kept of a talk.
"""

from __future__ import annotations

from collections.abc import AsyncIterator
from dataclasses import replace
from functools import partial
from typing import Any

import anyio
from anyio import to_thread
from anyio.streams.memory import MemoryObjectSendStream
from fastapi import APIRouter
from starlette.exceptions import HTTPException
from starlette.requests import Request
from starlette.responses import JSONResponse, Response, StreamingResponse

from everlore.config import mcp_section
from everlore.engine import Engine
from everlore.errors import EverloreError
from everlore.memory import NewMessage, flush, remember
from everlore.project import project_of
from everlore.surfaces.contracts.person import told
from everlore.surfaces.contracts.person.asking import QUESTIONS, person
from everlore.surfaces.contracts.person.asking import ask as ask_person
from everlore.surfaces.contracts.toolset import Caller
from everlore.surfaces.http.body import JsonRequest
from everlore.surfaces.mcp.answer import answer
from everlore.surfaces.mcp.protocol import Refused, dumped
from everlore.transcripts.reading import heard
from everlore.transcripts.turns import digests_of, message
from everlore.types import Scope

Saved = dict[tuple[Scope, str], set[bytes]]
"""By session, what hooks have brought while this server ran."""
MOST_TALKS = 256
BATCH = 200
router = APIRouter(include_in_schema=False)


@router.post("/server/stop", response_model=None)
async def stop(request: Request) -> Response:
    """Finish what is running, and leave."""
    request.app.state.leave()
    return JSONResponse({"status": "stopping"})


@router.post("/server/ticket", response_model=None)
async def ticket(request: Request) -> Response:
    """Lets the owner's browser in at the page, once, within a minute: `<url>/sign-in?ticket=...`."""
    return JSONResponse({"path": f"/sign-in?ticket={request.app.state.door.sessions.ticket()}"})


@router.post("/server/ask", response_model=None)
async def ask(request: Request) -> Response:
    """Answer what a command asks for the person at its terminal."""
    asked = await JsonRequest(request.scope, request.receive).json()
    if asked["ask"] not in QUESTIONS:
        raise HTTPException(404, "this server knows other questions")

    def answer() -> dict[str, Any]:
        who = person(request.app.state.engine, asked["facts"])
        return {"answer": ask_person(asked["ask"], who, asked["arguments"])}

    try:
        return JSONResponse(await to_thread.run_sync(answer, limiter=request.app.state.threads.relayed))
    except EverloreError as error:
        return JSONResponse(told(error))


@router.post("/relay", response_model=None)
async def relay(request: Request) -> Response:
    """Answer one MCP request: lines of JSON, the last of which has its result or error."""
    asked = await JsonRequest(request.scope, request.receive).json()
    if any(name not in request.app.state.toolsets for name in asked["toolsets"]):
        raise HTTPException(404, "this server has other toolsets")
    return StreamingResponse(_lines(request, asked), media_type="application/x-ndjson")


@router.post("/hooks/save", response_model=None)
async def save(request: Request) -> Response:
    """What a host's hook heard. It is saved also when the hook has gone meanwhile."""
    asked = await JsonRequest(request.scope, request.receive).json()
    work = partial(
        _save, _of_client(request.app.state.engine, asked["settings"]), request.app.state.saved, asked["told"]
    )
    await to_thread.run_sync(work, limiter=request.app.state.threads.relayed)
    return JSONResponse({"saved": True})


def _save(engine: Engine, saved: Saved, told: dict[str, Any]) -> None:
    """Events tell a talk from its beginning, those of long talks often: what was saved before is passed over."""
    mcp = engine.settings.mcp
    scope = Scope(mcp.app, mcp.project)
    for talk in heard(told):
        project = project_of(talk.folder)
        messages = [message(turn, mcp.user, talk.platform) for turn in talk.turns]
        known = saved.setdefault((scope, talk.session), set())
        digests = digests_of(messages)
        new = [
            NewMessage(
                one["sender_id"],
                one["role"],
                one["timestamp"],
                one["content"],
                tool_calls=one.get("tool_calls"),
                tool_call_id=one.get("tool_call_id"),
                project=project.id if project else "",
            )
            for one, digest in zip(messages, digests, strict=True)
            if digest not in known
        ]
        for at in range(0, len(new), BATCH):
            remember(engine, scope, talk.session, new[at : at + BATCH])
        if told.get("event") == "session-end" or (new and new[-1].role != "user"):  # else its answer follows
            flush(engine, scope, talk.session)
        known.update(digests)
    while len(saved) > MOST_TALKS:
        saved.pop(next(iter(saved)), None)


def _of_client(engine: Engine, settings: dict[str, str]) -> Engine:
    return replace(engine, settings=engine.settings.model_copy(update={"mcp": mcp_section(settings)}))


async def _lines(request: Request, asked: dict[str, Any]) -> AsyncIterator[bytes]:
    send, receive = anyio.create_memory_object_stream[bytes](1024)
    async with anyio.create_task_group() as group, receive:
        group.start_soon(_answer, request, asked, send)
        async for line in receive:
            yield line + b"\n"


async def _answer(request: Request, asked: dict[str, Any], send: MemoryObjectSendStream[bytes]) -> None:
    """In a thread, which is left to itself when the client goes away."""
    engine: Engine = request.app.state.engine
    work = partial(_answered, engine, request.app.state.toolsets, asked)
    async with send:
        try:
            # as many as there are threads: what waits for its turn here would wait there
            result = await to_thread.run_sync(work, abandon_on_cancel=True, limiter=request.app.state.threads.relayed)
            await send.send(dumped({"result": result}))
        except Refused as error:
            await send.send(dumped(error.answer()))


def _answered(engine: Engine, toolsets: Any, asked: dict[str, Any]) -> dict[str, Any]:
    message, caller = asked["message"], asked["caller"]
    served = [toolsets.loaded(name) for name in asked["toolsets"]]
    if message["method"] == "initialize":  # somebody will ask soon
        engine.embedder.warm()
        return {}

    asking = Caller(
        lambda _: _of_client(engine, caller["settings"]),
        protocol_version=caller["version"],
        client_name=caller["client"],
        bare=caller["bare"],
        folder=caller["folder"],
    )
    return answer(served, message["method"], message.get("params") or {}, asking)
