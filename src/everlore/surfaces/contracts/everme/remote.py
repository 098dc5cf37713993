"""Where the toolset's memories are: in this vault, or behind a gateway named by EVERME_* variables.

Setting EVERME_API_BASE means the gateway; then an agent's id and token are needed as well, and their absence is said
before anything else happens.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from everlore.errors import Denied, InvalidInput, Misconfigured, NotFound, Unavailable
from everlore.redact import redact
from everlore.types import Json

if TYPE_CHECKING:
    import httpx

PREFIX = "/api/v1"
TIMEOUT_SECONDS = 30.0
_TOKEN = re.compile(r"(?:evt|emk)_[0-9a-f]{32}")


@dataclass(frozen=True, slots=True)
class Gateway:
    base_url: str
    agent_id: str
    token: str = field(repr=False)


def configured(env: Mapping[str, str] = os.environ) -> Gateway | None:
    """The gateway to use, None for this vault. Raises `Misconfigured`."""
    base = env.get("EVERME_API_BASE", "").strip().rstrip("/")
    if not base:
        return None
    agent, token = env.get("EVERME_AGENT_ID", "").strip(), env.get("EVERME_AGENT_TOKEN", "").strip()
    missing = [name for name, value in (("EVERME_AGENT_ID", agent), ("EVERME_AGENT_TOKEN", token)) if not value]
    if missing:
        raise Misconfigured(f"EVERME_API_BASE is set, but {' and '.join(missing)} not; run `evercli plugin install`")
    if urlsplit(base).scheme not in ("http", "https") or not urlsplit(base).netloc:
        raise Misconfigured("EVERME_API_BASE must be an address such as http://127.0.0.1:8000")
    if not _TOKEN.fullmatch(token):
        raise Misconfigured("EVERME_AGENT_TOKEN is not an agent token (evt_ and 32 hexadecimal digits)")
    return Gateway(base if base.endswith(PREFIX) else base + PREFIX, agent, token)


def post(client: httpx.Client, path: str, body: Mapping[str, Json]) -> dict[str, Json]:
    """The result of one call, sent once: a save that was lost on the way must not be made twice."""
    import httpx

    try:
        response = client.post(path, json=dict(body))
    except httpx.TimeoutException:
        raise Unavailable(f"the gateway did not answer within {TIMEOUT_SECONDS:g} seconds") from None
    except httpx.HTTPError as error:
        raise Unavailable(f"the gateway at {client.base_url.host} cannot be reached: {redact(str(error))}") from None
    try:
        answer = response.json()
    except ValueError:
        answer = None
    if not isinstance(answer, dict) or "status" not in answer:
        raise Unavailable(f"the gateway answered HTTP {response.status_code} without its envelope")
    if answer["status"] == 0:
        result = answer.get("result")
        return result if isinstance(result, dict) else {}
    raise _error(answer, response.status_code)


def opened(gateway: Gateway) -> httpx.Client:
    import httpx

    headers = {
        "Authorization": f"Bearer {gateway.token}",
        "Accept": "application/json",
        "User-Agent": f"everlore-everme (agentId={gateway.agent_id})",
    }
    return httpx.Client(base_url=gateway.base_url, headers=headers, timeout=TIMEOUT_SECONDS)


def _error(answer: Mapping[str, Json], status: int) -> Exception:
    code = answer["status"] if isinstance(answer["status"], int) else 0
    text = redact(str(answer.get("error") or f"HTTP {status}"))
    if 30000 <= code < 30400 and code not in (30005, 30104):
        return Denied("gateway", f"{text} (run `evercli plugin install` to register again)")
    if code == 40101:
        return NotFound(text)
    return InvalidInput(text) if 20000 <= code < 20005 else Unavailable(text)
