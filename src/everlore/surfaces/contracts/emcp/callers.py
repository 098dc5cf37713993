"""Who calls the content server over HTTP, what they may call, and how a call is refused that never becomes JSON-RPC.

Without a secret the server trusts whoever reaches it, as the rest of our API does. With one, every call carries a
token signed with it: HS256 and nothing else, with an end, and with the scope that its method needs.
"""

from __future__ import annotations

import re
import time
import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from types import ModuleType
from typing import Final

from everlore.accounts.values import Principal
from everlore.config import EmcpSection
from everlore.extras import missing
from everlore.types import Json

_LISTS = ("tools/list", "resources/list", "resources/templates/list", "resources/read", "prompts/list", "prompts/get")
READ: Final = frozenset({"initialize", "ping", "server/discover", "completion/complete", *_LISTS})
"""Methods that only tell what the server has."""
CODES: Final = {
    400: "invalid_payload",
    401: "unauthenticated",
    403: "forbidden",
    404: "not_found",
    405: "method_not_allowed",
    409: "idempotency_conflict",
    413: "payload_too_large",
    415: "unsupported_media_type",
    429: "rate_limited",
    503: "unavailable",
}
"""For programs, by the status of the answer."""


class Refused(Exception):
    """A call that is answered with a status. `code` is for programs, the text for people."""

    def __init__(self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.headers = headers or {}


@dataclass(frozen=True, slots=True)
class Actor:
    """`scopes` None: no token is asked for. `user_id` is a user of the site, 0 a visitor."""

    identity: str
    user_id: int = 0
    scopes: frozenset[str] | None = None

    def may(self, method: str) -> bool:
        return self.scopes is None or "*" in self.scopes or scope_of(method) in self.scopes


def scope_of(method: str) -> str:
    """The scope a method needs; one that nobody knows needs the highest."""
    if method == "tools/call":
        return "mcp:call"
    return "mcp:read" if method in READ or method.startswith("notifications/") else "mcp:admin"


def identify(header: str | None, address: str, settings: EmcpSection, account: Principal | None = None) -> Actor:
    """The caller behind an Authorization header, or the account whose key or token it was. Raises `Refused` (401)."""
    if account is not None:
        return Actor(f"account:{account.actor}", settings.user_id, frozenset({"mcp:read", "mcp:call"}))
    secret = settings.jwt_secret.get_secret_value()
    if not secret:
        return Actor(f"ip:{address}", settings.user_id)
    kind, _, token = (header or "").strip().partition(" ")
    if kind.lower() != "bearer" or not token.strip():
        raise Refused(401, "unauthenticated", "send Authorization: Bearer with a token of this server")
    jwt = _jwt()
    named = {"aud": settings.jwt_audience, "iss": settings.jwt_issuer}
    required = ["exp", *(claim for claim, value in named.items() if value)]
    try:
        claims = jwt.decode(
            token.strip(),
            secret,
            algorithms=["HS256"],
            leeway=settings.jwt_leeway_seconds,
            audience=settings.jwt_audience or None,
            issuer=settings.jwt_issuer or None,
            options={"require": required, "verify_aud": bool(settings.jwt_audience), "verify_sub": False},
        )
    except jwt.ExpiredSignatureError:
        raise Refused(401, "unauthenticated", "the token has expired; get a new one") from None
    except (jwt.PyJWTError, ValueError, TypeError, RecursionError):
        raise Refused(401, "unauthenticated", "the token is not valid here") from None
    if int(claims["exp"]) > time.time() + settings.jwt_max_days * 86_400:
        told = f"the token is valid for more than {settings.jwt_max_days} days; get one that ends sooner"
        raise Refused(401, "unauthenticated", told)
    user_id = int(claims["user_id"]) if re.fullmatch(r"\d{1,9}", str(claims.get("user_id"))) else 0
    subject = str(claims.get("sub") or "")[:100]
    if subject.isdecimal() or subject.startswith(("sub:", "ip:")):
        subject = f"sub:{subject}"  # it is no user of the site, and no address
    return Actor(f"api:{user_id or subject or f'ip:{address}'}", user_id, _scopes(claims))


@cache
def _jwt() -> ModuleType:
    """The library, imported when the first token comes: it brings much along, and few servers have a secret."""
    try:
        import jwt
    except ModuleNotFoundError:
        raise Refused(503, "unavailable", missing("cms")) from None

    # a short secret is the owner's decision; they are told so once, when the server starts
    warnings.filterwarnings("ignore", category=jwt.InsecureKeyLengthWarning)
    return jwt


def _scopes(claims: dict[str, Json]) -> frozenset[str]:
    """`scopes` as an array or as text with commas or blanks; `scope` as OAuth has it."""
    found: set[str] = set()
    for given in (claims.get("scopes"), claims.get("scope")):
        parts = given if isinstance(given, list) else [given]
        found.update(scope for part in parts if isinstance(part, str) for scope in re.split(r"[\s,]+", part) if scope)
    return frozenset(found)
