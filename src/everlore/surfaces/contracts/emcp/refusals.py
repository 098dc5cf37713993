"""What is answered to a call that does not even become JSON-RPC: a status, and a code for programs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

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


class Refused(Exception):
    """A call that is answered with a status. `code` is for programs, the text for people."""

    def __init__(self, status: int, code: str, message: str, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(message)
        self.status = status
        self.code = code
        self.headers = headers or {}
