"""Our entry in a host's file: read, put, cut, for JSON, TOML and YAML. Pure: text in, text out.

Each edit is checked before it is handed back: the new text must parse, hold exactly what was asked for, and agree
with the old text in everything else. Where that fails, or the old text does not parse, nothing is changed.
"""

from __future__ import annotations

import copy
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any, Final

from everlore.surfaces.cli.evercli import edit_json, edit_toml, edit_yaml
from everlore.surfaces.cli.evercli.edit_text import add_below, cut_out, newline_of
from everlore.surfaces.cli.evercli.failure import Failure, unusable
from everlore.transcripts.notes import BEGIN, END, OUR_BLOCK
from everlore.types import Json


def load(text: str, form: str, path: Path) -> dict[str, Json]:
    """What the file says. A file that does not parse is refused, with the place."""
    try:
        value = _parsed(text, form)
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise unusable(path, f"{path} does not parse ({reason}); it was left as it is") from None
    if not isinstance(value, dict):
        raise unusable(path, f"{path} is not an object; it was left as it is")
    return value


def get(value: Json, steps: tuple[str, ...]) -> Json:
    for step in steps:
        value = value.get(step) if isinstance(value, dict) else None
    return value


def put(text: str, form: str, path: Path, steps: tuple[str, ...], entry: Json) -> str:
    before = load(text, form, path)
    if get(before, steps) == entry:
        return text
    expected = copy.deepcopy(before)
    _nest(expected, steps, entry, path)
    new = _edit(path, lambda: _EDITORS[form].put(text, steps, entry))
    return _checked(new, form, path, expected)


def cut(text: str, form: str, path: Path, steps: tuple[str, ...]) -> str:
    before = load(text, form, path)
    if get(before, steps) is None:
        return text
    expected = copy.deepcopy(before)
    section = get(expected, steps[:-1])
    del section[steps[-1]]
    new = _edit(path, lambda: _EDITORS[form].cut(text, steps))
    if form != "json" and not section:  # an empty section may be written as nothing at all
        left = load(new, form, path)
        if not left.get(steps[0]):
            del expected[steps[0]]
            expected |= {steps[0]: left[steps[0]]} if steps[0] in left else {}
    return _checked(new, form, path, expected)


def put_block(text: str, body: str) -> str:
    """Instructions between two marks; what stands between them already is replaced."""
    block = newline_of(text).join([BEGIN, *body.strip().splitlines(), END])
    found = OUR_BLOCK.search(text)
    if found:
        return text[: found.start()] + block + text[found.end() :]
    return add_below(text, block)


def cut_block(text: str) -> str:
    found = OUR_BLOCK.search(text)
    if not found:
        return text
    rest = text[found.end() :]
    end = found.end() + len(rest) - len(re.sub(r"\A\r?\n", "", rest))
    return cut_out(text, found.start(), end)


def _parsed(text: str, form: str) -> Json:
    if not text.strip("\ufeff \t\r\n"):
        return {}
    if form == "json":
        return edit_json.load(text)
    if form == "toml":
        import tomllib

        return tomllib.loads(text.removeprefix("\ufeff"))
    import yaml

    try:
        value = yaml.safe_load(text)
    except yaml.YAMLError as error:
        raise ValueError(str(error)) from None
    return {} if value is None else value


def _edit(path: Path, edit: Callable[[], str]) -> str:
    try:
        return edit()
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise _refused(path, str(error)) from None


def _checked(new: str, form: str, path: Path, expected: Json) -> str:
    try:
        agrees = _parsed(new, form) == expected
    except ValueError:
        agrees = False
    if not agrees:
        raise _refused(path, "the edit would have changed more than our entry")
    return new


def _refused(path: Path, reason: str) -> Failure:
    message = f"{path} is written in a way that cannot be edited safely ({reason}); it was left as it is"
    hint = "Add the entry by hand; `evercli plugin install <host> --dry-run` shows it for a new file"
    return unusable(path, message, hint)


def _nest(value: dict[str, Json], steps: tuple[str, ...], entry: Json, path: Path) -> None:
    for step in steps[:-1]:
        if value.get(step) is None:
            value[step] = {}
        value = value[step]
        if not isinstance(value, dict):
            raise _refused(path, f"{step} is not an object")
    value[steps[-1]] = entry


_EDITORS: Final[dict[str, Any]] = {"json": edit_json, "toml": edit_toml, "yaml": edit_yaml}
