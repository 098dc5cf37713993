"""What hosts have kept on this machine, and where: their transcripts, and what people wrote down for them."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Final, NamedTuple

from everlore.surfaces.cli.evercli.failure import Failure, bad_argument
from everlore.surfaces.cli.evercli.folders import home_folder
from everlore.surfaces.cli.evercli.hosts import HOSTS, place_of
from everlore.transcripts import exports, hosts
from everlore.transcripts.notes import note
from everlore.transcripts.turns import Conversation

LARGEST_NOTE: Final = 1 << 20
Reader = Callable[[Path], Iterator[Conversation]]
Env = Mapping[str, str]


class Kept(NamedTuple):
    """Of a platform. A pattern is one of files below its folder; a platform without is an export, read as one."""

    folder: Callable[[Env], Path] | None = None
    talks: tuple[str, ...] = ()
    reader: Reader | None = None
    notes: tuple[str, ...] = ()
    in_project: tuple[str, ...] = ()
    """Notes in the folder of the project that is worked on."""


@dataclass(frozen=True)
class Source:
    platform: str
    root: Path
    files: tuple[tuple[Path, Reader], ...]
    skipped: tuple[tuple[Path, str], ...]


def _beside_config(host: str) -> Callable[[Env], Path]:
    return lambda env: place_of(HOSTS[host], env).config.parent


def _claude(env: Env) -> Path:
    return (place_of(HOSTS["claude-code"], env).hooks or Path()).parent


def _workspace(env: Env) -> Path:
    named = env.get("OPENCLAW_CONFIG_DIR")
    return (Path(named) if named else _beside_config("openclaw")(env)) / "workspace"


def _opencode(env: Env) -> Path:
    named = env.get("XDG_DATA_HOME")
    return (Path(named) if named else home_folder(env) / ".local" / "share") / "opencode"


SOURCES: Final[Mapping[str, Kept]] = {
    "claude-code": Kept(
        _claude,
        ("projects/*/*.jsonl",),
        hosts.claude_code,
        ("*.md", "projects/**/*.md"),
        ("CLAUDE.md", "CLAUDE.local.md", ".claude/CLAUDE.md"),
    ),
    "codex": Kept(
        _beside_config("codex"),
        ("sessions/**/*.jsonl",),
        hosts.codex,
        ("AGENTS.md", "memories/**/*.md"),
        ("AGENTS.md",),
    ),
    "gemini": Kept(
        _beside_config("gemini"),
        ("tmp/*/chats/session-*.json", "tmp/*/chats/session-*.jsonl"),
        hosts.gemini,
        ("GEMINI.md",),
        ("GEMINI.md",),
    ),
    "opencode": Kept(_opencode, ("opencode.db",), hosts.opencode),
    "cursor": Kept(
        _beside_config("cursor"),
        (),
        None,
        ("rules/**/*.mdc", "rules/**/*.md"),
        (".cursor/rules/**/*.mdc", ".cursorrules"),
    ),
    "windsurf": Kept(
        _beside_config("windsurf"), (), None, ("memories/*.md",), (".windsurf/rules/**/*.md", ".windsurfrules")
    ),
    "openclaw": Kept(_workspace, (), None, ("*.md", "memory/**/*.md")),
    "copilot": Kept(
        _beside_config("copilot"),
        ("session-state/*/events.jsonl",),
        hosts.copilot,
        ("copilot-instructions.md",),
        (".github/copilot-instructions.md",),
    ),
    "chatgpt": Kept(reader=exports.chatgpt),
    "claude": Kept(reader=exports.claude),
    "markdown": Kept(notes=("**/*.md",)),
}


def found(env: Env, platform: str | None, path: str | None, exclude: list[str]) -> Iterator[Source]:
    if platform and platform not in SOURCES:
        hint = f"Use one of: {', '.join(SOURCES)}"
        raise bad_argument(f"unknown platform {platform!r}", hint, argument="platform", platform=platform)
    if path and not platform:
        hint = f"Say what it is: evercli import run <{'|'.join(SOURCES)}> --path ..."
        raise bad_argument("--path needs a platform", hint, flag="path")
    for name in [platform] if platform else SOURCES:
        kept = SOURCES[name]
        if path:
            yield _named(name, kept, Path(path).expanduser(), exclude)
        elif kept.folder is not None:
            source = _usual(name, kept, kept.folder(env), exclude)
            if source.root.exists() or source.files:
                yield source
            elif platform:
                hint = f"Give its folder with --path; {source.root} was tried"
                what, detail = f"nothing that {name} keeps was found", {"path": str(source.root)}
                raise Failure("plugin_not_detected", what, hint, detail=detail)
        elif platform:
            hint = f"Give it: evercli import run {name} --path <file or folder>"
            raise bad_argument(f"{name} has no usual place on disk; --path is needed", hint, flag="path")


def _named(name: str, kept: Kept, root: Path, exclude: list[str]) -> Source:
    if not root.exists():
        raise Failure(
            "not_found", f"there is no {root}", "Give a file or folder that exists", detail={"path": str(root)}
        )
    noted: Reader = partial(note, name)
    if root.is_file() or not (kept.talks or kept.notes):
        is_note = root.suffix in (".md", ".mdc") or kept.reader is None
        return Source(name, root, ((root, noted if is_note or kept.reader is None else kept.reader),), ())
    anywhere = [tuple(f"**/{pattern.rpartition('/')[2]}" for pattern in part) for part in (kept.talks, kept.notes)]
    return _collected(name, root, [(root, anywhere[0], kept.reader), (root, anywhere[1], noted)], exclude)


def _usual(name: str, kept: Kept, root: Path, exclude: list[str]) -> Source:
    here = Path.cwd()
    project = next((at for at in (here, *here.parents) if (at / ".git").exists()), None)
    shelves = [(root, kept.talks, kept.reader), (root, kept.notes, partial(note, name))]
    if project is not None:
        shelves.append((project, kept.in_project, partial(note, name, folder=str(project))))
    return _collected(name, root, shelves, exclude)


def _collected(
    name: str, root: Path, shelves: list[tuple[Path, tuple[str, ...], Reader | None]], exclude: list[str]
) -> Source:
    files: dict[Path, Reader] = {}
    skipped: dict[Path, str] = {}
    for folder, patterns, reader in shelves:
        for pattern in patterns if reader is not None else ():
            for file in sorted(folder.glob(pattern)):
                inside = file.relative_to(folder)
                hidden = any(part.startswith(".") and part not in pattern for part in inside.parts)
                if hidden or file in files or not file.is_file() or any(_matches(inside, glob) for glob in exclude):
                    continue
                if isinstance(reader, partial) and file.stat().st_size > LARGEST_NOTE:
                    skipped[file] = f"larger than {LARGEST_NOTE} bytes"
                elif reader is not None:
                    files[file] = reader
    return Source(name, root, tuple(files.items()), tuple(skipped.items()))


def _matches(path: Path, glob: str) -> bool:
    return fnmatch.fnmatch(path.as_posix(), glob) or any(fnmatch.fnmatch(part, glob) for part in path.parts)
