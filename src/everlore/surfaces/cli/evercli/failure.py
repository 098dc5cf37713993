"""What can go wrong, as a caller sees it: one exception, the contract's types, and the exit code of each type."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Final

from everlore.types import Json

_OF_CODES: Final = {
    1: "upstream conflict not_found rate_limit permission plugin_not_detected",
    2: "invalid_args",
    3: "not_logged_in auth",
    4: "network",
    5: "io internal",
    130: "cancelled",
}
EXIT_CODES: Final = {kind: code for code, kinds in _OF_CODES.items() for kind in kinds.split()}


class Failure(Exception):
    """A command that did not succeed. `code` is the server's own number, 0 when it gave none."""

    def __init__(
        self,
        kind: str,
        message: str,
        hint: str = "",
        *,
        code: int = 0,
        detail: Mapping[str, Json] | None = None,
        request_id: str = "",
        report: str = "",
    ) -> None:
        super().__init__(message)
        self.kind, self.message, self.hint, self.code = kind, message, hint, code
        self.detail = dict(detail or {})
        self.request_id = request_id
        self.report = report
        """What a person reads on stderr beside the message."""

    @property
    def exit_code(self) -> int:
        return EXIT_CODES[self.kind]

    def with_detail(self, **more: Json) -> Failure:
        self.detail |= more
        return self


def bad_argument(message: str, hint: str = "", *, flag: str = "", **detail: Json) -> Failure:
    return Failure("invalid_args", message, hint, detail={**({"flag": flag} if flag else {}), **detail})


def unusable(path: Path, message: str, hint: str = "Correct the file, then run the command again") -> Failure:
    """A file that is not as it should be, and that is not ours to repair."""
    return Failure("io", message, hint, detail={"path": str(path)})


def local_failure(error: OSError, doing: str) -> Failure:
    """A file operation that failed: what, where and why."""
    where = f"{error.filename}: " if error.filename else ""
    return Failure(
        "io",
        f"cannot {doing}: {where}{error.strerror or error}",
        "Check the path, its permissions and the space left on the disk",
        detail={"path": str(error.filename or "")},
    )
