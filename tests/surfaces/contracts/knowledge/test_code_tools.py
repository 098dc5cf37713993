"""The code tools of memory-mcp, on a real stdio process."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
from speaking import Client

SOURCE = """def roll_dice(sides):
    \"\"\"Throw once.\"\"\"
    return random.randint(1, sides)


class Board:
    def movePiece(self, piece, target):
        self.pieces[target] = piece
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    root = tmp_path / "dice-game"
    root.mkdir()
    (root / "game.py").write_text(SOURCE)
    (root / "notes.md").write_text("How to play.\n\nThrow the dice and move.\n")
    (root / ".gitignore").write_text("secret.py\n")
    (root / "secret.py").write_text("def hidden(): pass\n")
    return root


def until_completed(mcp: Client, project: str) -> dict[str, Any]:
    deadline = time.monotonic() + 60
    while (status := mcp.ok("get_index_status", project_id=project))["status"] != "completed":
        assert time.monotonic() < deadline, status
        time.sleep(0.1)
    return dict(status)


def test_a_project_is_indexed_searched_and_deleted(mcp: Client, project: Path) -> None:
    made = mcp.ok("index_project", path=str(project))
    assert set(made) == {"project_id", "files_indexed", "chunks_created"}
    assert made["project_id"] == "dice-game"
    assert made["files_indexed"] >= 2
    status = until_completed(mcp, "dice-game")
    assert status["progress_percent"] == 100
    assert status["indexed_files"] == status["total_files"]
    assert status["completed_at"]
    found = mcp.ok("search_code", query="movePiece")
    assert found["count"] == len(found["results"])
    best = found["results"][0]
    assert (best["file_path"], best["name"], best["language"]) == ("game.py", "movePiece", "python")
    lines = SOURCE.splitlines()[best["start_line"] - 1 : best["end_line"]]
    assert best["content"].splitlines() == lines
    assert 0 <= best["score"] <= 1
    assert "hidden" not in str(mcp.ok("search_code", query="hidden", limit=51)), "more than the most is the most"
    assert "limit" in mcp.refused("search_code", query="hidden", limit=0)
    assert mcp.ok("list_projects") == {"projects": ["dice-game"], "count": 1}
    assert mcp.ok("get_status")["code_chunks_count"] == status["total_chunks"]
    assert mcp.ok("delete_project", project_id="dice-game") == {"chunks_deleted": status["total_chunks"]}
    assert mcp.ok("list_projects") == {"projects": [], "count": 0}


def test_only_what_changed_is_indexed_again(mcp: Client, project: Path) -> None:
    mcp.ok("index_project", path=str(project))
    until_completed(mcp, "dice-game")
    assert mcp.ok("index_project", path=str(project))["files_indexed"] == 0
    (project / "game.py").write_text(SOURCE.replace("roll_dice", "cast_dice"))
    assert mcp.ok("index_project", path=str(project))["files_indexed"] == 1
    assert mcp.ok("search_code", query="cast_dice")["results"][0]["name"] == "cast_dice"


def test_recall_brings_memories_and_code_on_one_scale(mcp: Client, project: Path) -> None:
    for text in ("The dice are thrown once per turn.", "The board is made of oak.", "Anna wins most games."):
        mcp.store(text)
    mcp.ok("index_project", path=str(project))
    until_completed(mcp, "dice-game")
    both = mcp.ok("recall", query="throw the dice", include_code=True)
    sources = [one["source"] for one in both["results"]]
    assert (sources.count("memory"), sources.count("code")) == (both["memories_count"], both["code_count"])
    assert both["memories_count"] > 0
    assert both["code_count"] > 0
    scores = [one["score"] for one in both["results"]]
    assert scores == sorted(scores, reverse=True)
    assert scores[0] > 0 > scores[-1], "z-scores lie around nothing"
    code = next(one for one in both["results"] if one["source"] == "code")
    assert {"file_path", "start_line", "end_line"} <= set(code)
    only = mcp.ok("recall", query="throw the dice", include_code=True, include_memories=False, project_id="dice-game")
    assert {one["source"] for one in only["results"]} == {"code"}
    other = mcp.ok("recall", query="throw the dice", include_code=True, include_memories=False, language="rust")
    assert other["results"] == []


@pytest.mark.parametrize("limit", [1, 2, 10])
def test_an_identifier_beats_memories_without_a_shared_word(mcp: Client, project: Path, limit: int) -> None:
    for text in ("The cafeteria opens at eight.", "Invoices are kept for ten years.", "Parking is free for visitors."):
        mcp.store(text)
    mcp.ok("index_project", path=str(project))
    until_completed(mcp, "dice-game")
    found = mcp.ok("recall", query="roll_dice", include_code=True, limit=limit)["results"]
    assert "roll_dice" in found[0]["content"]
    assert mcp.ok("recall", query="cafeteria", include_code=True, limit=limit)["results"][0]["source"] == "memory"


@pytest.mark.parametrize("path", ["/no/such/folder", ""])
def test_a_bad_path_is_named(mcp: Client, path: str) -> None:
    assert mcp.refused("index_project", path=path).startswith(f"Invalid path: {path}")


def test_unknown_projects_are_errors(mcp: Client) -> None:
    for tool in ("get_index_status", "delete_project"):
        assert "nothing-here" in mcp.refused(tool, project_id="nothing-here")
    assert "nothing-here" in mcp.refused("search_code", query="x", project_id="nothing-here")


def test_a_watched_project_follows_its_files(mcp: Client, project: Path) -> None:
    mcp.ok("index_project", path=str(project), watch=True)
    until_completed(mcp, "dice-game")
    (project / "more.py").write_text("def shuffle_cards(deck):\n    return sorted(deck, key=hash)\n")
    deadline = time.monotonic() + 120
    while not any(hit["name"] == "shuffle_cards" for hit in mcp.ok("search_code", query="shuffle_cards")["results"]):
        assert time.monotonic() < deadline
        time.sleep(0.2)
    mcp.ok("delete_project", project_id="dice-game")
