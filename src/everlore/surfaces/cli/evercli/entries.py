"""Our entry in a host's file: read, put, cut, for JSON, TOML and YAML. Pure: text in, text out.

Each edit is checked before it is handed back: the new text must parse, hold exactly what was asked for, and agree
with the old text in everything else. Where that fails, or the old text does not parse, nothing is changed.
"""

from __future__ import annotations

import copy
import json
import re
from typing import TYPE_CHECKING, Any, Final

from everlore.surfaces.cli.evercli import jsonc
from everlore.surfaces.cli.evercli.failure import Failure

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from everlore.types import Json

BEGIN: Final = "<!-- everme-memory: begin (written by evercli) -->"
END: Final = "<!-- everme-memory: end -->"


def load(text: str, form: str, path: Path) -> dict[str, Json]:
    """What the file says. A file that does not parse is refused, with the place."""
    try:
        value = _parsed(text, form)
    except ValueError as error:
        reason = " ".join(str(error).split())
        raise Failure(
            "io",
            f"{path} does not parse ({reason}); it was left as it is",
            "Correct the file, then run the command again",
            detail={"path": str(path)},
        ) from None
    if not isinstance(value, dict):
        hint = "Correct the file, then run the command again"
        raise Failure("io", f"{path} is not an object; it was left as it is", hint, detail={"path": str(path)})
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
    new = _edit(path, lambda: _PUT[form](text, steps, entry))
    return _checked(new, form, path, expected)


def cut(text: str, form: str, path: Path, steps: tuple[str, ...]) -> str:
    before = load(text, form, path)
    if get(before, steps) is None:
        return text
    expected = copy.deepcopy(before)
    section = get(expected, steps[:-1])
    del section[steps[-1]]
    new = _edit(path, lambda: _CUT[form](text, steps))
    if form == "toml" and not section and steps[0] not in load(new, form, path):
        del expected[steps[0]]  # a table without keys and without a header of its own is not there
    return _checked(new, form, path, expected)


def put_block(text: str, body: str) -> str:
    """Instructions between two marks; what stands between them already is replaced."""
    newline = "\r\n" if "\r\n" in text else "\n"
    block = newline.join([BEGIN, *body.strip().splitlines(), END])
    if BEGIN in text and END in text[text.index(BEGIN) :]:
        start = text.index(BEGIN)
        end = text.index(END, start) + len(END)
        return text[:start] + block + text[end:]
    gap = "" if not text else newline if text.endswith("\n") else newline * 2
    return text + gap + block + newline


def cut_block(text: str) -> str:
    found = re.search(rf"(?:\r?\n)?{re.escape(BEGIN)}.*?{re.escape(END)}\r?\n?", text, re.DOTALL)
    return text[: found.start()] + text[found.end() :] if found else text


def _parsed(text: str, form: str) -> Json:
    if not text.strip("\ufeff \t\r\n"):
        return {}
    if form == "json":
        return jsonc.load(text)
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
    return Failure(
        "io",
        f"{path} is written in a way that cannot be edited safely ({reason}); it was left as it is",
        "Add the entry by hand; `evercli plugin install <host> --dry-run` shows it for a new file",
        detail={"path": str(path)},
    )


def _nest(value: dict[str, Json], steps: tuple[str, ...], entry: Json, path: Path) -> None:
    for step in steps[:-1]:
        if value.get(step) is None:
            value[step] = {}
        value = value[step]
        if not isinstance(value, dict):
            raise _refused(path, f"{step} is not an object")
    value[steps[-1]] = entry


def _put_toml(text: str, steps: tuple[str, ...], entry: Json) -> str:
    import tomlkit

    document = tomlkit.parse(text.removeprefix("\ufeff"))
    section, name = steps
    table = tomlkit.table()
    for key, value in entry.items():
        table.append(key, _toml_value(value))
    if section not in document:
        document.append(section, tomlkit.table(is_super_table=True))
    elif list(document)[-1] != section:
        table.add(tomlkit.nl())  # an empty line before the table that follows
    held = document[section]
    held[name] = _toml_value(entry) if isinstance(held, tomlkit.items.InlineTable) else table
    return _like(text, tomlkit.dumps(document))


def _toml_value(value: Json) -> Any:
    import tomlkit

    if isinstance(value, dict):
        inline = tomlkit.inline_table()
        inline.update({key: _toml_value(item) for key, item in value.items()})
        return inline
    return tomlkit.item(value)


def _cut_toml(text: str, steps: tuple[str, ...]) -> str:
    import tomlkit

    document = tomlkit.parse(text.removeprefix("\ufeff"))
    del document[steps[0]][steps[1]]
    return _like(text, tomlkit.dumps(document))


def _like(text: str, new: str) -> str:
    """With the line ends and the byte order mark of the old text."""
    if "\r\n" in text and not re.search(r"(?<!\r)\n", text):
        new = re.sub(r"(?<!\r)\n", "\r\n", new)
    return "\ufeff" + new if text.startswith("\ufeff") else new


def _put_yaml(text: str, steps: tuple[str, ...], entry: Json) -> str:
    section, name = steps
    root = _yaml_root(text)
    newline = "\r\n" if "\r\n" in text else "\n"
    found = _yaml_item(root, section)
    if found is None:
        gap = "" if not text or text.endswith("\n") else newline
        return text + gap + newline.join(_yaml_lines({section: {name: entry}}, "")) + newline
    key, value = found
    text = _cut_yaml(text, steps) if _yaml_item(value, name) else text
    key, value = _yaml_item(_yaml_root(text), section) or (key, value)
    children = getattr(value, "value", None)
    if getattr(value, "flow_style", False) and children:
        at = value.start_mark.index + 1
        return f"{text[:at]}{name}: {json.dumps(entry)}, {text[at:]}"
    if not isinstance(children, list) or not children:  # `section:` with nothing, null or {}
        line = newline.join(_yaml_lines({section: {name: entry}}, " " * key.start_mark.column))
        return text[: key.start_mark.index] + line.lstrip() + text[max(value.end_mark.index, key.end_mark.index + 1) :]
    column = children[0][0].start_mark.column
    at = text.rfind("\n", 0, children[0][0].start_mark.index) + 1
    return text[:at] + newline.join(_yaml_lines({name: entry}, " " * column)) + newline + text[at:]


def _cut_yaml(text: str, steps: tuple[str, ...]) -> str:
    section, name = steps
    parent = _yaml_item(_yaml_root(text), section)
    found = _yaml_item(parent[1], name) if parent else None
    if parent is None or found is None:
        return text
    key, value = found
    if parent[1].flow_style:
        raise ValueError("the section is written in one line")
    start = text.rfind("\n", 0, key.start_mark.index) + 1
    last = text.find("\n", _yaml_end(value))
    end = len(text) if last < 0 else last + 1
    if len(parent[1].value) == 1:  # an empty section must say so
        indent = text[start : key.start_mark.index]
        return text[:start] + indent + "{}" + ("\n" if last >= 0 else "") + text[end:]
    return text[:start] + text[end:]


def _yaml_end(node: Any) -> int:
    """Where the last scalar of a node ends; the node's own end lies beyond comments that are not its own."""
    children = node.value if isinstance(node.value, list) else []
    if not children:
        return int(node.end_mark.index)
    last = children[-1]
    end = _yaml_end(last[1] if isinstance(last, tuple) else last)
    return max(end, int(node.end_mark.index)) if node.flow_style else end


def _yaml_root(text: str) -> Any:
    import yaml

    return yaml.compose(text, Loader=yaml.SafeLoader)


def _yaml_item(node: Any, name: str) -> tuple[Any, Any] | None:
    pairs = node.value if node is not None and isinstance(node.value, list) else []
    return next((pair for pair in pairs if isinstance(pair, tuple) and pair[0].value == name), None)


def _yaml_lines(value: Json, indent: str) -> list[str]:
    import yaml

    printed: str = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=2**31)
    return [indent + line for line in printed.splitlines()]


_PUT: Final[dict[str, Any]] = {"json": jsonc.put, "toml": _put_toml, "yaml": _put_yaml}
_CUT: Final[dict[str, Any]] = {"json": jsonc.cut, "toml": _cut_toml, "yaml": _cut_yaml}
