"""Many processes on one vault at once: each message is kept once, each id is given once."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import pytest
from crash_driver import Job, drive, flush_at_once
from embeddings import endpoint
from ledger import Ledger
from vaults import ALICE, MAY_28, SCOPE, assert_index_equals_files, contents, facts, open_vault, says
from warm_start import processes

from everlore.memory import remember, unprocessed
from everlore.sync.upkeep import index_changes

PROCESSES = 4
MESSAGES = 40


@pytest.mark.parametrize("shared", [True, False], ids=["the same sessions", "sessions of their own"])
def test_four_processes_that_add_at_once_lose_nothing(tmp_path: Path, shared: bool) -> None:
    start, ledger = processes(), Ledger()
    with endpoint() as vectors:
        jobs = [
            Job(
                root=tmp_path / "vault",
                url=vectors.url,
                seed=number,
                journal=tmp_path / f"{number}.journal",
                log=tmp_path / f"{number}.log",
                tag=f"p{number}",
                messages=MESSAGES,
                hands=False,
                shared=shared,
            )
            for number in range(PROCESSES)
        ]
        running = [start(target=drive, args=(job,)) for job in jobs]
        for process in running:
            process.start()
        for process, job in zip(running, jobs, strict=True):
            process.join(240)
            assert process.exitcode == 0, job.log.read_text(encoding="utf-8")
            done = ledger.read(job.journal)
            assert done["finished"] == 1, job.log.read_text(encoding="utf-8")
        assert len(ledger.added) >= PROCESSES * MESSAGES
        engine = open_vault(tmp_path / "vault", vectors.url)
        index_changes(engine)
        ledger.check(engine)
        assert engine.buffer.count() == 0
        assert engine.buffer.pending_cells() == []
        engine.close()


def test_processes_that_flush_one_session_at_once_write_it_once(tmp_path: Path) -> None:
    start, root = processes(), tmp_path / "vault"
    with endpoint() as vectors:
        engine = open_vault(root, vectors.url)
        for number in range(6):
            sessions = [f"s{number}x{at}" for at in range(4)]
            for session in sessions:
                remember(engine, SCOPE, session, [says(f"I play the violin {session} in Rome.", at=MAY_28)])
            running = [
                start(target=flush_at_once, args=(root, vectors.url, sessions, tmp_path / f"{number}{at}"))
                for at in range(2)
            ]
            for process in running:
                process.start()
            for process in running:
                process.join(240)
                assert process.exitcode == 0
            said = [(tmp_path / f"{number}{at}").read_text(encoding="utf-8").split() for at in range(2)]
            told = Counter(
                session for session in sessions for text in contents(engine, ALICE).values() if session in text
            )
            assert told == Counter(sessions)
            assert Counter(
                session
                for sentence in facts(engine, ALICE)
                for session in sessions
                if session in str(sentence["content"])
            ) == Counter(sessions)
            assert [unprocessed(engine, SCOPE, session) for session in sessions] == [[]] * 4
            assert all((said[0][at] == "True") != (said[1][at] == "True") for at in range(4)), "one of them wrote it"
        assert_index_equals_files(engine)
        engine.close()
