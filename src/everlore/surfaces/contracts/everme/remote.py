"""Where the toolset's memories are: in this vault, or behind a gateway named by EVERME_* variables.

Setting EVERME_API_BASE means the gateway; then an agent's id and token are needed as well, and their absence is said
before anything else happens.
"""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cache
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


def configured(env: Mapping[str, str] = os.environ) -> tuple[str, dict[str, str]] | None:
    """The address of the gateway to use, and the headers of a request; None for this vault. Raises `Misconfigured`."""
    base, agent, token = (
        env.get(name, "").strip() for name in ("EVERME_API_BASE", "EVERME_AGENT_ID", "EVERME_AGENT_TOKEN")
    )
    if not base:
        return None
    missing = [name for name, value in (("EVERME_AGENT_ID", agent), ("EVERME_AGENT_TOKEN", token)) if not value]
    if missing:
        raise Misconfigured(f"EVERME_API_BASE is set, but {' and '.join(missing)} not; run `evercli plugin install`")
    if urlsplit(base).scheme not in ("http", "https") or not urlsplit(base).netloc:
        raise Misconfigured("EVERME_API_BASE must be an address such as http://127.0.0.1:8000")
    if not _TOKEN.fullmatch(token):
        raise Misconfigured("EVERME_AGENT_TOKEN is not an agent token (evt_ and 32 hexadecimal digits)")
    headers = {
        "Authorization": f"Bearer {token}",
        "Accept": "application/json",
        "User-Agent": f"everlore-everme (agentId={agent})",
    }
    return base.rstrip("/").removesuffix(PREFIX) + PREFIX, headers


@cache
def gateway() -> httpx.Client | None:
    """None where this vault is meant. Raises `Misconfigured`."""
    named = configured()
    if named is None:
        return None
    import httpx

    return httpx.Client(base_url=named[0], headers=named[1], timeout=TIMEOUT_SECONDS)


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
    code = answer["status"] if isinstance(answer["status"], int) else 0
    text = redact(str(answer.get("error") or f"HTTP {response.status_code}"))
    if 30000 <= code < 30400 and code not in (30005, 30104):
        raise Denied("gateway", f"{text} (run `evercli plugin install` to register again)")
    if code == 40101:
        raise NotFound(text)
    raise InvalidInput(text) if 20000 <= code < 20005 else Unavailable(text)
