"""Signing in and agents: account keys, the device flow, and the tokens of installed plugins."""

from __future__ import annotations

from fastapi import APIRouter
from starlette.requests import Request
from starlette.responses import Response

from everlore.accounts import tokens
from everlore.clock import DAY_MS, iso
from everlore.errors import Denied
from everlore.surfaces.contracts.everme import gateway as contract
from everlore.surfaces.http.body import JsonRoute
from everlore.surfaces.http.gateway import ANSWERS, accounts, base_url, note, principal, success
from everlore.surfaces.http.guard import Meter

DEVICE_SECONDS = 900

router = APIRouter(route_class=JsonRoute, prefix="/api/v1", tags=["gateway"], responses=ANSWERS)


@router.post("/auth/login")
def login(body: contract.Login, request: Request) -> Response:
    """Check an account key."""
    key = body.api_key.strip()
    try:
        if not key.startswith(tokens.KEY):
            raise Denied("key_invalid", "this is not an account key; it begins with emk_ and has 36 characters")
        who = accounts(request).authenticate(key)
    except Denied as error:
        _attempt(request)
        note(request, "login", tokens.shown(key), error.why)
        raise contract.Refusal(30201 if error.why == "malformed" else contract.code_of(error), str(error)) from None
    note(request, "login", who.key_prefix, "ok", who)
    known = {
        "valid": True,
        "accountId": who.account.id,
        "email": who.account.name,
        "name": who.account.name,
        "apiKeyPrefix": who.key_prefix,
        "scopes": list(who.scopes),
        "userId": request.app.state.engine.settings.mcp.user,
        "expiresAt": None if who.expires is None else iso(who.expires),
    }
    return success(request, known)


@router.post("/auth/device")
def device(body: contract.DeviceStart, request: Request) -> Response:
    """Begin a sign-in that a person approves in a browser."""
    _attempt(request)
    told = (body.platform, body.client_name or "", body.client_version or "", body.machine_fingerprint or "")
    expires = request.app.state.engine.clock.now() + DEVICE_SECONDS * 1000
    secret, code = accounts(request).start_device(*told, expires)
    begun = {
        "deviceCode": secret,
        "userCode": code,
        "verificationUrl": f"{base_url(request)}/device?code={code}",
        "expiresIn": DEVICE_SECONDS,
        "interval": contract.INTERVAL_SECONDS,
    }
    return success(request, begun)


@router.post("/auth/token")
def token(body: contract.DevicePoll, request: Request) -> Response:
    """Ask what became of a sign-in."""
    if body.grant_type not in ("device_code", "urn:ietf:params:oauth:grant-type:device_code"):
        raise contract.Refusal(20001, "grantType must be device_code")
    try:
        pause, expires = contract.INTERVAL_SECONDS * 1000, _agent_expiry(request)
        poll = accounts(request).poll_device(body.device_code, pause, expires)
    except Denied as error:
        wait = {"Retry-After": str(contract.INTERVAL_SECONDS)} if error.why == "slow" else None
        if error.why == "device":
            _attempt(request)
        raise contract.Refusal(contract.code_of(error), str(error), wait) from None
    if poll.state == "denied":
        raise contract.Refusal(30103, "the sign-in was refused on the page")
    return success(request, contract.polled(poll))


@router.post("/agents")
def register(body: contract.NewAgent, request: Request) -> Response:
    """Register an installation and give it a token; registering again changes the token."""
    who = principal(request)
    told = (body.platform, body.machine_fingerprint, body.name, body.client_version or "")
    agent, secret = accounts(request).register_agent(who, *told, _agent_expiry(request))
    note(request, "agent.register", agent.id, "ok", who)
    answer = {"agentId": agent.id, "agentToken": secret, "tokenPrefix": agent.token_prefix, "sourceId": agent.id}
    return success(request, answer)


@router.post("/agents/list")
def agents(body: contract.AgentFilter, request: Request) -> Response:
    chosen = [
        agent
        for agent in accounts(request).agents(principal(request).account.id)
        if (not body.platform or agent.platform == body.platform)
        and (not body.machine_fingerprint or agent.fingerprint == body.machine_fingerprint)
    ]
    return success(request, {"items": [contract.agent_shown(agent) for agent in chosen]})


@router.post("/agents/revoke")
def revoke(body: contract.AgentId, request: Request) -> Response:
    """Disconnect an agent: its token ends at once."""
    who = principal(request)
    agent = accounts(request).revoke_agent(who.account.id, body.agent_id)
    note(request, "agent.revoke", agent.id, "ok", who)
    return success(request, {"agentId": agent.id, "connectionStatus": "disconnected"})


def _attempt(request: Request) -> None:
    """Sign-ins that fail, or that nobody stands behind yet, are few: nobody can try keys or codes."""
    attempts: Meter = request.app.state.attempts
    if wait := attempts.wait(request.client.host if request.client else ""):
        raise contract.Refusal(
            20005, f"too many sign-ins from this address; wait {wait} seconds", {"Retry-After": str(wait)}
        )


def _agent_expiry(request: Request) -> int | None:
    days: int = request.app.state.engine.settings.auth.agent_token_days
    now: int = request.app.state.engine.clock.now()
    return now + days * DAY_MS if days else None
