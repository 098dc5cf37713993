"""kill -9 at any moment: nothing acknowledged is lost or doubled, and the index equals the files afterwards."""

from __future__ import annotations

import random
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from crash_driver import Job, drive
from embeddings import Endpoint, endpoint
from ledger import Ledger
from vaults import open_vault
from warm_start import processes

from everlore.cascade import sync
from everlore.memory import recover

ROUNDS = 56
ROUNDS_PER_VAULT = 14


@pytest.fixture(scope="module")
def vectors() -> Iterator[Endpoint]:
    with endpoint() as served:
        yield served


@pytest.mark.timeout(600)
def test_a_killed_process_loses_nothing_and_the_index_equals_the_files(tmp_path: Path, vectors: Endpoint) -> None:
    context = processes()
    began = time.monotonic()
    done: Counter[str] = Counter()
    for number in range(ROUNDS):
        vault, life = divmod(number, ROUNDS_PER_VAULT)
        if life == 0:
            ledger = Ledger()
        root = tmp_path / f"vault{vault}"
        journal, log = tmp_path / f"{number}.journal", tmp_path / f"{number}.log"
        rng = random.Random(number)
        process = context.Process(target=drive, args=(Job(root, vectors.url, number, journal, log, f"r{number}"),))
        process.start()
        if rng.random() < 0.8:
            while not (journal.exists() and journal.stat().st_size):
                assert process.is_alive(), log.read_text(encoding="utf-8")
                time.sleep(0.002)
        time.sleep(rng.uniform(0.0, 0.4))
        process.kill()
        process.join()
        process.close()
        done += ledger.read(journal)
        engine = open_vault(root, vectors.url)
        try:
            recover(engine)
            sync(engine)
            ledger.check(engine)
        except AssertionError as error:
            error.add_note(
                f"round {number}, vault {root}; the process said:\n{log.read_text(encoding='utf-8')[-3000:]}"
            )
            raise
        finally:
            engine.close()
    print(time.monotonic() - began, done)
    assert min(done[what] for what in ("add", "flush", "edit", "took")) >= 20, done
