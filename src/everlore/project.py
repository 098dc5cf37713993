"""Which project a folder belongs to, told from git's own files: no process is started and nothing is imported for it.

The nearest folder with a `.git` decides, a submodule for itself, a worktree for its repository. A project with a remote
goes by it, so that every clone of it, on any machine and by any protocol, is the same one; another goes by its folder.
"""

from __future__ import annotations

import os
import re
import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

LONGEST = 128
HASH = 8
JOINT = "--"
_URL = re.compile(
    r"(?!file:)[a-z][a-z0-9+.-]{0,30}://(?:[^/]{0,256}@)?(?P<host>\[[^]]{0,64}\]|[^/:]{1,256})(?::\d{0,9})?/(?P<path>.+)",
    re.IGNORECASE,
)
_SHORT = re.compile(r"(?:[^/@]{0,256}@)?(?P<host>[^/:]{2,256}):(?!//)(?P<path>.+)")
"""`git@github.com:anna/tool.git`; one letter is a drive of Windows."""
_HEADING = re.compile(r'\s{0,99}\[\s{0,9}([\w.-]{1,200})(?:\s{1,9}"((?:[^"\\]|\\.){0,1000})")?\s{0,9}\]')
_SETTING = re.compile(r"\s{0,99}([A-Za-z][\w-]{0,200})\s{0,99}=([^#;\n]*)")
_QUOTED = re.compile(r'\s{0,99}([A-Za-z][\w-]{0,200})\s{0,99}=\s{0,99}"((?:[^"\\]|\\.){0,4000})"')


@dataclass(frozen=True, slots=True)
class Project:
    id: str
    """`github.com--anna--tool`, `notes-1f0c9b2e`: letters, digits, `_`, `.` and `-`, 128 at most."""
    name: str
    """What people call it."""


def project_of(folder: str | os.PathLike[str]) -> Project | None:
    """None where nothing tells a project: outside of git, and where home, the root or a temporary folder is the
    repository (of dotfiles, say)."""
    try:
        here = Path(folder).expanduser().resolve()
        root = next((at for at in (here, *here.parents) if (at / ".git").exists()), None)
        if root is None or root in _no_projects():
            return None
        home, main = _repository(root)
    except (OSError, ValueError, RuntimeError):  # no rights, a NUL in the name, no home
        return None
    remotes = {
        name: url for (section, name, key), url in settings_in(home / "config") if (section, key) == ("remote", "url")
    }
    remote = remotes.get("origin") or next(iter(remotes.values()), "")
    name = main.name.removesuffix(".git") or main.name
    return _of_remote(remote) or Project(_id([name], str(main)), name)


def settings_in(config: Path) -> Iterator[tuple[tuple[str, str, str], str]]:
    """What a file of git's settings says: ("remote", "origin", "url") and its value. One that cannot be read says
    nothing."""
    try:
        text = config.read_text(encoding="utf-8", errors="replace")
    except OSError:
        return
    section = name = ""
    for line in text.splitlines():
        if heading := _HEADING.match(line):
            section, name, line = heading[1].lower(), _plain(heading[2] or ""), line[heading.end() :]
        if found := _QUOTED.match(line) or _SETTING.match(line):
            yield (section, name, found[1].lower()), _plain(found[2]).strip()


def _plain(text: str) -> str:
    return re.sub(r"\\(.)", r"\1", text)


def _no_projects() -> set[Path]:
    named = (Path.home(), Path(tempfile.gettempdir()), Path("/tmp"), Path("/var/tmp"))
    return {Path(path.anchor) for path in named} | {path.resolve() for path in named}


def _repository(root: Path) -> tuple[Path, Path]:
    """Where its settings lie, and the folder that it is called by: a submodule's own, but for all worktrees that of the
    repository they share."""
    git = root / ".git"
    if git.is_file():
        found = re.match(r"gitdir:\s*(.+?)\s*$", git.read_text(encoding="utf-8", errors="replace"))
        git = (root / found[1]).resolve() if found else git
    shared = git / "commondir"
    if not shared.is_file():
        return git, root
    git = (git / shared.read_text(encoding="utf-8").strip()).resolve()
    return git, git.parent if git.name == ".git" else git


def _of_remote(url: str) -> Project | None:
    """By host and path, without user, password and port; None for a remote that is a folder."""
    found = _URL.fullmatch(url) or _SHORT.fullmatch(url)
    if found is None:
        return None
    host = re.sub(r"^(?:ssh|www)\.", "", found["host"].lower())
    path = re.sub(r"/*(?:\.git)?/*$", "", found["path"].partition("?")[0].strip("/"))
    parts = [part for part in path.split("/") if part]
    return Project(_id([host, *parts], certain=True), parts[-1]) if host and parts else None


def _id(parts: list[str], told: str = "", *, certain: bool = False) -> str:
    """What the parts are called, in small letters as file systems and hosts compare them; with a hash of `told` where
    the name alone would not be `certain`, or cannot be written as it is."""
    name = JOINT.join(parts).lower()
    plain = re.sub(r"[^a-z0-9_.-]+", "-", name)
    if certain and plain == name and len(plain) <= LONGEST and not any(JOINT in part for part in parts):
        return plain
    mark = blake2b((told or "\0".join(parts).lower()).encode("utf-8", "surrogateescape"), digest_size=HASH // 2)
    return f"{plain[: LONGEST - HASH - 1].rstrip('-.')}-{mark.hexdigest()}".lstrip("-.")
