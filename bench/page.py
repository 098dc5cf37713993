"""The page on 100,000 memories of one owner, in a real browser: how soon it is there, answers and follows; its size.

Most of the memories are statements, which have no vectors of their own, so that the vault is quickly made; one in ten
is a talk. Times are measured in the browser itself.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from playwright.sync_api import Page, sync_playwright
from rich.progress import Progress

from bench.server import Server, running
from everlore.clock import DAY_MS, day, entry_id, iso
from everlore.kinds.episode import EPISODE, Episode, Turn, render_turns
from everlore.kinds.fact import FACT, Fact
from everlore.kinds.paths import log_path
from everlore.types import Owner, Scope
from everlore.vault.markdown import append_entries, log_front

OWNER = Owner(Scope(), "user", "anna")
START = 1_764_547_200_000
DAYS = 180
TALKS = 0.1
NAMES = 2500
FLAGS = "no-sandbox disable-gpu disable-quic no-first-run disable-background-networking disable-sync"
SHOWN = "#content:not([aria-busy])"
WAIT_MS = 120_000
SOAK = 40
TIMES = 9
GOALS = {
    "first view usable after the server's answer": (1000.0, "ms"),
    "answer after the last key": (300.0, "ms"),
    "timeline after the slider moved": (200.0, "ms"),
    "graph of 2,000 nodes: one frame while it is moved": (50.0, "ms"),
    "memory that the first window adds": (60.0, "MB"),
    "memory after two windows went through the views, beyond that": (30.0, "MB"),
}
FOLLOW = """([change, sign]) => new Promise((done) => {
  const content = document.querySelector("#content"), begun = performance.now();
  const look = () => { if (eval(sign)) { watch.disconnect(); done(performance.now() - begun); } };
  const watch = new MutationObserver(look);
  watch.observe(content, { childList: true, subtree: true, characterData: true });
  eval(change);
})"""
"""Milliseconds from a change until the content shows what follows from it."""
FRAMES = """() => new Promise((done) => {
  const box = document.querySelector("canvas"), at = box.getBoundingClientRect(), frames = [];
  const to = (kind, x) => box.dispatchEvent(new MouseEvent(kind, { bubbles: true, clientX: x, clientY: at.y + 90 }));
  to("mousedown", at.x + 40);
  let last = performance.now(), x = 40;
  const step = (now) => {
    frames.push(now - last);
    last = now;
    to("mousemove", at.x + (x += 3));
    frames.length < 60 ? requestAnimationFrame(step) : done(frames.slice(5).sort((a, b) => a - b)[27]);
  };
  requestAnimationFrame(step);
})"""


@dataclass(frozen=True, slots=True)
class Figure:
    name: str
    value: float

    @property
    def line(self) -> str:
        most, unit = GOALS[self.name]
        return (
            f"| {self.name} | {self.value:,.0f} {unit} | {most:,.0f} {unit} | {'yes' if self.value <= most else 'NO'} |"
        )


def measure(count: int, work: Path, progress: Progress) -> list[Figure]:
    root = work / "page"
    shutil.rmtree(root, ignore_errors=True)
    bar = progress.add_task(f"page: {count:,} memories", total=DAYS)
    for _ in write(root, count):
        progress.advance(bar)
    with running(root) as server:
        server.settle(lambda done, total: progress.update(bar, completed=done, total=total))
        return _measured(server)


def write(root: Path, count: int) -> Iterator[None]:
    """Files, as they would have been written day by day."""
    random = np.random.default_rng(1)
    names = [f"{a}{b}" for a in _words(random, 50) for b in _words(random, 50)][:NAMES]
    for number in range(DAYS):
        moment = START + number * DAY_MS + 9 * 3_600_000
        each = count // DAYS
        talks, facts = round(each * TALKS), each - round(each * TALKS)
        told = [_talk(random, names, moment, at) for at in range(1, talks + 1)]
        said = [_fact(random, names, moment, at) for at in range(1, facts + 1)]
        for kind, entries in ((EPISODE, map(EPISODE.render, told)), (FACT, map(FACT.render, said))):
            path = root / log_path(kind, OWNER, moment)
            path.parent.mkdir(parents=True, exist_ok=True)
            front = log_front(kind, OWNER, day(moment), iso(moment))
            path.write_text(append_entries(None, list(entries), front), encoding="utf-8")
        yield


def _words(random: Any, count: int) -> list[str]:
    return [
        "".join(random.choice(list("bdfklmnprstv")) + random.choice(list("aeiou")) for _ in range(2)).title()
        for _ in range(count)
    ]


def _sentence(random: Any, names: list[str]) -> str:
    one, other = (names[min(int(random.exponential(300)), len(names) - 1)] for _ in range(2))
    did, what = random.choice(["met", "called", "visited"]), random.choice(["boat", "report", "garden", "trip"])
    return f"{one} {did} {other} about the {what}."


def _talk(random: Any, names: list[str], moment: int, at: int) -> Episode:
    said = _sentence(random, names)
    return Episode(
        OWNER,
        entry_id("ep", moment, at),
        f"s{moment}",
        moment + at,
        f"mc_{moment}_{at}",
        (OWNER.id,),
        said,
        said,
        render_turns("", [Turn("Anna", "09:00", said)]),
    )


def _fact(random: Any, names: list[str], moment: int, at: int) -> Fact:
    ends = moment + int(random.integers(1, 60)) * DAY_MS if random.random() < 0.3 else None
    return Fact(
        OWNER,
        entry_id("af", moment, at),
        f"s{moment}",
        moment + at,
        f"mc_{moment}_0",
        (OWNER.id,),
        _sentence(random, names),
        turn=0,
        valid_until=ends,
    )


def _measured(server: Server) -> list[Figure]:
    url = str(server.client.base_url).rstrip("/")
    server.post("search", {"user_id": OWNER.id, "query": "boat", "top_k": 5})  # the model is loaded
    before = _resident(server)
    with sync_playwright() as playwright:
        found = shutil.which("chromium") or shutil.which("google-chrome")
        browser = playwright.chromium.launch(executable_path=found, args=[f"--{flag}" for flag in FLAGS.split()])
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_default_timeout(WAIT_MS)
        server.client.get("/", headers={"Accept": "text/html"})  # NiceGUI is imported
        figures = [
            Figure("first view usable after the server's answer", median(_first(page, url) for _ in range(TIMES)))
        ]
        added = _resident(server) - before
        _open(page, f"{url}/?q=boat")
        figures.append(Figure("answer after the last key", median(_typed(page, at) for at in range(TIMES))))
        _open(page, f"{url}/timeline")
        figures.append(Figure("timeline after the slider moved", median(_slid(page, at) for at in range(TIMES))))
        _open(page, f"{url}/people?most=2000")
        page.wait_for_selector("canvas")
        page.wait_for_timeout(2000)
        figures.append(Figure("graph of 2,000 nodes: one frame while it is moved", page.evaluate(FRAMES)))
        figures.append(Figure("memory that the first window adds", added))
        middle, other = 0.0, browser.new_page()
        for number in range(2 * SOAK):
            for window in (page, other):
                _open(window, f"{url}/{('timeline', 'memories', 'profile', 'live')[number % 4]}")
            middle = _resident(server) if number == SOAK else middle
        figures.append(
            Figure("memory after two windows went through the views, beyond that", _resident(server) - middle)
        )
        browser.close()
    return figures


def _open(page: Page, url: str) -> None:
    page.goto(url)
    page.wait_for_selector(SHOWN)


def _first(page: Page, url: str) -> float:
    _open(page, f"{url}/memories")
    page.goto("about:blank")
    _open(page, f"{url}/?q=boat")
    answered: float = page.evaluate("performance.getEntriesByType('navigation')[0].responseStart")
    now: float = page.evaluate("performance.now()")
    return now - answered


def _typed(page: Page, at: int) -> float:
    question = f"who wrote about the trip {at}"
    change = f"""const box = document.querySelector("input[type=search]"); box.value = {question!r};
      box.dispatchEvent(new Event("input", {{ bubbles: true }}))"""
    sign = f"location.search.includes('trip+{at}') && content.textContent.includes('answers')"
    return float(page.evaluate(FOLLOW, [change, sign]))


def _slid(page: Page, at: int) -> float:
    change = f"""const one = document.querySelector("input[type=range]"); one.value = {20 + 15 * at};
      window.before = content.querySelector("h2").textContent;
      one.dispatchEvent(new Event("input", {{ bubbles: true }}))"""
    return float(page.evaluate(FOLLOW, [change, "content.querySelector('h2')?.textContent !== window.before"]))


def _resident(server: Server) -> float:
    status = Path(f"/proc/{server.process.pid}/status").read_text(encoding="utf-8")
    return int(next(line for line in status.splitlines() if line.startswith("VmRSS")).split()[1]) / 1024


def table(count: int, figures: list[Figure], heading: str) -> str:
    lines = [f"## The page, {count:,} memories", "", heading, "", "| | measured | at most | |", "|---|--:|--:|---|"]
    return "\n".join([*lines, *(figure.line for figure in figures)]) + "\n"
