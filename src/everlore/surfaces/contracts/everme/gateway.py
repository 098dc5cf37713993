"""The gateway's envelope and its numeric codes: `{error, requestId, status, result}`, also for HTTP's own errors.

The codes are those that EverMe's clients sort by: 300xx to 303xx is about the credential, 30104 means slow down,
4xxxx is about a record, 5xxxx about the server. Everything else is the caller's request (2xxxx).
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from pydantic import BaseModel, Field

from everlore.errors import Conflict, Denied, EverloreError, InvalidInput, NotFound, Unavailable, UnsupportedMedia

CODES: Mapping[int, tuple[str, int]] = {
    20001: ("ErrInvalidParams", 400),
    20002: ("ErrNotFound", 404),
    20003: ("ErrMethodNotAllowed", 405),
    20004: ("ErrUnsupportedMedia", 415),
    20005: ("ErrRateLimited", 429),
    20006: ("ErrTooLarge", 413),
    30001: ("ErrUnauthorized", 401),
    30002: ("ErrForbidden", 403),
    30003: ("ErrTokenInvalid", 401),
    30101: ("ErrDeviceCodeInvalid", 400),
    30103: ("ErrDeviceDenied", 403),
    30104: ("ErrSlowDown", 429),
    30201: ("ErrApiKeyInvalid", 401),
    30202: ("ErrApiKeyRevoked", 401),
    30203: ("ErrApiKeyExpired", 401),
    30301: ("ErrAgentTokenInvalid", 401),
    30302: ("ErrAgentDisconnected", 401),
    30303: ("ErrScopeInsufficient", 403),
    30304: ("ErrAgentTokenExpired", 401),
    40005: ("ErrIdempotencyConflict", 409),
    40101: ("ErrRecordNotFound", 404),
    40102: ("ErrUploadNotFound", 404),
    40103: ("ErrUploadExpired", 403),
    40104: ("ErrUploadMismatch", 400),
    50000: ("ErrInternal", 500),
    50101: ("ErrUnavailable", 503),
}
DENIALS = {
    "missing": 30001,
    "malformed": 30003,
    "device": 30101,
    "slow": 30104,
    "key_invalid": 30201,
    "key_revoked": 30202,
    "key_expired": 30203,
    "agent_invalid": 30301,
    "agent_revoked": 30302,
    "scope": 30303,
    "agent_expired": 30304,
}
OF_STATUS = {400: 20001, 404: 20002, 405: 20003, 413: 20006, 415: 20004, 422: 20001, 429: 20005, 403: 30002, 503: 50101}
"""The code of what is about HTTP, not about the gateway's own matters."""
_OF_ERROR: tuple[tuple[type[EverloreError], int], ...] = (
    (InvalidInput, 20001),
    (UnsupportedMedia, 20001),
    (NotFound, 40101),
    (Conflict, 40005),
    (Unavailable, 50101),
)


class Refusal(Exception):
    """An answer other than success, by its code."""

    def __init__(self, code: int, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.headers = dict(headers or {})


class Envelope(BaseModel):
    """Every answer of the gateway."""

    error: str
    request_id: str = Field(alias="requestId")
    status: int
    result: dict[str, Any] | None


def code_of(error: EverloreError) -> int:
    if isinstance(error, Denied):
        return DENIALS[error.why]
    return next((code for kind, code in _OF_ERROR if isinstance(error, kind)), 50000)


def code_of_status(status: int) -> int:
    return OF_STATUS.get(status, 20001 if status < 500 else 50000)
