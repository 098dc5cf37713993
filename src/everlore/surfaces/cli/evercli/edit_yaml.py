"""Our entry in a YAML file, put and cut at the places that PyYAML's nodes name; nothing else is printed anew."""

from __future__ import annotations

import json
import re
from typing import Any, Final

from everlore.surfaces.cli.evercli.edit_text import cut_item, newline_of, put_first
from everlore.types import Json

Steps = tuple[str, ...]

OWN_INDENT: Final = 2
"""How deep our entry stands in a section that we made. In one that was there and empty it stands deeper, by which
`cut` knows whether the section goes with it."""


def put(text: str, steps: Steps, entry: Json) -> str:
    section, name = steps
    newline = newline_of(text)
    found = _item(_root(text), section)
    if found is None:
        # a file without a last line break gets none, by which `cut` knows that it had none
        gap, last = (newline, "") if text and not text.endswith("\n") else ("", newline)
        return text + gap + newline.join(_lines({section: {name: entry}}, "")) + last
    old = _item(found[1], name)
    if old is not None:
        return _replace(text, found[1], old, entry, newline)
    key, value = found
    children = value.value if isinstance(value.value, list) else []
    if getattr(value, "flow_style", False):
        return put_first(text, value.start_mark.index + 1, f"{name}: {_in_one_line(entry)}", alone=not children)
    if children:
        column = children[0][0].start_mark.column
        at = _line_start(text, children[0][0].start_mark.index)
        return text[:at] + newline.join(_lines({name: entry}, " " * column)) + newline + text[at:]
    if value.end_mark.index > value.start_mark.index:  # the word null, or ~
        inside = f"{{{name}: {_in_one_line(entry)}}}"
        return text[: value.start_mark.index] + inside + text[value.end_mark.index :]
    lines = newline.join(_lines({name: entry}, " " * (key.start_mark.column + 2 * OWN_INDENT)))
    end = text.find("\n", key.end_mark.index) + 1
    return text[:end] + lines + newline + text[end:] if end else text + newline + lines


def cut(text: str, steps: Steps) -> str:
    section, name = steps
    parent = _item(_root(text), section)
    found = _item(parent[1], name) if parent else None
    if parent is None or found is None:
        return text
    key, value = found
    if parent[1].flow_style:
        end = value.end_mark.index
        following = re.compile(r"\s*,").match(text, end)
        before = re.search(r",\s*\Z", text[: key.start_mark.index])
        comma = following.end() - 1 if following else before.start() if before else -1
        return cut_item(text, key.start_mark.index, end, comma)
    start = _line_start(text, key.start_mark.index)
    end = _end_of_lines(text, value)
    if len(parent[1].value) == 1:
        above = _line_start(text, parent[0].start_mark.index)
        bare = re.fullmatch(rf"{re.escape(section)}:\s*", text[above:start])
        if bare and key.start_mark.column == parent[0].start_mark.column + OWN_INDENT:
            start = above
    if end == len(text) and not text.endswith("\n"):  # see `put`
        start -= len((re.search(r"(?:\r?\n)?\Z", text[:start]) or [""])[0])
    return text[:start] + text[end:]


def _replace(text: str, section: Any, old: tuple[Any, Any], entry: Json, newline: str) -> str:
    key, value = old
    if section.flow_style:
        return text[: value.start_mark.index] + _in_one_line(entry) + text[value.end_mark.index :]
    start, end = _line_start(text, key.start_mark.index), _end_of_lines(text, value)
    lines = newline.join(_lines({key.value: entry}, " " * key.start_mark.column))
    return text[:start] + lines + (newline if text[end - 1 : end] == "\n" else "") + text[end:]


def _line_start(text: str, at: int) -> int:
    return text.rfind("\n", 0, at) + 1


def _end_of_lines(text: str, node: Any) -> int:
    last = text.find("\n", _end(node))
    return len(text) if last < 0 else last + 1


def _end(node: Any) -> int:
    """Where the last scalar of a node ends; the node's own end lies beyond comments that are not its own."""
    children = node.value if isinstance(node.value, list) else []
    if not children:
        return int(node.end_mark.index)
    last = children[-1]
    end = _end(last[1] if isinstance(last, tuple) else last)
    return max(end, int(node.end_mark.index)) if node.flow_style else end


def _root(text: str) -> Any:
    import yaml

    return yaml.compose(text, Loader=yaml.SafeLoader)


def _item(node: Any, name: str) -> tuple[Any, Any] | None:
    pairs = node.value if node is not None and isinstance(node.value, list) else []
    return next((pair for pair in pairs if isinstance(pair, tuple) and pair[0].value == name), None)


def _in_one_line(entry: Json) -> str:
    return json.dumps(entry, ensure_ascii=False)


def _lines(value: Json, indent: str) -> list[str]:
    import yaml

    printed: str = yaml.safe_dump(value, sort_keys=False, allow_unicode=True, width=2**31)
    return [indent + line for line in printed.splitlines()]
