"""What the upkeep commands do, once their arguments are read."""

from __future__ import annotations

from dataclasses import asdict

from everlore.kinds.registry import several
from everlore.surfaces.cli import output
from everlore.surfaces.cli.opening import opened, settings_of_command
from everlore.sync import doctor as doctors
from everlore.sync import upkeep, worker


def status(*, as_json: bool) -> None:
    with opened() as engine:
        counts = engine.index.upkeep.status()
        model = engine.index.upkeep.model()
        waiting = engine.buffer.count()
        root = engine.vault.where
        broken = upkeep.troubles(engine.index)
        reported = {problem.path for problem in engine.index.files.problems()}  # looked at again by themselves
        changed = len(set(worker.differing(engine)) - reported)
    name = model[0] if model else None
    if as_json:
        numbers = asdict(counts) | {"rows": dict(counts.rows), "changed": changed}
        output.show_json({"vault": root, **numbers, "model": name, "messages_buffered": waiting, "broken": broken})
        return
    output.show_pairs(
        [
            ("vault", root),
            *((several(kind), str(count)) for kind, count in sorted(counts.rows.items())),
            ("pieces", str(counts.units)),
            ("without vector", str(counts.unembedded)),
            ("files", str(counts.files)),
            ("changed since", f"{changed}; run: everlore index sync" if changed else "0"),
            ("queued", str(counts.queued)),
            ("failed", str(counts.failed)),
            ("problems", str(counts.problems)),
            ("model", name or "none yet"),
            ("messages buffered", str(waiting)),
            *(("broken", trouble) for trouble in broken),
        ]
    )


def rebuild() -> None:
    with opened() as engine, output.progress() as report:
        count = upkeep.rebuild(engine, report)
        broken = upkeep.troubles(engine.index)
    for trouble in broken:
        output.warn(trouble)
    output.show_line(f"rebuilt: {count} memories")


def reembed() -> None:
    with opened() as engine, output.progress() as report:
        count = upkeep.reembed(engine, report)
    output.show_line(f"embedded: {count} pieces")


def index_changes() -> None:
    with opened() as engine:
        count = upkeep.index_changes(engine)
    output.show_line(f"synced: {count} files had changed")


def doctor(*, as_json: bool, repair: bool = False) -> bool:
    """Shows the findings; True when none is an error."""
    for sentence in doctors.repair(settings_of_command()) if repair else ():
        output.note(sentence)
    with output.progress(passing=True) as report:
        findings = doctors.doctor(settings_of_command(), report)
    if as_json:
        output.show_json([asdict(finding) for finding in findings])
    else:
        for finding in findings:
            output.show_finding(finding.level, finding.what, finding.hint)
    return all(finding.level != "error" for finding in findings)
