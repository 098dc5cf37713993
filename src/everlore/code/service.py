"""The code index of a vault at work: runs, embedding, watching, all in threads that end with the engine.

Any number of processes may do this on one vault at once. A project is read under its lock, so two processes that
index it do the work once; one process embeds at a time, and another takes over when it dies; one process watches a
project. A run that was cut short is taken up again by the next process that uses the code index, and costs only what
was missing. Chunks are found by their words as soon as their file is read; vectors follow.
"""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from everlore.code.indexing import Counts, bring_up_to_date
from everlore.code.projects import Project, Projects
from everlore.code.rows import owner_of
from everlore.code.walk import folder, may_be_source
from everlore.engine import Engine
from everlore.errors import EverloreError, NotFound, Unavailable
from everlore.extras import require
from everlore.logs import get_logger
from everlore.types import Owner
from everlore.vault.folder import SYSTEM
from everlore.vault.watch import raw_changes

ANSWER_SECONDS = 3.0
"""A call returns after this long with what is done so far."""
EMBED_SLICE = 16
"""Chunks embedded at a time: about a second of work, so that closing need not wait for more."""
EMBED_AGAIN_SECONDS = (2.0, 60.0)
"""First and longest pause after the embedder failed."""
REPORT_SECONDS = 0.25
POLL_SECONDS = 0.2
TAKE_OVER_SECONDS = 2.0
"""How often it is looked whether another process has stopped watching or embedding."""
WATCH_AGAIN_SECONDS = 10.0

log = get_logger("everlore.code")


@dataclass(slots=True)
class Run:
    """One pass over a project, and what it has done so far."""

    project: str
    resumed: bool = False
    """Only to finish what another process began."""
    counts: Counts = field(default_factory=Counts)
    backlog: int = 0
    again: bool = False
    """Somebody asked once more while it was running."""
    over: threading.Event = field(default_factory=threading.Event)


class CodeIndex:
    def __init__(self, engine: Engine) -> None:
        system = engine.settings.memory.root / SYSTEM
        self.projects = Projects(system / "projects.db")
        self.index = engine.backend.code_index()
        self._engine = engine
        self._stop = threading.Event()
        self._to_embed = threading.Event()
        self._guard = threading.Lock()
        self._runs: dict[str, Run] = {}
        self._watched: set[str] = set()
        self._embedding = False
        self._threads: set[threading.Thread] = set()

    def add(self, path: str, watch: bool) -> tuple[Project, Run]:
        """Begin to index a folder. Returns at once; `wait` gives it a little time."""
        require("code")
        root = folder(path)
        self._engine.vault.prepare()
        project = self.projects.register(root, watch)
        run = self._run(project.id)
        if project.watch:
            self._watch(project.id)
        return project, run

    def wait(self, run: Run, seconds: float = ANSWER_SECONDS) -> None:
        """Until the run is over and its chunks have vectors, but no longer than this."""
        deadline = time.monotonic() + seconds
        run.over.wait(seconds)
        while time.monotonic() < deadline and not self._stop.is_set():
            project = self.projects.get(run.project)
            if project is None or (run.over.is_set() and project.state in ("completed", "failed")):
                return
            time.sleep(0.02)

    def resume(self) -> None:
        """Take up what was cut short, lost or left behind, and watch again what was watched."""
        counts = {owner: count for owner, count in self.index.rows.owners() if count}
        self._renew_vectors(counts)
        projects = self.projects.all()
        for project in projects:
            lost = project.indexed_files > 0 and owner_of(project.id) not in counts
            if not project.read or lost:
                self._run(project.id, resumed=not lost)
            if project.watch:
                self._watch(project.id)
        if any(project.completed_at is None for project in projects):
            self.embed_soon()
        for owner in counts.keys() - {owner_of(project.id) for project in projects}:
            self._thread(self._clear, owner.id)

    def _renew_vectors(self, counts: Mapping[Owner, int]) -> None:
        """After a change of model the chunks are complete only when they have vectors of the new one."""
        if not self._other_model():
            return
        for project in self.projects.all():
            if project.completed_at is not None:
                self.projects.update(
                    project.id,
                    state="indexing",
                    started_at=self._engine.clock.now(),
                    completed_at=None,
                    backlog=counts.get(owner_of(project.id), 0),
                )

    def _other_model(self) -> bool:
        model = self.index.upkeep.model()
        return model is not None and model[0] != self._engine.embedder.name

    def get(self, project: str) -> Project:
        found = self.projects.get(project)
        if found is None:
            raise NotFound(f"Project not found: {project}")
        return found

    def being_read(self, project: str) -> bool:
        """Whether some live process has the project's lock."""
        with self._lock(f"project/{project}") as free:
            return not free

    def remove(self, project: str) -> int:
        """Forget a project; returns how many chunks it had. A large one is cleared away in the background."""
        self.get(project)
        count = self.chunks().get(project, 0)
        self.projects.remove(project)
        self._thread(self._clear, project).join(ANSWER_SECONDS)
        return count

    def chunks(self) -> dict[str, int]:
        """Chunks of every project."""
        counts = {owner.id: count for owner, count in self.index.rows.owners()}
        return {project.id: counts.get(project.id, 0) for project in self.projects.all()}

    def close(self) -> None:
        self._stop.set()
        self._to_embed.set()
        deadline = time.monotonic() + 10.0
        for thread in list(self._threads):
            thread.join(max(0.1, deadline - time.monotonic()))
        self.index.close()
        self.projects.close()

    def _thread(self, target: Callable[..., None], *args: object) -> threading.Thread:
        def work() -> None:
            try:
                target(*args)
            except EverloreError as error:
                if not self._stop.is_set():
                    log.warning("code index", step=name, error=str(error))
            except Exception:
                if not self._stop.is_set():
                    log.exception("code index", step=name)
            finally:
                self._threads.discard(thread)

        name = f"everlore-code{getattr(target, '__name__', '')}"
        thread = threading.Thread(target=work, name=name, daemon=True)
        thread.start()
        self._threads.add(thread)  # only now: whoever closes joins what has been started
        if not thread.is_alive():
            self._threads.discard(thread)
        return thread

    def _run(self, project: str, resumed: bool = False) -> Run:
        """The run that is under way, which then looks once more at the end, or a new one."""
        with self._guard:
            run = self._runs.get(project)
            if run is not None:
                run.again = run.again or not resumed
                return run
            run = self._runs[project] = Run(project, resumed)
        self._thread(self._read, run)
        return run

    def _read(self, run: Run) -> None:
        try:
            while not self._stop.is_set() and self.projects.get(run.project) is not None:
                with self._lock(f"project/{run.project}") as free:
                    if free:
                        self._read_once(run)
                if not free:
                    self._stop.wait(POLL_SECONDS)
                    continue
                with self._guard:
                    if not run.again:
                        self._runs.pop(run.project)
                        return
                    run.again = run.resumed = False
        finally:
            with self._guard:
                if self._runs.get(run.project) is run:
                    del self._runs[run.project]
            run.over.set()

    def _read_once(self, run: Run) -> None:
        project = self.projects.get(run.project)
        if project is None or (run.resumed and project.read):
            return  # it was deleted, or somebody else has finished it
        run.counts.total = run.counts.indexed = run.counts.skipped = 0
        run.backlog = self.index.upkeep.waiting(owner_of(project.id)) - run.counts.created
        begin = self._engine.clock.now()
        self.projects.update(
            project.id, state="indexing", read=0, started_at=begin, completed_at=None, error="", backlog=run.backlog
        )
        reported = 0.0

        def go_on() -> bool:
            nonlocal reported
            if time.monotonic() >= reported + REPORT_SECONDS:
                reported = time.monotonic()
                if self.projects.get(run.project) is None:
                    return False
                self._report(run)
            return not self._stop.is_set()

        try:
            done = bring_up_to_date(self.index, project.id, Path(project.root), run.counts, go_on)
        except (EverloreError, OSError) as error:
            self.projects.update(project.id, state="failed", error=str(error))
            raise
        if done:
            self._report(run, read=1)
            self._settle()
            self.embed_soon()

    def _report(self, run: Run, **more: object) -> None:
        counts = run.counts
        self.projects.update(
            run.project,
            total_files=counts.total,
            indexed_files=counts.indexed,
            skipped_files=counts.skipped,
            backlog=max(0, run.backlog) + counts.created,
            **more,
        )

    def _settle(self) -> None:
        """Complete the projects that have all their vectors, of the model in use."""
        if self._other_model():
            return
        for project in self.projects.all():
            if project.read and project.completed_at is None and not self.index.upkeep.waiting(owner_of(project.id)):
                self.projects.complete(project.id, self._engine.clock.now())

    def embed_soon(self) -> None:
        with self._guard:
            started, self._embedding = self._embedding, True
        if not started:
            self._thread(self._embed)
        self._to_embed.set()

    def _embed(self) -> None:
        """For as long as the engine is open: embed what has no vector, if no other process does."""
        pause = EMBED_AGAIN_SECONDS[0]
        while not self._stop.is_set():
            self._to_embed.wait(TAKE_OVER_SECONDS)
            self._to_embed.clear()
            if self._stop.is_set() or all(project.completed_at for project in self.projects.all()):
                continue
            try:
                self._embed_all()
                pause = EMBED_AGAIN_SECONDS[0]
            except EverloreError as error:
                if self._stop.is_set():
                    return
                log.warning("embedding code failed; words find it until it works", error=str(error))
                for project in self.projects.all():
                    if project.read and project.completed_at is None:
                        self.projects.update(project.id, state="failed", error=str(error))
                self._stop.wait(pause)
                pause = min(pause * 2, EMBED_AGAIN_SECONDS[1])

    def _embed_all(self) -> None:
        """What has no vector, unless another process is at it."""
        with self._lock("embed") as free:
            embedder = self._engine.embedder
            if free:
                self.index.upkeep.use_model(embedder.name, embedder.dimension)
            settled = time.monotonic()
            while free and not self._stop.is_set() and (units := self.index.upkeep.unembedded(EMBED_SLICE)):
                vectors = embedder.encode([unit.dense for unit in units])
                self.index.upkeep.put_vectors([unit.unit for unit in units], vectors)
                if time.monotonic() - settled > 1.0:
                    self._settle()
                    settled = time.monotonic()
        self._settle()

    def _watch(self, project: str) -> None:
        with self._guard:
            if project in self._watched:
                return
            self._watched.add(project)
        self._thread(self._follow, project)

    def _follow(self, project: str) -> None:
        try:
            while not self._stop.is_set():
                found = self.projects.get(project)
                if found is None or not found.watch:
                    return
                with self._lock(f"watch/{project}") as free:
                    if free:
                        self._follow_changes(found)
                if not free:
                    self._stop.wait(TAKE_OVER_SECONDS)
        finally:
            with self._guard:
                self._watched.discard(project)
            again = None if self._stop.is_set() else self.projects.get(project)
            if again is not None and again.watch:
                self._watch(project)  # registered again in the very moment in which we left

    def _follow_changes(self, project: Project) -> None:
        """Until the project is deleted, we close, or the folder cannot be watched any more."""
        watching = False
        try:
            for batch in raw_changes(Path(project.root), self._stop):
                current = self.projects.get(project.id)
                if current is None or current.root != project.root:
                    return
                # first of all, what changed while nobody watched
                if not watching or any(may_be_source(project.root, name) for _, name in batch):
                    self._run(project.id)
                watching = True
        except Unavailable as error:
            log.warning("a project is read now and then only", project=project.id, error=str(error))
            if Path(project.root).is_dir():
                self._run(project.id)
            self._stop.wait(WATCH_AGAIN_SECONDS)

    def _clear(self, project: str) -> None:
        """Remove the chunks of a project that is not registered (any more)."""
        while not self._stop.is_set():
            with self._lock(f"project/{project}") as free:
                for path in self.index.files.known(f"{project}/") if free else ():
                    if self._stop.is_set() or self.projects.get(project) is not None:
                        return  # registered again: its run deals with what is left
                    self.index.files.remove(path)
            if free:
                return
            self._stop.wait(POLL_SECONDS)

    @contextmanager
    def _lock(self, name: str) -> Iterator[bool]:
        """Whether no other process has this lock; then it is ours."""
        with ExitStack() as held:
            try:
                held.enter_context(self._engine.vault.lock(f"code/{name}", timeout=0))
                free = True
            except Unavailable:
                free = False
            yield free


def open_code(engine: Engine) -> CodeIndex:
    """For `engine.part(open_code)`: opened when it is first needed, closed with the engine."""
    code = CodeIndex(engine)
    code.resume()
    return code


def delete_all(engine: Engine) -> int:
    """Forget every project; returns how many chunks there were."""
    code = engine.part(open_code)
    total = 0
    for project in code.projects.all():
        with suppress(NotFound):  # another process was quicker
            total += code.remove(project.id)
    return total
