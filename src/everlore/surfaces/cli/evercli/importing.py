"""`evercli import`: conversations that hosts keep on disk become memories, with the times they really had."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from everlore.surfaces.cli.evercli.commands import Call
from everlore.surfaces.cli.evercli.failure import Failure, bad_argument
from everlore.surfaces.cli.evercli.hosts import HOSTS, place_of
from everlore.surfaces.cli.evercli.memory import target_of
from everlore.surfaces.cli.evercli.output import Result
from everlore.surfaces.cli.evercli.sending import Ledger, open_ledger, send, unsent_count
from everlore.surfaces.cli.evercli.transcripts import READERS
from everlore.surfaces.cli.output import progress
from everlore.types import Json

RESUME: Final = "Run `evercli import run --resume` to go on; what was sent is not sent again"


@dataclass(frozen=True)
class Source:
    platform: str
    root: Path
    files: tuple[Path, ...]


@dataclass
class Tally:
    platform: str
    files: int = 0
    conversations: int = 0
    messages: int = 0
    unchanged: int = 0
    failed: list[dict[str, Json]] = field(default_factory=list)

    def shown(self) -> dict[str, Json]:
        return {
            "platform": self.platform,
            "files": self.files,
            "conversations": self.conversations,
            "messages": self.messages,
            "unchangedFiles": self.unchanged,
        }


def scan(call: Call) -> Result:
    _, _, target = target_of(call)
    sources = list(_sources(call, call.given.platform, call.given.path, call.given.exclude))
    with open_ledger(call.settings.folders.ledger, target, writing=False) as ledger:
        shown = [_scanned(source, ledger) for source in sources]
    lines = [
        f"{one['platform']:<13}{one['fileCount']} files, {one['totalBytes']} bytes, {one['newFiles']} new"
        f"  {one['rootPath']}"
        for one in shown
    ]
    return Result({"sources": shown}, "\n".join(lines) or "Nothing to import was found.", {"count": len(shown)})


def _scanned(source: Source, ledger: Ledger) -> dict[str, Json]:
    return {
        "platform": source.platform,
        "rootPath": str(source.root),
        "fileCount": len(source.files),
        "totalBytes": sum(file.stat().st_size for file in source.files if file.is_file()),
        "newFiles": sum(not ledger.is_done(file, source.platform) for file in source.files),
    }


def run_import(call: Call) -> Result:
    server, user, target = target_of(call)
    given: dict[str, Json] = {
        "platform": call.given.platform,
        "path": call.given.path and str(Path(call.given.path).expanduser().absolute()),
        "exclude": call.given.exclude,
    }
    with open_ledger(call.settings.folders.ledger, target, writing=not call.given.dry_run) as ledger:
        if call.given.resume and not given["platform"] and not given["path"]:
            given = ledger.unfinished() or given
        sources = list(_sources(call, given["platform"], given["path"], given["exclude"]))
        if call.given.force and not call.given.dry_run:
            ledger.forget()
        if not call.given.dry_run:
            ledger.note_begun(given)
        act = (
            (lambda talk: unsent_count(ledger, user, talk))
            if call.given.dry_run
            else (lambda talk: send(server, user, ledger, talk))
        )
        tallies = _work(call, sources, ledger, act)
        failed = [one for tally in tallies for one in tally.failed]
        if not call.given.dry_run and not failed:
            ledger.note_ended()
    return _outcome(call, tallies, failed)


def _work(call: Call, sources: list[Source], ledger: Ledger, act: Callable[[Json], int]) -> list[Tally]:
    tallies = [Tally(source.platform) for source in sources]
    with progress(passing=True) as report:
        for source, tally in zip(sources, tallies, strict=True):
            for number, file in enumerate(source.files, 1):
                _one_file(call, source.platform, file, ledger, act, tally)
                report(source.platform, number, len(source.files))
    return tallies


def _one_file(call: Call, platform: str, file: Path, ledger: Ledger, act: Callable[[Json], int], tally: Tally) -> None:
    if ledger.is_done(file, platform):
        tally.unchanged += 1
        return
    state = file.stat()
    failed = len(tally.failed)
    try:
        for talk in READERS[platform][0](file):
            if talk.turns:
                _one_talk(talk, file, act, tally)
    except OSError as error:
        reason = error.strerror or str(error)
        tally.failed.append({"path": str(file), "error": {"type": "io", "message": f"{file}: {reason}"}})
    tally.files += 1
    if len(tally.failed) == failed and not call.given.dry_run:
        ledger.note_done(file, platform, state)


def _one_talk(talk: Json, file: Path, act: Callable[[Json], int], tally: Tally) -> None:
    try:
        sent = act(talk)
    except Failure as failure:
        if failure.kind not in ("invalid_args", "upstream", "conflict"):  # the next one would fare no better
            failure.hint = RESUME if failure.kind == "network" else failure.hint
            raise failure.with_detail(path=str(file), messagesSent=tally.messages) from None
        error = {"type": failure.kind, "message": failure.message}
        tally.failed.append({"path": str(file), "conversation": talk.id, "error": error})
        return
    tally.conversations += bool(sent)
    tally.messages += sent


def _outcome(call: Call, tallies: list[Tally], failed: list[dict[str, Json]]) -> Result:
    data: dict[str, Json] = {"dryRun": call.given.dry_run, "imports": [tally.shown() for tally in tallies]}
    messages = sum(tally.messages for tally in tallies)
    verb = "would be sent" if call.given.dry_run else "sent"
    lines = [
        f"{tally.platform:<13}{tally.messages} messages of {tally.conversations} conversations {verb}"
        f" ({tally.unchanged} files unchanged)"
        for tally in tallies
    ]
    if not failed:
        return Result(data, "\n".join(lines) or "Nothing to import was found.", {"count": messages})
    first = failed[0]["error"]
    raise Failure(
        first["type"],
        f"{len(failed)} conversations could not be imported: {first['message']}",
        "error.detail.failed names them; the others were imported",
        detail={**data, "failed": failed},
        report="\n".join([*lines, *(f"failed: {one['path']}: {one['error']['message']}" for one in failed)]),
    )


def _sources(call: Call, platform: str | None, path: str | None, exclude: list[str]) -> Iterator[Source]:
    if platform and platform not in READERS:
        hint = f"Use one of: {', '.join(READERS)}"
        raise bad_argument(f"unknown platform {platform!r}", hint, argument="platform", platform=platform)
    if path and not platform:
        hint = f"Say what it is: evercli import run <{'|'.join(READERS)}> --path ..."
        raise bad_argument("--path needs a platform", hint, flag="path")
    roots = _usual_roots(call.env)
    for name in [platform] if platform else list(roots):
        if not path and name not in roots:
            hint = f"Give it: evercli import run {name} --path <file or folder>"
            raise bad_argument(f"{name} has no usual place on disk; --path is needed", hint, flag="path")
        root = Path(path).expanduser() if path else roots[name]
        if not root.exists():
            if path:
                hint = "Give a file or folder that exists"
                raise Failure("not_found", f"there is no {root}", hint, detail={"path": str(root)})
            if platform:
                hint = f"Give its folder with --path; {root} was tried"
                raise Failure(
                    "plugin_not_detected", f"no conversations of {name} were found", hint, detail={"path": str(root)}
                )
            continue
        yield Source(name, root, tuple(_files(name, root, exclude)))


def _usual_roots(env: Mapping[str, str]) -> dict[str, Path]:
    claude = place_of(HOSTS["claude-code"], env).hooks
    codex = place_of(HOSTS["codex"], env).config
    return {"claude-code": (claude or Path()).parent / "projects", "codex": codex.parent / "sessions"}


def _files(platform: str, root: Path, exclude: list[str]) -> Iterator[Path]:
    pattern = READERS[platform][1]
    if root.is_file() or not pattern:
        yield root
        return
    found = {*root.glob(pattern), *(root.glob("*.jsonl") if pattern == "*/*.jsonl" else ())}
    for file in sorted(found):
        inside = file.relative_to(root)
        hidden = any(part.startswith(".") for part in inside.parts)
        if file.is_file() and not hidden and not any(_matches(inside, glob) for glob in exclude):
            yield file


def _matches(path: Path, glob: str) -> bool:
    return fnmatch.fnmatch(path.as_posix(), glob) or any(fnmatch.fnmatch(part, glob) for part in path.parts)
