"""The toolset `evo`: the content tools over MCP."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Any

from everlore.config import load as load_settings
from everlore.content import arguments
from everlore.errors import InvalidInput
from everlore.surfaces.contracts.emcp.callers import Refused, identify
from everlore.surfaces.contracts.emcp.identity import IDENTITY
from everlore.surfaces.contracts.emcp.tools import OFFERED, SiteOpener, call, result, too_large
from everlore.surfaces.contracts.toolset import Caller, Tool, Toolset
from everlore.types import Json

if TYPE_CHECKING:  # a handshake must not wait for it
    from everlore.engine import Engine


class SiteTool(Tool):
    """Takes the one value that its name is offered with, which brings its own schema and its own sentences."""

    @cached_property
    def input_schema(self) -> Mapping[str, Json]:
        return arguments.schema(OFFERED[self.name][1], load_settings().emcp.max_result_items)

    def call(self, ask: Caller, arguments: Mapping[str, Json]) -> Json:
        engine = ask.engine
        structured: Json = self.function(engine, _user(ask, engine), self.name, arguments)
        limit = engine.settings.emcp.max_result_bytes
        # over HTTP the whole answer is measured, and refused with a status
        if not ask.headers and len(json.dumps(result(structured), ensure_ascii=False).encode()) > limit:
            raise InvalidInput(too_large(limit))
        return structured


def _user(ask: Caller, engine: Engine) -> int:
    """Who asks: over HTTP the bearer of a token, where the owner wants one; else the user of the settings."""
    settings = engine.settings.emcp
    if not ask.headers or not settings.jwt_secret.get_secret_value():
        return settings.user_id
    try:
        return identify(ask.headers.get("authorization"), "", settings, ask.principal).user_id
    except Refused as error:  # it ended on the way here from the gates
        raise InvalidInput(str(error)) from None


def toolset() -> Toolset:
    opener = SiteOpener()

    def answer(*asked: Any) -> Json:
        return call(opener, *asked)

    return Toolset(
        name="evo",
        identity=IDENTITY,
        tools=tuple(SiteTool(name, about, answer, reads=True) for name, (about, _) in OFFERED.items()),
        failures="rpc",
        invalid_code=-32602,
        missing_code=-32601,
    )
