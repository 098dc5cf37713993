"""What the commands about the store do: out to a folder, in from one, and over a cluster."""

from __future__ import annotations

from pathlib import Path

from everlore.errors import InvalidInput, NotFound
from everlore.extras import load
from everlore.memory.backup import back_up, check_backup, restore_backup
from everlore.surfaces.cli import output
from everlore.surfaces.cli.opening import opened
from everlore.sync.transfer import Moved, Side, folder_side, move, refuse_itself
from everlore.sync.upkeep import index_changes


def export(folder: Path, *, force: bool, dry_run: bool) -> bool:
    """True when everything is there now, or would be."""
    with opened() as engine, output.progress() as report:
        refuse_itself(engine, folder)
        source = Side(engine.vault, engine.buffer)
        with folder_side(folder, writing=not dry_run) as target:
            moved = move(source, target, report, force=force, dry_run=dry_run)
    return _tell("exported", moved, force=force, dry_run=dry_run)


def take_in(folder: Path | None, *, force: bool, dry_run: bool) -> bool:
    if folder is None:
        return bool(load("everlore.surfaces.cli.home:take_in")(force=force, dry_run=dry_run))
    if not folder.is_dir():
        raise InvalidInput(f"there is no folder {folder}")
    with opened() as engine, output.progress() as report:
        refuse_itself(engine, folder)
        with folder_side(folder, writing=False) as source:
            if source.buffer is None and not any(True for _ in source.vault.walk()):
                raise NotFound(f"no memories in {folder}; name the folder that holds <app>/<project>/users/...")
            target = Side(engine.vault, engine.buffer)
            moved = move(source, target, report, force=force, dry_run=dry_run)
        done = _tell("imported", moved, force=force, dry_run=dry_run)
        # also what an import copied that was broken off
        if done and not dry_run and index_changes(engine, report):
            print("indexed; a running server embeds them, or run: everlore index reembed")
    return done


def backup(folder: Path, *, check: bool) -> bool:
    """False when something could not be copied."""
    if check:
        found = check_backup(folder)
        output.show_line(f"{found.name}: {len(found.files)} files and {len(found.databases)} databases are sound")
        return True
    with opened() as engine:
        made = back_up(engine, folder)
    for sentence in made.refused:
        output.warn(sentence)
    output.show_line(f"{made.name}: {len(made.files)} files, {len(made.databases)} databases; {made.new} copied anew")
    return not made.refused


def restore(folder: Path, vault: Path, snapshot: str) -> None:
    made = restore_backup(folder, vault, snapshot)
    output.show_line(f"{made.name}: {len(made.files)} files and {len(made.databases)} databases are in {vault}")


def distribute() -> None:
    with opened() as engine:
        where, done = engine.backend.distribute()
    for statement in done:
        print(statement)
    print(f"{where}: {f'distributed {len(done) // 2} tables' if done else 'distributed already'}")


def tidy() -> None:
    with opened() as engine:
        dropped = engine.backend.tidy()
    print(f"dropped {', '.join(dropped)}" if dropped else "nothing is left of older versions")


def _tell(word: str, moved: Moved, *, force: bool, dry_run: bool) -> bool:
    refused = bool(moved.differing) and not force
    for path in moved.differing:
        print(f"differs\t{path}")
    for sentence in moved.refused:
        output.warn(sentence)
    written = 0 if refused else len(moved.written)
    would = "would be " if dry_run else ""
    print(f"{would}{word}: {written} files, {moved.equal} equal already, {moved.messages} messages")
    if refused:
        print(f"{len(moved.differing)} files differ, so nothing was written; --force overwrites them")
    return not refused
