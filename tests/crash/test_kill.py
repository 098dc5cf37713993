"""kill -9 at any moment: nothing acknowledged is lost or doubled, and the index equals the files afterwards."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import pytest
from crash_driver import Job, Step, die_at, drive
from embeddings import Endpoint
from ledger import Ledger, for_lines
from vaults import (
    ALICE,
    BOB,
    HELPER,
    MAY_28,
    SCOPE,
    assert_index_equals_files,
    contents,
    facts,
    in_files,
    open_vault,
    says,
)
from warm_start import killed_at_steps, processes

from everlore.engine import Engine
from everlore.memory import binned, flush, recover, remember, restore, unprocessed
from everlore.sync import worker
from everlore.sync.upkeep import index_changes

ROUNDS = 60
ROUNDS_PER_VAULT = 15
POINTS: Mapping[Step, int] = {"flush": 26, "forget": 12, "deletion": 12}
"""At how many of its steps each operation is killed."""
BIN_POINTS: Mapping[Step, int] = {"forget": 12, "reset": 14, "restore": 14}


@pytest.fixture(autouse=True)
def _nobody_edits_here(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(worker, "SETTLE_SECONDS", 0.01)  # in this process only; those that are killed wait as usual


def test_a_killed_process_loses_nothing_and_the_index_equals_the_files(tmp_path: Path, vectors: Endpoint) -> None:
    start = processes()
    done: Counter[str] = Counter()
    for number in range(ROUNDS):
        vault, life = divmod(number, ROUNDS_PER_VAULT)
        if life == 0:
            ledger = Ledger()
        root = tmp_path / f"vault{vault}"
        journal, log = tmp_path / f"{number}.journal", tmp_path / f"{number}.log"
        rng = random.Random(number)
        process = start(target=drive, args=(Job(root, vectors.url, number, journal, log, f"r{number}"),))
        process.start()
        if rng.random() < 0.8:  # the others are killed while they start and recover
            for_lines(journal, rng.randint(1, 8), process.is_alive)
            time.sleep(0.03 * rng.random())
        else:
            time.sleep(rng.random())
        process.kill()
        process.join()
        process.close()
        done += ledger.read(journal)
        engine = open_vault(root, vectors.url)
        try:
            recover(engine)
            index_changes(engine)
            ledger.check(engine)
        except AssertionError as error:
            error.add_note(
                f"round {number}, vault {root}; the process said:\n{log.read_text(encoding='utf-8')[-3000:]}"
            )
            raise
        finally:
            engine.close()
    assert all(done[what] >= least for what, least in (("add", 30), ("flush", 10), ("edit", 3), ("took", 3))), done


@pytest.mark.parametrize("operation", POINTS)
def test_an_operation_that_is_killed_at_any_step_is_finished_or_undone(
    operation: Step, tmp_path: Path, vectors: Endpoint
) -> None:
    template = tmp_path / "template"
    _prepare(template, vectors.url)

    for point, root in enumerate(killed_at_steps(die_at, operation, POINTS[operation], template, vectors.url)):
        engine = open_vault(root, vectors.url)
        try:
            recover(engine)
            index_changes(engine)
            assert_index_equals_files(engine)
            told = [text for text in contents(engine, ALICE).values() if "Sightglass" in text]
            assert (len(told), len(unprocessed(engine, SCOPE, "two"))) in ((1, 0), (0, 7))
            stated = [str(fact["content"]) for fact in facts(engine, ALICE)]
            assert len([fact for fact in stated if "coffee" in fact]) == len(
                {fact for fact in stated if "coffee" in fact}
            )
            first = [text for text in contents(engine, ALICE).values() if "Blue Bottle" in text]
            assert bool(first) == any("Blue Bottle" in fact for fact in stated), "an episode and its facts go together"
            assert len(first) == 1 or operation != "flush"
            assert len([text for text in contents(engine, BOB).values() if "Blue Bottle" in text]) == 1
            assert any("Blue Bottle" in str(fact["content"]) for fact in facts(engine, BOB))
            if operation == "flush":
                flush(engine, SCOPE, "two")
                ended = [row for row in in_files(engine)[1] if row.key.owner == ALICE and row.validity.end is not None]
                assert [row.data["content"] for row in ended] == ["Alice's favorite coffee shop is Blue Bottle."]
                kinds = Counter(row.key.kind for row in in_files(engine)[1] if row.key.owner == HELPER)
                assert kinds == {"case": 2, "skill": 1}
            elif operation == "deletion":
                assert first == []
        except BaseException as error:
            error.add_note(f"killed at step {point} of {POINTS[operation]}, vault {root}")
            raise
        finally:
            engine.close()


@pytest.mark.parametrize("operation", BIN_POINTS)
def test_what_was_going_when_the_process_was_killed_is_there_or_in_the_bin(
    operation: Step, tmp_path: Path, vectors: Endpoint
) -> None:
    template = tmp_path / "template"
    _prepare(template, vectors.url)
    engine = open_vault(template, vectors.url)
    before = _state(engine)
    engine.close()
    for point, root in enumerate(killed_at_steps(die_at, operation, BIN_POINTS[operation], template, vectors.url)):
        engine = open_vault(root, vectors.url)
        try:
            index_changes(engine)
            for item in binned(engine, SCOPE):
                restore(engine, SCOPE, item.id, overwrite=True)
            index_changes(engine)
            assert _state(engine) == before
            assert_index_equals_files(engine)
        except BaseException as error:
            error.add_note(f"killed at step {point} of {BIN_POINTS[operation]}, vault {root}")
            raise
        finally:
            engine.close()


def _state(engine: Engine) -> tuple[dict[str, bytes], list[str]]:
    """What the files say, but for those that are computed, and what waits."""
    paths = [path for path, _, _ in engine.vault.walk() if not path.endswith(("user.md", "SKILL.md"))]
    files = {path: raw.content for path, raw in engine.vault.raws(paths).items()}
    return files, [message.text for message in unprocessed(engine, SCOPE, "two")]


def _prepare(root: Path, url: str) -> None:
    """Alice and Bob have talked, Alice has more to say, and an agent has worked once."""
    engine = open_vault(root, url)
    calls = [
        {"id": tool, "type": "function", "function": {"name": tool, "arguments": "{}"}}
        for tool in ("search", "reserve")
    ]

    def work(session: str, at: int, *texts: str) -> None:
        remember(
            engine,
            SCOPE,
            session,
            [
                *(says(text, at=at + number) for number, text in enumerate(texts)),
                says("Please search the catalogue for violins.", at=at + 10),
                says("Searching.", "helper", at + 11, role="assistant", tool_calls=calls),
                says("Three violins found.", "tools", at + 12, role="tool", tool_call_id="search"),
                says("reserved", "tools", at + 13, role="tool", tool_call_id="reserve"),
                says("Done, there are three violins.", "helper", at + 14, role="assistant"),
                says("That is exactly what I wanted.", at=at + 15),
            ],
        )

    remember(engine, SCOPE, "one", [says("I live in Oslo with my dog Rex.", "bob")])
    work("one", MAY_28 + 1, "My favorite coffee shop is Blue Bottle.")
    flush(engine, SCOPE, "one")
    work("two", MAY_28 + 100_000, "My favorite coffee shop is Sightglass now.")
    engine.close()
