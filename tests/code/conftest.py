"""A small shop, in Python, Rust and prose."""

from __future__ import annotations

from pathlib import Path

import pytest
from code_tools_client import CART, MAIN_RS, put


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    root = tmp_path / "shop"
    put(root, "src/cart.py", CART)
    put(root, "src/main.rs", MAIN_RS)
    put(root, "README.md", "# Shop\n\nHow refunds are handled by the accounting people.\n")
    put(root, "node_modules/left/pad.js", "function leftPad() {}\n")
    return root
