"""What a browser shows at the server's address: that it runs, what it holds, and where to go on."""

from __future__ import annotations

import html

from anyio import CapacityLimiter, to_thread
from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from everlore import __version__
from everlore.engine import Engine
from everlore.surfaces.http.device_page import HEADERS
from everlore.surfaces.http.health import examine

_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Everlore</title><style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 40rem; margin: 3rem auto; padding: 0 1rem }}
td {{ padding-right: 1rem }}
</style></head><body><h1>Everlore {version} is running</h1>{body}
<p>Agents talk to it at <code>/api/v1/memory/add</code>, <code>/flush</code>, <code>/search</code>,
<code>/get</code>, and over MCP at <code>/mcp/knowledge</code>. Its state is at <a href="/health">/health</a>.</p>
</body></html>
"""

router = APIRouter(include_in_schema=False)


@router.get("/")
@router.head("/")
async def home(request: Request) -> Response:
    engine: Engine = request.app.state.engine
    limiter: CapacityLimiter = request.app.state.probes
    body = await to_thread.run_sync(_body, engine, limiter=limiter)
    return HTMLResponse(_PAGE.format(version=__version__, body=body), headers=HEADERS)


def _body(engine: Engine) -> str:
    """What is held is told only where everybody who gets here may read it anyway."""
    if engine.settings.auth.enabled:
        return '<p>Requests need a token. Sign in a device at <a href="/device">/device</a>.</p>'
    found = examine(engine)
    rows = "".join(
        f"<tr><td>{html.escape(kind)}</td><td>{count:,}</td></tr>" for kind, count in found.index["rows"].items()
    )
    held = f"<table>{rows}</table>" if rows else "<p>It holds no memories yet.</p>"
    problems = "".join(f"<li>{html.escape(problem)}</li>" for problem in found.problems)
    wrong = f"<p>Problems:</p><ul>{problems}</ul>" if problems else ""
    return f"<p>Memories lie in <code>{html.escape(engine.vault.where)}</code>.</p>{held}{wrong}"
