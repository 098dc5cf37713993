"""The page on which a person approves a sign-in: what asks, which code it shows, and a field for the account key.

There is no session and no cookie that another site could make use of: the form works only with the account key typed
into it, with a stamp that this server made for this code, and from this page's own origin. No script runs here.
"""

from __future__ import annotations

import html
from urllib.parse import urlsplit

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from everlore.accounts import tokens
from everlore.accounts.base import Device
from everlore.errors import Denied
from everlore.surfaces.http.gateway import accounts, note, run
from everlore.surfaces.http.guard import Meter, check_scopes

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
<title>Sign in a device</title><style>
body {{ font: 16px/1.5 system-ui, sans-serif; max-width: 32rem; margin: 3rem auto; padding: 0 1rem }}
code {{ font-size: 1.6rem; letter-spacing: .1em }} input {{ font: inherit; width: 100%; padding: .5rem }}
button {{ font: inherit; padding: .5rem 1.5rem; margin: 1rem .5rem 0 0 }}
</style></head><body><h1>Sign in a device</h1>{body}</body></html>
"""
_ASK_CODE = """<form method="get" action="/device"><p><label>Code that the device shows
<input name="code" required autocomplete="off" maxlength="20"></label></p><button>Continue</button></form>"""
_DECIDE = """<p><b>{client}</b> asks for access to your memories. Approve only if you started this and the device
shows the same code:</p><p><code>{code}</code></p>
<form method="post" action="/device"><input type="hidden" name="code" value="{code}">
<input type="hidden" name="stamp" value="{stamp}">
<p><label>Your account key <input name="key" type="password" required autocomplete="off" placeholder="emk_"></label></p>
<button name="decision" value="approve">Approve</button><button name="decision" value="deny">Deny</button></form>"""

router = APIRouter(include_in_schema=False)


@router.get("/device")
async def show(request: Request, code: str = "") -> Response:
    if not code:
        return _page(_ASK_CODE)
    _, waiting = await _look_up(request, code)
    if waiting is None:
        return _page(f"<p>This code is not waiting for anyone. It may have expired.</p>{_ASK_CODE}", 404)
    return _page(await _form(request, waiting))


@router.post("/device")
async def decide(request: Request) -> Response:
    if not _same_origin(request):
        return _page("<p>This form was not sent from this page.</p>", 403)
    if not request.headers.get("content-length", "").isdecimal() or int(request.headers["content-length"]) > MOST_BYTES:
        return _page("<p>That is not this page's form.</p>", 413)
    async with request.form(max_files=0, max_fields=10) as form:
        given = {name: value for name, value in form.items() if isinstance(value, str)}
    attempts: Meter = request.app.state.attempts
    address = request.client.host if request.client else ""
    if wait := attempts.wait(address, spend=False):
        return _page(f"<p>Too many attempts. Wait {wait} seconds.</p>", 429, {"Retry-After": str(wait)})
    stamp, waiting = await _look_up(request, given.get("code", ""))
    if waiting is None:
        attempts.wait(address)
        return _page(f"<p>This code is not waiting for anyone. It may have expired.</p>{_ASK_CODE}", 404)
    if not tokens.same(stamp.encode(), given.get("stamp", "").encode("utf-8", "replace")):
        return _page("<p>This form was not made by this server. Open the page again.</p>", 403)
    try:
        key = given.get("key", "").strip()
        if not key.startswith(tokens.KEY):
            raise Denied("key_invalid", "this is not an account key; it begins with emk_")
        who = await run(request, accounts(request).authenticate, key)
        check_scopes(who, "/api/v1/agents", "POST")
    except Denied as error:
        attempts.wait(address)
        await run(request, note, request, "device", waiting.user_code, error.why)
        again = await _form(request, waiting)
        return _page(f"<p role='alert'><b>Not approved:</b> {html.escape(str(error))}</p>{again}", 403)
    approve = given.get("decision") == "approve"
    if not await run(request, accounts(request).decide_device, waiting.user_code, who.actor, approve=approve):
        return _page("<p>This code was decided already, or has expired.</p>", 409)
    await run(request, note, request, "device", waiting.user_code, "approved" if approve else "denied", who)
    said = "The device is signed in. You can close this page." if approve else "The device was refused."
    return _page(f"<p>{said}</p>")


async def _look_up(request: Request, code: str) -> tuple[str, Device | None]:
    """The stamp for this code and what waits under it."""
    store = accounts(request)

    def look() -> tuple[str, Device | None]:
        found = store.device(code)
        waiting = found if found is not None and found.state == "pending" else None
        return tokens.sign(store.secret(), "device", tokens.plain_user_code(code)), waiting

    return await run(request, look)


async def _form(request: Request, waiting: Device) -> str:
    stamp, _ = await _look_up(request, waiting.user_code)
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
    return HTMLResponse(_PAGE.format(body=body), status, HEADERS | (headers or {}))
