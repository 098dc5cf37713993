"""The command line of the benchmarks: `python -m bench --help`."""

from __future__ import annotations

import argparse
import gc
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

from bench import (
    answers,
    clients,
    cluster,
    code,
    content,
    embedding,
    floor,
    holds,
    masking,
    multihop,
    page,
    reading,
    recalling,
    report,
    runs,
    scale,
    speed,
    starting,
    stores,
    vaults,
)
from bench.data import data_folder, locomo, longmemeval
from bench.quality import Quality
from bench.quality import measure as measure_quality
from everlore.lock import FileLock
from everlore.surfaces.cli.main import OBJECTS_BETWEEN_COLLECTIONS

HERE = Path(__file__).resolve().parent
RESULTS = HERE / "results"
WORK = HERE / ".work"

EXAMPLES = """\
examples:
  python -m bench                            everything; the first run embeds for most of an hour, later ones are quick
  python -m bench --quick                    a few minutes: one LoCoMo conversation, up to 10,000 memories
  python -m bench --only quality --every 1   all LongMemEval questions
  python -m bench --only code                questions about code (CoSQA), and how quick a source tree is read
  python -m bench --only recall              multi-hop questions with and without the graph, and how long recall takes
  python -m bench --only holds               told changes: is the current value the first answer, on HTTP and MCP alike
  python -m bench --only answers             can the answer be read in the first hit shown, and in the first five
  python -m bench --only floor               is nothing shown where nothing fits, and the right memory where one does
  python -m bench --only secrets             kinds of secrets that are masked, ordinary texts that are touched
  python -m bench --only reading             how true the memories read: changes, facts, rules, profile, dates
  python -m bench --only runs                agent runs: is the score proven, do lessons and skills hold
  python -m bench --only starting            what a server, an MCP process and a hook cost until they answer
  python -m bench --only speed               latency and throughput at 1k, 10k and 100k memories
  python -m bench --only content             the content tools on sites of 100k documents, in each database
  python -m bench --only scale               10k, 100k and 1M memories in the folder: what vectors miss, how times grow
  python -m bench --only cluster             a Citus cluster against the same PostgreSQL without it; needs one
  python -m bench --only page                the page in a browser, on 100,000 memories; needs Chromium
  python -m bench --only stores              the folder with SQLite against PostgreSQL, which it starts by itself
  BENCH_DATA=~/data python -m bench          the public data sets are in ~/data (see bench/README.md)
"""


def main() -> int:
    options = _options()
    gc.set_threshold(OBJECTS_BETWEEN_COLLECTIONS)  # as in every process of Everlore, and for the peers as well
    # the server we started must not outlive us
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(143))
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(*columns, console=Console(stderr=True)) as progress:
        parts = {
            "quality": _quality,
            "recall": _recall,
            "holds": _holds,
            "answers": _answers,
            "floor": _floor,
            "secrets": _secrets,
            "reading": _reading,
            "runs": _runs,
            "code": _code,
            "starting": _starting,
            "speed": _speed,
            "stores": _stores,
            "cluster": _cluster,
            "scale": _scale,
            "content": _content,
            "page": _page,
        }
        for name, part in parts.items():
            if options.only in (None, name):
                part(options, progress)
    return 0


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="python -m bench",
        description="Measure how well Everlore finds and how quick it is; writes bench/results/.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--only", choices=report.PARTS, help="only this part; the others keep their last tables")
    parser.add_argument("--quick", action="store_true", help="a small version that leaves latest.md alone")
    parser.add_argument("--every", type=_positive, default=3, metavar="N", help="every Nth LongMemEval question (3)")
    parser.add_argument("--limit", type=_positive, metavar="N", help="at most N conversations, questions or memories")
    return parser.parse_args()


def _positive(text: str) -> int:
    if not text.isdigit() or not int(text):
        raise argparse.ArgumentTypeError(f"{text!r} is not a number above 0")
    return int(text)


def _quality(options: argparse.Namespace, progress: Progress) -> None:
    folder = data_folder()
    if not folder.is_dir():
        print(
            f"quality: skipped, there is no folder {folder}. Set BENCH_DATA to the folder with the data sets "
            "(bench/README.md tells which).",
            file=sys.stderr,
        )
        return
    limit = 1 if options.quick else options.limit
    WORK.mkdir(exist_ok=True)
    try:
        with FileLock(WORK / "lock", seconds=0):
            found: list[Quality] = [measure_quality("locomo", locomo(folder, limit), WORK, progress)]
            if not options.quick:
                found.append(measure_quality("longmemeval", longmemeval(folder, options.every, limit), WORK, progress))
    except TimeoutError:
        sys.exit("quality: another run is using bench/.work; wait for it, or run with --only speed")
    _publish("quality", report.quality_table(found), quick=options.quick)
    report.plot_quality(found, RESULTS / f"{'quick-' if options.quick else ''}quality.png")


def _code(options: argparse.Namespace, progress: Progress) -> None:
    folder = data_folder()
    if not (folder / "cosqa").is_dir():
        print(f"code: skipped, there is no folder {folder / 'cosqa'} (bench/README.md tells which).", file=sys.stderr)
        return
    WORK.mkdir(exist_ok=True)
    found = code.measure(folder, WORK, progress, quick=options.quick)
    _publish("code", report.code_table(found), quick=options.quick)


def _recall(options: argparse.Namespace, progress: Progress) -> None:
    folder = data_folder()
    limit = 20 if options.quick else options.limit
    found: list[multihop.MultiHop] = []
    if (folder / "multihop").is_dir():
        WORK.mkdir(exist_ok=True)
        try:
            with FileLock(WORK / "lock", seconds=0):
                found = multihop.measure(folder, limit, WORK, progress)
        except TimeoutError:
            sys.exit("recall: another run is using bench/.work; wait for it, or run with --only speed")
    else:
        print(f"recall: questions skipped, there is no folder {folder / 'multihop'}.", file=sys.stderr)
    plan = speed.QUICK if options.quick else speed.FULL
    timings = recalling.measure(plan.sizes[1:], plan.queries, progress)
    _publish("recall", report.recall_table(found, timings), quick=options.quick)


def _secrets(options: argparse.Namespace, _: Progress) -> None:
    halves = {name: masking.measure(name == "seen") for name in ("seen", "unseen")}
    _publish("secrets", report.secrets_table(halves), quick=options.quick)


def _holds(options: argparse.Namespace, progress: Progress) -> None:
    _publish("holds", report.holds_table(holds.measure(progress)), quick=options.quick)


def _answers(options: argparse.Namespace, progress: Progress) -> None:
    _publish("answers", report.answers_table(answers.measure(progress)), quick=options.quick)


def _floor(options: argparse.Namespace, progress: Progress) -> None:
    _publish("floor", report.floor_table(floor.measure(progress)), quick=options.quick)


def _reading(options: argparse.Namespace, progress: Progress) -> None:
    folder = data_folder()
    if not (folder / "locomo").is_dir():
        print(
            f"reading: skipped, there is no folder {folder / 'locomo'} (bench/README.md tells which).", file=sys.stderr
        )
        return
    _publish("reading", reading.table(reading.measure(folder, progress), report.heading()), quick=options.quick)


def _runs(options: argparse.Namespace, progress: Progress) -> None:
    _publish("runs", runs.table(runs.measure(data_folder(), progress), report.heading()), quick=options.quick)


def _starting(options: argparse.Namespace, progress: Progress) -> None:
    _publish("starting", report.starting_table(starting.measure(progress)), quick=options.quick)


def _speed(options: argparse.Namespace, progress: Progress) -> None:
    found = speed.measure(speed.QUICK if options.quick else speed.FULL, progress)
    _publish("speed", report.speed_table(found), quick=options.quick)
    report.plot_speed(found, RESULTS / f"{'quick-' if options.quick else ''}speed.png")


def _content(options: argparse.Namespace, progress: Progress) -> None:
    found = content.measure(content.QUICK if options.quick else content.FULL, progress)
    _publish("content", report.content_table(found), quick=options.quick)


def _cluster(options: argparse.Namespace, progress: Progress) -> None:
    url = os.environ.get("EVERLORE_TEST_CITUS_URL", "")
    if not url:
        print("cluster: skipped, set EVERLORE_TEST_CITUS_URL to a coordinator that knows its workers", file=sys.stderr)
        return
    found = cluster.measure(url, cluster.QUICK if options.quick else cluster.FULL, progress)
    _publish("cluster", cluster.table(found, report.heading()), quick=options.quick)


def _stores(options: argparse.Namespace, progress: Progress) -> None:
    found = stores.measure(stores.QUICK if options.quick else stores.FULL, progress)
    _publish("stores", stores.table(found, report.heading()), quick=options.quick)


def _scale(options: argparse.Namespace, progress: Progress) -> None:
    folder = data_folder()
    if not (folder / "longmemeval").is_dir():
        print(
            f"scale: skipped, there is no folder {folder / 'longmemeval'} (bench/README.md tells which).",
            file=sys.stderr,
        )
        return
    plan = scale.QUICK if options.quick else scale.FULL
    if options.limit:
        plan = replace(plan, sizes=tuple(sorted({min(size, options.limit) for size in plan.sizes})))
    WORK.mkdir(exist_ok=True)
    tables = [embedding.table(embedding.measure(folder, plan.embedded, progress))]
    tables.append(clients.table(clients.measure(folder, WORK, plan.seconds, progress)))
    tables.append(vaults.table(vaults.measure(plan.owners, WORK, progress)))
    tables.insert(0, scale.table(scale.measure(plan, folder, WORK, progress), report.heading()))
    _publish("scale", "\n".join(tables), quick=options.quick)


def _page(options: argparse.Namespace, progress: Progress) -> None:
    WORK.mkdir(exist_ok=True)
    count = options.limit or (5_000 if options.quick else 100_000)
    _publish("page", page.table(count, page.measure(count, WORK, progress), report.heading()), quick=options.quick)


def _publish(part: str, table: str, *, quick: bool) -> None:
    report.write(part, table, RESULTS, quick=quick)
    print(table)


if __name__ == "__main__":
    sys.exit(main())
