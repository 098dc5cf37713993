"""A fact that is put back is in the profile again, also when that fails at first."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from vaults import ALICE, MAY_28, SCOPE, contents, facts, says

from everlore.engine import Engine
from everlore.errors import Unavailable
from everlore.memory import flush, profile, remember
from everlore.sync import index_changes
from everlore.vault.base import LOCK_SECONDS, Change

FACTS = "facts/fact-2026-05-28.md"


@pytest.fixture
def alice(engine: Engine) -> Path:
    for number, text in enumerate(("I live in Graz.", "I work as a nurse.")):
        remember(engine, SCOPE, f"s{number}", [says(text, at=MAY_28 + number * 60_000)])
        assert flush(engine, SCOPE, f"s{number}")
    return engine.settings.memory.root / "default_app/default_project/users/alice"


def known(engine: Engine) -> tuple[int, list[str], list[str]]:
    """Episodes, facts and what the profile lists."""
    stored = profile(engine, ALICE)
    listed = sorted(str(info["description"]) for info in stored.data["explicit_info"]) if stored else []
    return len(contents(engine, ALICE)), sorted(str(fact["content"]) for fact in facts(engine, ALICE)), listed


def test_what_could_not_be_put_back_at_once_is_when_the_file_is_looked_at_again(
    engine: Engine, alice: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, text = known(engine), (alice / FACTS).read_text(encoding="utf-8")
    start = text.rindex("<!-- entry:", 0, text.index("in Graz"))
    end = text.index("\n", text.index("<!-- /entry:", start)) + 1
    (alice / FACTS).write_text(text[:start] + text[end:], encoding="utf-8")
    index_changes(engine)
    assert "Graz" not in str(known(engine)[2])
    change, refused = engine.vault.change, list[str]()

    def busy(path: str, edit: Callable[[str | None], str | None], timeout: float = LOCK_SECONDS) -> Change:
        if path.endswith("user.md") and not refused:
            refused.append(path)
            raise Unavailable("user.md is being written by another program all the time")
        return change(path, edit, timeout)

    monkeypatch.setattr(engine.vault, "change", busy)
    (alice / FACTS).write_text(text, encoding="utf-8")
    index_changes(engine)
    assert refused
    (alice / FACTS).touch()
    index_changes(engine)
    assert known(engine) == before
