"""Who calls whom."""

from __future__ import annotations

from pathlib import Path

from code_tools_client import call, completed, put

from everlore.code import code_hits
from everlore.engine import Engine


def test_what_the_best_hits_call_is_near_to_them(engine: Engine, tmp_path: Path) -> None:
    root = tmp_path / "calls"
    put(root, "a.py", "def settle_invoice(bill):\n    return round_amount(bill) + lookup(bill)\n")
    put(root, "b.py", "def round_amount(value):\n    return int(value)\n")
    put(root, "c.py", "def unrelated_thing(value):\n    return int(value)\n")
    put(root, "d.py", "\n\n".join(f"class C{n}:\n    def lookup(self): return int(value)" for n in range(5)))
    call(engine, "index_project", path=str(root))
    completed(engine, "calls")
    near = {hit.name: hit.ppr_score for hit in code_hits(engine, "settle invoice value", "calls", limit=50)}
    assert near["settle_invoice"] == 1.0
    assert 0 < near["round_amount"] <= 1
    assert near["round_amount"] > near["unrelated_thing"]
