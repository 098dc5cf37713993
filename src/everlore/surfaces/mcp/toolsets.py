"""The toolsets by name, one or several at once. Nothing of a toolset is imported before it is asked for: what hosts are
told first is kept as data (`offers/`, written by `make docs` from the tools themselves)."""

from __future__ import annotations

import json
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from everlore.errors import InvalidInput, Misconfigured
from everlore.surfaces.contracts.identity import Identity
from everlore.surfaces.mcp.protocol import LISTS, STATELESS, Object, Offer
from everlore.written import settings

if TYPE_CHECKING:
    from everlore.surfaces.contracts.toolset import Toolset

CONTRACTS = {"knowledge": "knowledge", "records": "records", "everme": "everme", "evo": "emcp", "review": "review"}
NAMES = tuple(CONTRACTS)
OFFERS = Path(__file__).parent / "offers"
_LIMITS = ("SEARCH_DEFAULT_LIMIT", "SEARCH_MAX_LIMIT", "MAX_CONTENT_LENGTH", "MAX_TAGS_COUNT")
_OTHERS = ("EMBEDDINGS_MAX_RETRIES", "LOG_LEVEL", "MCP_DEBUG_LOG_PATH")


def named(text: str) -> tuple[str, ...]:
    """The toolsets of a list such as `everme,review`."""
    names = tuple(dict.fromkeys(part.strip() for part in text.split(",")))
    for name in names:
        if name not in CONTRACTS:
            raise InvalidInput(f"there is no {name!r}; there are: {', '.join(NAMES)}")
    return names


def variables(names: Sequence[str]) -> tuple[str, ...]:
    """Those of a contract that change what its tools do."""
    return (*_LIMITS, *_OTHERS) if "records" in names else ()


def identity(name: str) -> Identity:
    """Apart from the tools, and the engine they work on: a handshake is answered before these are imported."""
    found: Identity = _part(name).IDENTITY
    return found


def offer(names: Sequence[str], environ: Mapping[str, str] = os.environ) -> Offer:
    """From data. Lists that a setting of this environment would change are left to who has an engine."""
    found = joined([(identity(name), json.loads((OFFERS / f"{name}.json").read_bytes())) for name in names])
    emcp = settings(environ).get("emcp") if "evo" in names else None
    limits = "records" in names and any(map(environ.get, _LIMITS))
    if not limits and not (isinstance(emcp, dict) and "max_result_items" in emcp):
        return found
    asked = {**found.asked, **{method: {} for method in LISTS if method in found.lists["handshake"]}}
    return Offer(found.identity, {"handshake": {}, STATELESS: {}}, asked)


def joined(kept: Sequence[tuple[Identity, Object]]) -> Offer:
    """Several toolsets as one: the first says who we are, and each its own instructions."""
    identities = [one for one, _ in kept]
    both = replace(
        identities[0],
        instructions="\n\n".join(one.instructions for one in identities if one.instructions),
        capabilities={name: value for one in reversed(identities) for name, value in one.capabilities.items()},
    )
    lists: dict[str, dict[str, Object]] = {"handshake": {}, STATELESS: {}}
    asked: Object = {}
    for _, data in kept:
        for era, found in lists.items():
            for method, result in data[era].items():
                before = found.get(method, {})
                found[method] = result | {
                    name: [*before.get(name, ()), *value] for name, value in result.items() if isinstance(value, list)
                }
        for method, tools in data["asked"].items():
            asked[method] = {**asked.get(method, {}), **tools}
    return Offer(both, lists, asked)


def check(name: str) -> None:
    """Before a host is spoken to: raise `Misconfigured` where a toolset can tell that it will not work, and warn about
    variables of its contract that cannot be used as they are."""
    if name == "records":
        for complaint in _part(name, ".environment").ENVIRONMENT.complaints:
            print(f"warning: {complaint}", file=sys.stderr)
    if name == "everme":
        root = Path(os.environ.get("EVEROS_MEMORY__ROOT") or "~/.everos").expanduser()
        there = next(path for path in (root, *root.absolute().parents) if path.exists())
        if _part(name, ".remote").configured() is None and not there.is_dir():
            raise Misconfigured(f"{there} is not a folder; set EVEROS_MEMORY__ROOT to the vault's folder")


def load(name: str) -> Toolset:
    toolset: Toolset = _part(name, ".toolset").toolset()
    return toolset


def _part(name: str, module: str = "") -> Any:
    return import_module(f"everlore.surfaces.contracts.{CONTRACTS[name]}{module}")


def loaders(names: tuple[str, ...] = NAMES) -> dict[str, Callable[[], Toolset]]:
    """By name, what `load` would do."""
    return {name: partial(load, name) for name in names}
