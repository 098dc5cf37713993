"""The error envelope for what is not even HTTP, and so never reaches the application."""

from __future__ import annotations

import secrets

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from everlore.clock import Clock
from everlore.surfaces.contracts.everos.answers import Failure


class EnvelopeProtocol(H11Protocol):
    def send_400_response(self, msg: str) -> None:
        request_id = secrets.token_hex(16)
        content = Failure.of(request_id, 400, msg, "", Clock()).model_dump_json().encode()
        headers = [
            (b"content-type", b"application/json"),
            (b"content-length", str(len(content)).encode()),
            (b"x-request-id", request_id.encode()),
            (b"connection", b"close"),
        ]
        for event in (
            h11.Response(status_code=400, headers=headers, reason=b"Bad Request"),
            h11.Data(data=content),
            h11.EndOfMessage(),
        ):
            self.transport.write(self.conn.send(event))
        self.transport.close()
