"""`everlore status`, `start`, `stop` and `open`: the server that MCP processes, hooks and commands share."""

from __future__ import annotations

import json
import webbrowser
from pathlib import Path

from everlore.background import client
from everlore.background.place import Place, Server, place_of
from everlore.errors import Unavailable
from everlore.extras import require
from everlore.surfaces.cli import output
from everlore.types import Json

ANSWER_SECONDS = 5.0
FIRST_SECONDS = 60.0
"""Until one that has just been started answers, on a busy machine."""


def status(*, as_json: bool) -> None:
    root = place_of().root
    _show(root, [_told(server) | _health(server) for _, server in client.running(root)], as_json=as_json)


def start(*, as_json: bool) -> None:
    place = place_of()
    server = client.ensure(place._replace(may_start=True))
    told = _told(server) | _health(server, FIRST_SECONDS) if server else {}
    if not told.get("health", {}).get("version"):
        raise Unavailable(_why_not(place))
    _show(place.root, [told], as_json=as_json)


def stop(*, as_json: bool) -> bool:
    root = place_of().root
    stopped = [(_told(server), client.stop(place, server)) for place, server in client.running(root)]
    if as_json:
        output.show_json({"vault": str(root), "stopped": [told | {"stopped": gone} for told, gone in stopped]})
    for told, gone in () if as_json else stopped:
        output.show_line(f"{'stopped' if gone else 'does not stop'}\tprocess {told['pid']}, {told['url']}")
    if not stopped and not as_json:
        output.note(f"no server runs for {root}")
    return all(gone for _, gone in stopped)


def _told(server: Server) -> dict[str, Json]:
    """All but its token."""
    return {name: value for name, value in server._asdict().items() if name not in ("token", "vault")}


def _health(server: Server, seconds: float = ANSWER_SECONDS) -> dict[str, Json]:
    try:
        with client.request(server, "GET", "/health", seconds=seconds) as reply:
            health: Json = json.loads(reply.body.read())
    except (OSError, ValueError):
        return {"health": {"status": "does not answer", "problems": []}}
    return {"health": health if isinstance(health, dict) else {}}


def _show(root: Path, servers: list[dict[str, Json]], *, as_json: bool) -> None:
    if as_json:
        output.show_json({"vault": str(root), "running": bool(servers), "servers": servers})
        return
    pairs = [("vault", str(root))]
    if not servers:
        pairs.append(("server", "none runs; it is started when it is needed, or by `everlore start`"))
    for server in servers:
        health = server["health"]
        kept = sum((health.get("index") or {}).get("rows", {}).values())
        how = "in the background" if server["background"] else "in a terminal or by a service"
        pairs += [
            ("server", f"{health['status']}, version {server['version']}, since {server['started']}, {how}"),
            ("address", server["url"]),
            ("process", str(server["pid"])),
            ("memories", f"{kept}, and {health.get('messages_buffered', 0)} messages that wait"),
            *(("problem", str(problem)) for problem in health.get("problems", [])),
        ]
    output.show_pairs(pairs)


def _why_not(place: Place) -> str:
    try:
        last = place.file("log").read_text(encoding="utf-8", errors="replace").strip().splitlines()[-1:]
    except OSError as error:
        last = [str(error)]
    return f"no server could be started for {place.root}: {' '.join(last) or 'it says nothing'}"


def open_page(*, as_json: bool) -> None:
    """The browser is let in once, by a ticket that nobody else gets."""
    require("page")
    place = place_of()
    server = client.ensure(place._replace(may_start=True))
    if server is None:
        raise Unavailable(_why_not(place))
    with client.request(server, "POST", "/server/ticket", seconds=FIRST_SECONDS) as reply:
        if reply.status != 200:
            raise Unavailable("the running server has no page: `everlore stop` lets the next one begin, which has it")
        address = f"{server.url}{json.loads(reply.body.read())['path']}"
    if as_json:
        print(json.dumps({"url": address}))  # the ticket is meant to be seen
    elif webbrowser.open(address):
        output.show_line(f"opened {server.url}")
    else:
        print(address)
        output.note("no browser could be started: open this address within a minute")
