"""The Evolution CMS content toolset: what its tools are called, what they take, and how one is called.

The HTTP route and the MCP servers share all of it. Database libraries are imported by the first call, since a
handshake needs none.
"""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from everlore.config import load as load_settings
from everlore.content import arguments as a
from everlore.errors import InvalidInput, NotFound
from everlore.surfaces.contracts.emcp.callers import identify
from everlore.surfaces.contracts.emcp.refusals import Refused
from everlore.surfaces.mcp.toolset import CALLER, Tool, Toolset
from everlore.surfaces.mcp.toolsets import IDENTITIES
from everlore.types import Json
from everlore.vault.folder import SYSTEM

if TYPE_CHECKING:
    from everlore.content.connect import Site
    from everlore.engine import Engine

HANDLE: Final = "content"
IDENTITY: Final = IDENTITIES["evo"]()
CAPABILITIES: Final = {name: value for name, value in IDENTITY.capabilities.items() if name != "tools"}
"""The version stands there twice, for clients that drop the capabilities they do not know."""
EMBEDDED: Final = "content.db"

OFFERED: Final[Mapping[str, tuple[str, type[a.Arguments]]]] = {
    "evo.content.search": (
        "Find documents by place in the tree, flags, template variables and tags.",
        a.Search,
    ),
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


@dataclass(frozen=True, slots=True)
class Opener:
    """Opens the site of an engine when it is first needed, once."""

    _opened: list[Site] = field(default_factory=list)
    _lock: threading.Lock = field(default_factory=threading.Lock)

    def site(self, engine: Engine) -> Site:
        with self._lock:
            if not self._opened:
                from everlore.content.connect import open_site  # a handshake must not wait for it

                self._opened.append(open_site(engine.settings.emcp, engine.settings.memory.root / SYSTEM / EMBEDDED))
            return self._opened[0]

    def close(self) -> None:
        with self._lock:
            for site in self._opened:
                site.close()
            self._opened.clear()


def call(opener: Opener, engine: Engine, user_id: int, name: str, arguments: Json) -> dict[str, Json]:
    """The answer of a tool to a user of the site (0: a visitor)."""
    if name not in OFFERED:
        raise NotFound(f"there is no tool {name[:100]!r}")
    checked = a.check(OFFERED[name][1], arguments, engine.settings.emcp.max_result_items)
    from everlore.content.access import Caller  # a handshake must not wait for it
    from everlore.content.tools import TOOLS

    return TOOLS[name](opener.site(engine), Caller(user_id), checked)


def result(structured: dict[str, Json]) -> dict[str, Json]:
    """The answer of a tool as `tools/call` gives it."""
    text = json.dumps(structured, ensure_ascii=False, separators=(",", ":"))
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


def toolset() -> Toolset:
    opener, max_items = Opener(), load_settings().emcp.max_result_items
    return Toolset(
        name="evo",
        server_name=IDENTITY.server_name,
        server_version=IDENTITY.server_version,
        instructions=IDENTITY.instructions,
        tools=tuple(
            Tool(
                name=tool["name"],
                description=tool["description"],
                input_schema=tool["inputSchema"],
                run=partial(_run, opener, tool["name"]),
                read_only=True,
                idempotent=True,
                lenient=frozenset(tool["inputSchema"]["properties"]),
            )
            for tool in described(max_items)
        ),
        failures="rpc",
        invalid_code=-32602,
        missing_code=-32601,
        default_version=IDENTITY.version,
        server_fields=IDENTITY.server_fields,
        capabilities=CAPABILITIES,
    )


def _run(opener: Opener, name: str, engine: Engine, arguments: Mapping[str, Json]) -> Any:
    structured = call(opener, engine, _user(engine), name, arguments)
    caller, limit = CALLER.get(None), engine.settings.emcp.max_result_bytes
    # over HTTP the whole answer is measured, and refused with a status
    if not (caller and caller.headers) and len(json.dumps(result(structured), ensure_ascii=False).encode()) > limit:
        raise InvalidInput(too_large(limit))
    return structured


def _user(engine: Engine) -> int:
    """Who asks: over HTTP the bearer of a token, where the owner wants one; else the user of the settings."""
    caller = CALLER.get(None)
    if caller is None or not caller.headers or not engine.settings.emcp.jwt_secret.get_secret_value():
        return engine.settings.emcp.user_id
    try:
        return identify(caller.headers.get("authorization"), "", engine.settings.emcp, caller.principal).user_id
    except Refused as error:  # it ended on the way here from the gates
        raise InvalidInput(str(error)) from None
