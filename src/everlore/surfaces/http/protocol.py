"""The error envelope for what is not even HTTP, and so never reaches the application."""

from __future__ import annotations

import json
import secrets

import h11
from uvicorn.protocols.http.h11_impl import H11Protocol

from everlore.clock import Clock


class EnvelopeProtocol(H11Protocol):
    def send_400_response(self, msg: str) -> None:
        clock = Clock()
        request_id = secrets.token_hex(16)
        body = {
            "request_id": request_id,
            "error": {
                "code": "HTTP_ERROR",
                "message": msg,
                "timestamp": clock.local(clock.now()).isoformat(timespec="seconds"),
                "path": "",
            },
        }
        content = json.dumps(body).encode()
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
