"""The parser's process: `python -m everlore.models.media.child <format> <limits>`, payload on standard input.

It gives up what it does not need before it looks at the payload: memory and time beyond the limits, files outside
the installation, the network, and the start of other programs. Its answer is one JSON object on standard output:
{"text": ...} or {"refused": reason}.
"""

from __future__ import annotations

import json
import os
import sys
import warnings
from contextlib import suppress
from pathlib import Path
from typing import Any

from everlore.errors import UnsupportedMedia
from everlore.extras import extra_of, missing
from everlore.models.media import parsers
from everlore.models.media.formats import FORMATS

_BARRED = ("socket.connect", "socket.bind", "socket.getaddrinfo", "socket.sendto", "subprocess.Popen", "os.exec",
           "os.posix_spawn", "os.spawn", "os.system", "os.fork", "os.forkpty", "os.remove", "os.rename", "os.rmdir",
           "os.mkdir", "os.chmod", "os.chown", "os.link", "os.symlink", "os.truncate", "shutil.rmtree",
           "ctypes.dlopen.remote", "webbrowser.open")  # fmt: skip
_READABLE = ("/dev/null", "/dev/urandom", "/proc/cpuinfo", "/proc/meminfo", "/proc/self/status", "/proc/stat",
             "/sys/devices/system/cpu", "/sys/fs/cgroup", "/usr/share/zoneinfo", "/etc/localtime", "/etc/mime.types",
             "/proc/self/cgroup", "/proc/self/mountinfo")  # fmt: skip


def main() -> None:
    name, (seconds, computed, memory_mb, pixels, characters) = sys.argv[1], json.loads(sys.argv[2])
    answers = os.fdopen(os.dup(1), "wb")  # the real standard output, which from now on no library can print to
    with open(os.devnull, "wb") as nothing:  # noqa: PTH123
        os.dup2(nothing.fileno(), 1)
    warnings.simplefilter("ignore")
    _limit(seconds, computed, memory_mb)
    _confine()
    answer = _answer(name, sys.stdin.buffer.read(), pixels, characters)
    answers.write(json.dumps(answer).encode())
    answers.flush()
    os._exit(0)  # libraries with threads of their own may crash while they are taken down; the answer is out


def _answer(name: str, raw: bytes, pixels: int, characters: int) -> dict[str, Any]:
    try:
        form = next(form for form in FORMATS if form.name == name)
        text = parsers.read(form, raw, pixels, characters)
        if len(text) > characters:
            raise UnsupportedMedia(f"it has more than the {characters} characters allowed; send it in parts")
    except UnsupportedMedia as refusal:
        return {"refused": str(refusal)}
    except ModuleNotFoundError as error:
        extra = extra_of(error.name or "")
        return {"refused": missing(extra) if extra else f"the module {error.name} is missing"}
    except MemoryError:
        return {"refused": "reading it takes more memory than is allowed"}
    except RecursionError:
        return {"refused": f"the content is nested too deeply to be read as {name}"}
    except Exception as error:
        # the class alone: a message may quote the content or a path
        return {"refused": f"the content could not be read as {name} ({type(error).__name__})"}
    return {"text": text}


def _limit(seconds: float, computed: int, memory_mb: int) -> None:
    if sys.platform == "win32":
        return  # the parent's time-out holds there too; memory is not limited
    import resource
    import signal

    os.nice(5)  # whoever reads or writes text meanwhile goes first
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.setitimer(signal.ITIMER_REAL, seconds)  # also when the parent was killed meanwhile
    for what, most in (
        (resource.RLIMIT_AS, memory_mb << 20),
        (resource.RLIMIT_CPU, computed),
        (resource.RLIMIT_CORE, 0),
        (resource.RLIMIT_FSIZE, 0),
        (resource.RLIMIT_NOFILE, 128),
    ):
        with suppress(ValueError, OSError):  # macOS knows no limit of the address space
            hard = resource.getrlimit(what)[1]
            resource.setrlimit(what, (most if hard == resource.RLIM_INFINITY else min(most, hard), hard))


def _confine() -> None:
    """Refuse, for code in Python, what no parser has to do. Native code is held by the limits alone."""
    import tempfile

    own = {sys.prefix, sys.base_prefix, sys.exec_prefix, *(path for path in sys.path if path)}
    folders = tuple(f"{path}{os.sep}" for folder in own for path in (Path(folder), Path(folder).resolve()))
    tempfile.tempdir = os.devnull

    def watch(event: str, args: tuple[Any, ...]) -> None:
        if event == "open":
            path, _, flags = args
            if isinstance(path, int):
                return
            if isinstance(flags, int) and flags & (os.O_WRONLY | os.O_RDWR | os.O_CREAT) and path != os.devnull:
                raise PermissionError("a parser writes no files")
            shown = os.path.abspath(os.fsdecode(path))  # noqa: PTH100 - links were followed above
            if not shown.startswith((*folders, *_READABLE)):
                raise PermissionError("a parser reads no other files")
        elif event.startswith(_BARRED):
            raise PermissionError(f"a parser does not use {event}")

    sys.addaudithook(watch)


if __name__ == "__main__":
    main()
