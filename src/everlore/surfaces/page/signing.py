"""Signing in and out, without a script: with a key, with a code that is approved elsewhere, or with a ticket."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import parse_qsl, quote

from anyio import to_thread
from starlette.datastructures import State
from starlette.requests import Request
from starlette.responses import HTMLResponse, RedirectResponse, Response
from starlette.types import Receive, Scope, Send

from everlore.errors import Denied, EverloreError
from everlore.surfaces.contracts.everme.gateway import INTERVAL_SECONDS
from everlore.surfaces.http.body import read_bounded
from everlore.surfaces.http.gateway import note
from everlore.surfaces.http.guard import Meter
from everlore.surfaces.page.markup import Html, el, join
from everlore.surfaces.page.sessions import COOKIE, Session, Sessions
from everlore.surfaces.page.texts import Texts, preferred, texts

SIGN_IN = ("/sign-in", "/sign-out")
MOST_BYTES = 10_000
DEVICE_SECONDS = 900
HEADERS = {
    "Content-Security-Policy": (
        "default-src 'none'; style-src 'self'; img-src 'self'; form-action 'self'; base-uri 'none';"
        " frame-ancestors 'none'"
    ),
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "same-origin",  # without any, forms would come from the origin "null"
    "Cache-Control": "no-store",
    "X-Content-Type-Options": "nosniff",
}


class Signing:
    def __init__(self, state: State, sessions: Sessions) -> None:
        self._state = state
        self._sessions = sessions

    @staticmethod
    def address(there: str = "/") -> str:
        return "/sign-in" + (f"?next={quote(there, safe='')}" if there != "/" else "")

    async def answer(self, scope: Scope, receive: Receive, send: Send) -> None:
        request = Request(scope, receive)
        words = texts(
            preferred(request.cookies.get("everlore_language", ""), request.headers.get("accept-language", ""))
        )
        there = _local(request.query_params.get("next", "/"))
        if request.method == "POST":
            response = await self._posted(request, words)
        elif request.url.path == "/sign-out":
            response = RedirectResponse("/sign-in", 303)
        elif ticket := request.query_params.get("ticket"):
            response = (
                self._let_in(Session(""), there)
                if self._sessions.redeem(ticket)
                else _page(words, there, words("sign.ticket"))
            )
        else:
            response = await to_thread.run_sync(self._shown, request, words, there)
        await response(scope, receive, send)

    async def _posted(self, request: Request, words: Texts) -> Response:
        if request.headers.get("sec-fetch-site") not in (None, "same-origin"):
            return _page(words, "/", words("sign.elsewhere"), 403)
        try:
            body = await read_bounded(request, MOST_BYTES, ValueError("too large"))
            given = dict(parse_qsl(body.decode("utf-8", "replace"), keep_blank_values=True, max_num_fields=10))
        except ValueError:
            return _page(words, "/", words("sign.elsewhere"), 413)
        if request.url.path == "/sign-out":
            self._sessions.end(request)
            gone = RedirectResponse("/sign-in", 303)
            gone.delete_cookie(COOKIE)
            return gone
        return await to_thread.run_sync(self._decide, request, words, given)

    def _decide(self, request: Request, words: Texts, given: dict[str, str]) -> Response:
        there = _local(given.get("next", "/"))
        attempts: Meter = self._state.attempts
        address = request.client.host if request.client else ""
        if wait := attempts.wait(address, spend=False):
            return _page(words, there, words("sign.wait", seconds=wait), 429)
        if "device" in given:
            attempts.wait(address)
            expires = self._state.engine.clock.now() + DEVICE_SECONDS * 1000
            secret, code = self._state.accounts.start_device("page", "Everlore page", "", "page", expires)
            return self._let_in(Session("", device=secret, code=code), self.address(there))
        key = given.get("key", "").strip()
        try:
            who = self._sessions.who(Session(key)) if key else None
        except Denied as error:
            attempts.wait(address)
            note(request, "page.sign_in", "", error.why)
            return _page(words, there, str(error), 403)
        if who is None:
            return _page(words, there, words("sign.key_missing"), 422)
        note(request, "page.sign_in", who.key_prefix, "ok", who)
        return self._let_in(Session(key), there)

    def _shown(self, request: Request, words: Texts, there: str) -> Response:
        session = self._sessions.find(request)
        if session is None or not session.waits:
            return RedirectResponse(there, 303) if self._sessions.of(request) else _page(words, there)
        try:
            poll = self._state.accounts.poll_device(session.device, INTERVAL_SECONDS * 1000, None)
        except Denied as error:
            if error.why != "slow":
                self._sessions.end(request)
                return _page(words, there, str(error))
            return _waiting(words, session.code)
        except EverloreError as error:
            return _page(words, there, str(error), 503)
        if poll.state == "pending":
            return _waiting(words, session.code)
        self._sessions.end(request)
        if poll.state != "approved":
            return _page(words, there, words("sign.refused"))
        return self._let_in(Session(poll.key_secret), there)

    def _let_in(self, session: Session, there: str) -> Response:
        response = RedirectResponse(there, 303)
        response.set_cookie(COOKIE, self._sessions.begin(session), httponly=True, samesite="lax", path="/")
        return response


def _local(there: str) -> str:
    """An address of ours: nobody is sent elsewhere by a link that begins here."""
    return there if there.startswith("/") and not there.startswith(("//", "/\\")) and there.isprintable() else "/"


def _page(words: Texts, there: str, wrong: str = "", status: int = 200) -> Response:
    alert = el("p.alert", wrong, role="alert") if wrong else None
    hidden = el("input", type="hidden", name="next", value=there)
    key = el(
        "form",
        hidden,
        el(
            "label",
            words("sign.key"),
            el(
                "input",
                name="key",
                type="password",
                autocomplete="current-password",
                placeholder="emk_…",
                required=True,
            ),
        ),
        el("button.main", words("sign.in")),
        method="post",
        action="/sign-in",
    )
    device = el(
        "form", hidden, el("button", words("sign.device"), name="device", value="1"), method="post", action="/sign-in"
    )
    return _framed(
        words,
        [
            alert,
            el("p", words("sign.why")),
            key,
            el("p.or", words("sign.or")),
            device,
            el("p.hint", words("sign.hint")),
        ],
        status,
    )


def _waiting(words: Texts, code: str) -> Response:
    there = f"/device?code={quote(code)}"
    told = [
        el("p", words("sign.approve")),
        el("p.code", el("code", code)),
        el("p", el("a", there, href=there, target="_blank", rel="noopener")),
    ]
    return _framed(words, told, refresh=INTERVAL_SECONDS)


def _framed(words: Texts, body: Sequence[object], status: int = 200, refresh: int = 0) -> Response:
    head = [
        el("title", words("sign.title")),
        Html('<meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">'),
        Html(f'<meta http-equiv="refresh" content="{refresh}">') if refresh else None,
        Html('<link rel="stylesheet" href="/_page/page.css"><link rel="icon" href="/_page/icon.svg">'),
    ]
    inside = el("main.sign", el("h1", words("sign.title")), *body)
    page = join([Html("<!doctype html>"), el("html", el("head", *head), el("body", inside), lang=words.language)])
    return HTMLResponse(page, status, HEADERS)
