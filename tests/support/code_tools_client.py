"""Calling the code tools as the MCP core does."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from vaults import within

from everlore.engine import Engine
from everlore.surfaces.contracts.knowledge.code_tools import TOOLS
from everlore.surfaces.contracts.toolset import Caller

BY_NAME = {tool.name: tool for tool in TOOLS}

CART = '''"""A shop."""


class ShoppingCart:
    """Collects what a customer wants to buy."""

    def add_item(self, item, quantity=1):
        """Put an article into the cart."""
        self.items.append((item, quantity))

    def totalPrice(self):
        return sum(item.price * quantity for item, quantity in self.items)


def parse_config(path):
    """Read the settings from a TOML file."""
    return tomllib.loads(path.read_text())
'''
MAIN_RS = """fn main() {
    println!("hello");
}

pub struct Engine {
    cylinders: u32,
}
"""


def call(engine: Engine, name: str, **arguments: Any) -> dict[str, Any]:
    answer = BY_NAME[name].call(Caller(lambda _: engine), arguments)
    assert isinstance(answer, dict)
    return answer


def put(root: Path, name: str, content: str = "x = 1\n") -> Path:
    path = root / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(content, encoding="utf-8")
    return path


def completed(engine: Engine, project: str, seconds: float = 30) -> dict[str, Any]:
    within(seconds, lambda: status(engine, project)["status"] == "completed")
    return status(engine, project)


def status(engine: Engine, project: str) -> dict[str, Any]:
    return call(engine, "get_index_status", project_id=project)


def names(engine: Engine, query: str, **arguments: Any) -> list[str | None]:
    return [hit["name"] for hit in call(engine, "search_code", query=query, **arguments)["results"]]
