"""`evercli import`: conversations that hosts keep on disk become memories, with the times they really had."""

from __future__ import annotations

import hashlib
import uuid
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Final

from everlore.surfaces.cli.evercli.commands import Call
from everlore.surfaces.cli.evercli.failure import Failure
from everlore.surfaces.cli.evercli.memory import target_of
from everlore.surfaces.cli.evercli.output import Result
from everlore.surfaces.cli.evercli.sending import Ledger, open_ledger, send, unsent_count
from everlore.surfaces.cli.evercli.settings import PREFIX
from everlore.surfaces.cli.evercli.sources import Reader, Source, found
from everlore.surfaces.cli.output import progress
from everlore.transcripts.turns import Conversation
from everlore.types import Json

Act = Callable[[Conversation], int]

SAMPLES: Final = 5
RESUME: Final = "Run `evercli import run --resume` to go on; what was sent is not sent again"


@dataclass
class Tally:
    source: Source
    files: int = 0
    conversations: int = 0
    messages: int = 0
    text_bytes: int = 0
    unchanged: int = 0
    failed: list[dict[str, Json]] = field(default_factory=list)

    def shown(self) -> dict[str, Json]:
        platform, key = self.source.platform, _digest(f"{self.source.platform}:{self.source.root}")
        states = [(str(file), file.stat()) for file, _ in self.source.files if file.is_file()]
        content = _digest("\n".join(f"{name} {state.st_size} {state.st_mtime_ns}" for name, state in states))
        return {
            "platform": platform,
            "files": self.files,
            "conversations": self.conversations,
            "messages": self.messages,
            "unchangedFiles": self.unchanged,
            "fileCount": len(self.source.files),
            "totalBytes": sum(state.st_size for _, state in states),
            "mergedBytes": self.text_bytes,
            "contentHash": content,
            "documentKey": f"doc_{key[:32]}",
            "recordId": f"rec_{content[:32]}",
            "sourceId": f"src_{key[:32]}",
            "objectKey": "",
            "idempotencyKey": str(uuid.UUID(content[:32], version=4)),
        }


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode("utf-8", "replace")).hexdigest()


def scan(call: Call) -> Result:
    _, _, target = target_of(call)
    sources = list(found(call.env, call.given.platform, call.given.path, call.given.exclude))
    with open_ledger(call.settings.folders.ledger, target, writing=False) as ledger:
        shown = [_scanned(source, ledger) for source in sources]
    lines = [
        f"{one['platform']:<13}{one['fileCount']} files, {one['totalBytes']} bytes, {one['newFiles']} new"
        f"  {one['rootPath']}"
        for one in shown
    ]
    return Result({"sources": shown}, "\n".join(lines) or "Nothing to import was found.", {"count": len(shown)})


def _scanned(source: Source, ledger: Ledger) -> dict[str, Json]:
    files = [file for file, _ in source.files if file.is_file()]
    skipped = [{"path": str(file), "reason": reason} for file, reason in source.skipped]
    return {
        "platform": source.platform,
        "type": "cold-start",
        "rootPath": str(source.root),
        "fileCount": len(source.files),
        "totalBytes": sum(file.stat().st_size for file in files),
        "newFiles": sum(not ledger.is_done(file, source.platform) for file, _ in source.files),
        "sampleTitles": [file.stem for file in files[:SAMPLES]],
        "skippedCount": len(skipped),
        "skippedSamples": skipped[:SAMPLES],
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
        sources = list(found(call.env, given["platform"], given["path"], given["exclude"]))
        if call.given.force and not call.given.dry_run:
            ledger.forget()
        if not call.given.dry_run:
            ledger.note_begun(given)
        act: Act = (
            (lambda talk: unsent_count(ledger, user, talk))
            if call.given.dry_run
            else (lambda talk: send(server, user, ledger, talk))
        )
        tallies = _work(call, sources, ledger, act)
        failed = [one for tally in tallies for one in tally.failed]
        if not call.given.dry_run and not failed:
            ledger.note_ended()
    return _outcome(call, tallies, failed)


def _work(call: Call, sources: list[Source], ledger: Ledger, act: Act) -> list[Tally]:
    tallies = [Tally(source) for source in sources]
    with progress(passing=True) as report:
        for source, tally in zip(sources, tallies, strict=True):
            for number, (file, read) in enumerate(source.files, 1):
                _one_file(call, file, read, ledger, act, tally)
                report(source.platform, number, len(source.files))
    return tallies


def _one_file(call: Call, file: Path, read: Reader, ledger: Ledger, act: Act, tally: Tally) -> None:
    platform = tally.source.platform
    if ledger.is_done(file, platform):
        tally.unchanged += 1
        return
    state = file.stat()
    failed = len(tally.failed)
    try:
        for talk in read(file):
            if talk.turns:
                _one_talk(talk, file, act, tally)
    except OSError as error:
        reason = error.strerror or str(error)
        tally.failed.append({"path": str(file), "error": {"type": "io", "message": f"{file}: {reason}"}})
    tally.files += 1
    if len(tally.failed) == failed and not call.given.dry_run:
        ledger.note_done(file, platform, state)


def _one_talk(talk: Conversation, file: Path, act: Act, tally: Tally) -> None:
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
    tally.text_bytes += sum(len(turn.text.encode("utf-8", "replace")) for turn in talk.turns) if sent else 0


def _outcome(call: Call, tallies: list[Tally], failed: list[dict[str, Json]]) -> Result:
    imports = [tally.shown() for tally in tallies]
    skipped = [
        {"platform": tally.source.platform, "path": str(file), "reason": reason}
        for tally in tallies
        for file, reason in tally.source.skipped
    ]
    data: dict[str, Json] = {"dryRun": call.given.dry_run, "imports": imports, "skipped": skipped, "failed": failed}
    to = f"{call.settings.base}{PREFIX}/memory/add"
    data["previews"] = [{**one, "wouldPostTo": to} for one in imports] if call.given.dry_run else []
    messages = sum(tally.messages for tally in tallies)
    verb = "would be sent" if call.given.dry_run else "sent"
    lines = [
        f"{tally.source.platform:<13}{tally.messages} messages of {tally.conversations} conversations {verb}"
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
        detail=data,
        report="\n".join([*lines, *(f"failed: {one['path']}: {one['error']['message']}" for one in failed)]),
    )
