"""HTML that is safe by construction: what is no `Html` is text, and is escaped.

el("p.meta", el("b", speaker), " said ", text, role="note")
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape

from everlore.stores.tokens import query_terms, tokens

VOID = frozenset(("br", "hr", "img", "input"))
_MARK = re.compile(r"\w+(?:['’-]\w+)*", re.UNICODE)


class Html(str):
    """Markup, not text."""

    __slots__ = ()


def el(kind: str, *children: object, **attributes: object) -> Html:
    """`kind` is a tag and its classes: `p.meta.past`. Of attributes, `data_do` is written `data-do`, `for_` is `for`,
    True is written without a value, and what is None or False is left out."""
    tag, *classes = kind.split(".")
    given = {"class": " ".join(classes)} if classes else {}
    named = {name.rstrip("_").replace("_", "-"): value for name, value in attributes.items()}
    written = "".join(
        f" {name}" if value is True else f' {name}="{escape(str(value))}"'
        for name, value in {**given, **named}.items()
        if value is not None and value is not False
    )
    return Html(f"<{tag}{written}>" + ("" if tag in VOID else f"{join(children)}</{tag}>"))


def join(children: Iterable[object]) -> Html:
    """Children one after the other: markup as it is, text escaped, nothing for None, and what is in lists."""
    parts: list[str] = []
    for child in children:
        if child is None or child is False:
            continue
        if isinstance(child, Html):
            parts.append(child)
        elif isinstance(child, str | int | float):
            parts.append(escape(str(child)))
        else:
            parts.append(join(child))  # type: ignore[arg-type]  # what is left are lists of children
    return Html("".join(parts))


def marked(text: str, query: str) -> Html:
    """The text, with the words that the question has, too."""
    wanted = set(query_terms(query))
    if not wanted:
        return join([text])
    parts: list[object] = []
    at = 0
    for found in _MARK.finditer(text):
        if wanted & set(tokens(found[0])):
            parts += [text[at : found.start()], el("mark", found[0])]
            at = found.end()
    return join([*parts, text[at:]])


def table(caption: str, heads: Iterable[object], rows: Iterable[Iterable[object]], **attributes: object) -> Html:
    """With a caption, and scrolled by itself where it is too wide."""
    body = [
        el(
            "tr",
            [cell if isinstance(cell, Html) and cell.startswith(("<td", "<th")) else el("td", cell) for cell in row],
        )
        for row in rows
    ]
    head = el("thead", el("tr", [el("th", one, scope="col") for one in heads]))
    inner = el("table", el("caption", caption), head, el("tbody", body), **attributes)
    return el("div.scroll", inner, tabindex="0", role="region", aria_label=caption)
