"""Without the page: at `/` that the server runs and what it holds, at `/device` a sign-in to approve.

The sign-in has no session and no cookie that another site could make use of: the form works only with the account key
typed into it, with a stamp that this server made for this code, and from this page's own origin. No script runs here.
"""

from __future__ import annotations

import html
from urllib.parse import parse_qsl, urlsplit

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from everlore import __version__
from everlore.accounts import tokens
from everlore.accounts.values import Device
from everlore.engine import Engine
from everlore.errors import Denied
from everlore.extras import installed, missing
from everlore.surfaces.http.body import read_bounded
from everlore.surfaces.http.gateway import accounts, note
from everlore.surfaces.http.guard import Meter, check_scopes
from everlore.surfaces.http.health import examine
from everlore.surfaces.http.threads import probe, run

MOST_BYTES = 10_000
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'; frame-ancestors 'none'"
    ),
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
}
_PAGE = """<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>{title}</title><style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 36rem; margin: 3rem auto; padding: 0 1rem }}
td {{ padding-right: 1rem }} .code {{ font-size: 1.6rem; letter-spacing: .1em }}
input {{ font: inherit; width: 100%; padding: .5rem }}
button {{ font: inherit; padding: .5rem 1.5rem; margin: 1rem .5rem 0 0 }}
</style></head><body><h1>{heading}</h1>{body}</body></html>
"""
_AGENTS = """<p>Agents talk to it at <code>/api/v1/memory/add</code>, <code>/flush</code>, <code>/search</code>,
<code>/get</code>, and over MCP at <code>/mcp/knowledge</code>. Its state is at <a href="/health">/health</a>.</p>"""
_ASK_CODE = """<form method="get" action="/device"><p><label>Code that the device shows
<input name="code" required autocomplete="off" maxlength="20"></label></p><button>Continue</button></form>"""
_NOT_WAITING = f"<p>This code is not waiting for anyone. It may have expired.</p>{_ASK_CODE}"
_DECIDE = """<p><b>{client}</b> asks for access to your memories. Approve only if you started this and the device
shows the same code:</p><p><code class="code">{code}</code></p>
<form method="post" action="/device"><input type="hidden" name="code" value="{code}">
<input type="hidden" name="stamp" value="{stamp}">
<p><label>Your account key <input name="key" type="password" required autocomplete="off" placeholder="emk_"></label></p>
<button name="decision" value="approve">Approve</button><button name="decision" value="deny">Deny</button></form>"""

router = APIRouter(include_in_schema=False)


@router.get("/")
@router.head("/")
async def home(request: Request) -> Response:
    body = await probe(request, _held, request.app.state.engine)
    how = "" if installed("page") else f"<p>To see, ask and correct it here, {html.escape(missing('page'))}</p>"
    page = _PAGE.format(title="Everlore", heading=f"Everlore {__version__} is running", body=body + how + _AGENTS)
    return HTMLResponse(page, headers=HEADERS)


def _held(engine: Engine) -> str:
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


@router.get("/device")
def show(request: Request, code: str = "") -> Response:
    if not code:
        return _page(_ASK_CODE)
    attempts: Meter = request.app.state.attempts
    address = request.client.host if request.client else ""
    if wait := attempts.wait(address, spend=False):
        return _too_many(wait)
    stamp, waiting = _look_up(request, code)
    if waiting is None:
        attempts.wait(address)
        return _page(_NOT_WAITING, 404)
    return _page(_form(waiting, stamp))


@router.post("/device")
async def decide(request: Request) -> Response:
    if not _same_origin(request):
        return _page("<p>This form was not sent from this page.</p>", 403)
    try:
        body = await read_bounded(request, MOST_BYTES, ValueError("too large"))
        given = dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=10))
    except ValueError:
        return _page("<p>That is not this page's form.</p>", 413)
    return await run(request, _decide, request, given)


def _decide(request: Request, given: dict[str, str]) -> Response:
    attempts: Meter = request.app.state.attempts
    address = request.client.host if request.client else ""
    if wait := attempts.wait(address, spend=False):
        return _too_many(wait)
    stamp, waiting = _look_up(request, given.get("code", ""))
    if waiting is None:
        attempts.wait(address)
        return _page(_NOT_WAITING, 404)
    if not tokens.same(stamp.encode(), given.get("stamp", "").encode("utf-8", "replace")):
        return _page("<p>This form was not made by this server. Open the page again.</p>", 403)
    try:
        key = given.get("key", "").strip()
        if not key.startswith(tokens.KEY):
            raise Denied("key_invalid", "this is not an account key; it begins with emk_")
        who = accounts(request).authenticate(key)
        check_scopes(who, "/api/v1/agents", "POST")
    except Denied as error:
        attempts.wait(address)
        note(request, "device", waiting.user_code, error.why)
        alert = f"<p role='alert'><b>Not approved:</b> {html.escape(str(error))}</p>"
        return _page(alert + _form(waiting, stamp), 403)
    approve = given.get("decision") == "approve"
    if not accounts(request).decide_device(waiting.user_code, who.actor, approve=approve):
        return _page("<p>This code was decided already, or has expired.</p>", 409)
    note(request, "device", waiting.user_code, "approved" if approve else "denied", who)
    said = "The device is signed in. You can close this page." if approve else "The device was refused."
    return _page(f"<p>{said}</p>")


def _too_many(wait: int) -> Response:
    return _page(f"<p>Too many attempts. Wait {wait} seconds.</p>", 429, {"Retry-After": str(wait)})


def _look_up(request: Request, code: str) -> tuple[str, Device | None]:
    """The stamp for this code and what waits under it."""
    store = accounts(request)
    found = store.device(code)
    waiting = found if found is not None and found.state == "pending" else None
    return tokens.sign(store.secret(), "device", tokens.plain_user_code(code)), waiting


def _form(waiting: Device, stamp: str) -> str:
    client = " ".join(part for part in (waiting.client or waiting.platform, waiting.version) if part)
    return _DECIDE.format(client=html.escape(client), code=html.escape(waiting.user_code), stamp=stamp)


def _same_origin(request: Request) -> bool:
    """Browsers say where a form came from; programs that do not are no browsers that another page could misuse."""
    site = request.headers.get("sec-fetch-site")
    if site is not None and site not in ("same-origin", "none"):
        return False
    origin = request.headers.get("origin")
    return origin is None or urlsplit(origin).netloc == request.headers.get("host", "")


def _page(body: str, status: int = 200, headers: dict[str, str] | None = None) -> HTMLResponse:
    page = _PAGE.format(title="Sign in a device", heading="Sign in a device", body=body)
    return HTMLResponse(page, status, HEADERS | (headers or {}))
