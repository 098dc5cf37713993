"""The content tools: what they are called, what they take, and how one is called, over HTTP and as the toolset `evo`.

Database libraries are imported by the first call, since a handshake needs none.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cached_property
from typing import TYPE_CHECKING, Final

from everlore.config import load as load_settings
from everlore.content import arguments as a
from everlore.engine import Engine
from everlore.errors import InvalidInput, NotFound
from everlore.extras import load, require
from everlore.surfaces.contracts.emcp import IDENTITY
from everlore.surfaces.contracts.emcp.callers import Refused, identify
from everlore.surfaces.contracts.quoting import escaped
from everlore.surfaces.contracts.toolset import Caller, Tool, Toolset
from everlore.types import Json
from everlore.vault.folder import SYSTEM

if TYPE_CHECKING:
    from everlore.content.connect import Site

HANDLE: Final = "content"
EMBEDDED: Final = "content.db"

OFFERED: Final[Mapping[str, tuple[str, type[a.Arguments]]]] = {
    "evo.content.search": ("Find documents by place in the tree, flags, template variables and tags.", a.Search),
    "evo.content.get": ("One document by its id; item is null when there is none.", a.Get),
    "evo.content.root_tree": ("The root documents and the levels below them, as a flat list.", a.RootTree),
    "evo.content.descendants": ("Documents below one, down to `depth` levels.", a.DeepNode),
    "evo.content.ancestors": ("Documents above one, the root first.", a.Ancestors),
    "evo.content.children": ("The direct children of a document, in menu order.", a.Node),
    "evo.content.siblings": ("Documents with the same parent, in menu order.", a.Node),
    "evo.content.neighbors": ("The siblings one menu place before and after a document.", a.Node),
    "evo.content.prev_siblings": ("Siblings before a document, the nearest first.", a.Node),
    "evo.content.next_siblings": ("Siblings after a document, the nearest first.", a.Node),
    "evo.content.children_range": ("Children whose menuindex is in a range.", a.Range),
    "evo.content.siblings_range": ("Siblings whose menuindex is in a range.", a.Range),
    "evo.model.list": ("Records of one model of the site: templates, variables, users and others.", a.ModelList),
    "evo.model.get": ("One record of a model by its id; item is null when there is none.", a.ModelGet),
}


def open_site(engine: Engine) -> Site:
    """For `engine.part`: the site is opened when it is first needed, and closed with the engine."""
    require("cms")
    embedded = engine.settings.memory.root / SYSTEM / EMBEDDED
    site: Site = load("everlore.content.connect:open_site")(engine.settings.emcp, embedded)
    return site


def call(engine: Engine, user_id: int, name: str, arguments: Json) -> dict[str, Json]:
    """The answer of a tool to a user of the site (0: a visitor)."""
    if name not in OFFERED:
        raise NotFound(f"there is no tool {name[:100]!r}")
    checked = a.check(OFFERED[name][1], arguments, engine.settings.emcp.max_result_items)
    site, caller = engine.part(open_site), load("everlore.content.access:Caller")(user_id)
    found: dict[str, Json] = load("everlore.content.tools:TOOLS")[name](site, caller, checked)
    return found


def result(structured: dict[str, Json]) -> dict[str, Json]:
    """The answer of a tool as `tools/call` gives it."""
    text = escaped(json.dumps(structured, ensure_ascii=False, separators=(",", ":")))
    return {"content": [{"type": "text", "text": text}], "isError": False, "structuredContent": structured}


def too_large(limit: int) -> str:
    return f"the answer is larger than {limit} bytes: ask for fewer items"


def described(max_items: int) -> list[dict[str, Json]]:
    """The tools as `tools/list` shows them."""
    return [
        {
            "name": name,
            "description": description,
            "inputSchema": a.schema(shape, max_items),
            "annotations": {"readOnlyHint": True, "destructiveHint": False, "idempotentHint": True},
        }
        for name, (description, shape) in OFFERED.items()
    ]


class SiteTool(Tool):
    """Takes the one value that its name is offered with, which brings its own schema and its own sentences."""

    @cached_property
    def input_schema(self) -> Mapping[str, Json]:
        return a.schema(OFFERED[self.name][1], load_settings().emcp.max_result_items)

    def call(self, ask: Caller, arguments: Mapping[str, Json]) -> Json:
        structured = call(ask.engine, _user(ask), self.name, arguments)
        limit = ask.engine.settings.emcp.max_result_bytes
        # over HTTP the whole answer is measured, and refused with a status
        if not ask.headers and len(json.dumps(result(structured), ensure_ascii=False).encode()) > limit:
            raise InvalidInput(too_large(limit))
        return structured


def _user(ask: Caller) -> int:
    """Who asks: over HTTP the bearer of a token, where the owner wants one; else the user of the settings."""
    settings = ask.engine.settings.emcp
    if not ask.headers or not settings.jwt_secret.get_secret_value():
        return settings.user_id
    try:
        return identify(ask.headers.get("authorization"), "", settings, ask.principal).user_id
    except Refused as error:  # it ended on the way here from the gates
        raise InvalidInput(str(error)) from None


def toolset() -> Toolset:
    return Toolset(
        name="evo",
        identity=IDENTITY,
        tools=tuple(SiteTool(name, about, call, reads=True) for name, (about, _) in OFFERED.items()),
        failures="rpc",
        invalid_code=-32602,
        missing_code=-32601,
    )
