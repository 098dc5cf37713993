"""kill -9 while a draft is reviewed, or a review undone: afterwards it is one or the other, never half of both."""

from __future__ import annotations

from contextlib import suppress
from pathlib import Path
from typing import Literal

import pytest
from crash_curation import REPLY, review_and_die, tell
from embeddings import Endpoint
from vaults import ALICE, assert_index_equals_files, facts, open_vault
from warm_start import killed_at_steps

from everlore.errors import NotFound
from everlore.memory import curate, review, undo_curation
from everlore.sync import worker
from everlore.sync.upkeep import index_changes

POINTS = 14
"""At how many of its steps each operation is killed."""


@pytest.mark.parametrize("operation", ["curate", "undo"])
def test_a_review_that_is_killed_at_any_step_is_finished_or_was_never_there(
    operation: Literal["curate", "undo"], tmp_path: Path, vectors: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(worker, "SETTLE_SECONDS", 0.01)
    template = tmp_path / "template"
    engine = open_vault(template, vectors.url)
    tell(engine)
    draft = sorted(str(fact["content"]) for fact in facts(engine, ALICE))
    engine.close()

    for point, root in enumerate(killed_at_steps(review_and_die, operation, POINTS, template, vectors.url)):
        engine = open_vault(root, vectors.url)
        try:
            index_changes(engine)
            assert_index_equals_files(engine)
            if operation == "undo":
                with suppress(NotFound):  # the one that was killed may have finished
                    undo_curation(engine, ALICE, "alice_ep_20260529_00000001")
                assert sorted(str(fact["content"]) for fact in facts(engine, ALICE)) == draft
            for item in review(engine, ALICE, limit=5, seconds=1):  # finishes what was begun
                if item.id.endswith("20260529_00000001"):
                    curate(engine, ALICE, item.id, item.lease, REPLY, "tests")
            told = [str(fact["content"]) for fact in facts(engine, ALICE)]
            begun = told.count("Alice lives in Graz.")
            assert begun <= 1
            assert begun == told.count("Never book flights before 9:30 for Alice.")
            assert begun or sorted(told) == draft, "the lease of the one that was killed still runs"
            assert_index_equals_files(engine)
        except BaseException as error:
            error.add_note(f"killed at step {point} of {POINTS}, vault {root}")
            raise
        finally:
            engine.close()
