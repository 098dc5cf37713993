"""A source file cut into chunks: definitions with their comments, and what stands between them. Pure.

Invariants:
- A chunk is a run of whole lines, and its content is exactly these lines (line ends become LF).
- `own` is what search compares. The `own` lines of all chunks are disjoint, and every line that holds at least two
  words is in one of them; a lone `}` or `end` may be in none. So no text counts twice.
- A container (class, impl, module ...) that is short shows all of its lines, and its members are chunks besides. Of a
  long one only the head is a chunk, and its members.
- Broken syntax still gives chunks: the grammars are tolerant, and lines are cut by paragraphs where they see nothing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import TYPE_CHECKING

from everlore.code.languages import CONTAINERS, grammar

if TYPE_CHECKING:
    from tree_sitter import Node

LONGEST = 4000
"""Characters up to which a definition stays in one piece."""
PIECE = 2000
"""Characters of the pieces of a longer one: about what an embedder reads."""
PARAGRAPHS = 1500
"""Characters to which paragraphs are packed."""

_WORD = re.compile(r"\w+")
_CPP = re.compile(r"^[ \t]{0,200}(?:class|namespace|template|public:|private:|using)\b", re.MULTILINE)
_HEADING = re.compile(r"(#{1,6})\s+(.+?)\s*#*$")
_ABOVE = frozenset(
    ["comment", "line_comment", "block_comment", "multiline_comment", "attribute_item", "decorator", "attribute_list"]
)
"""Nodes that belong to the definition right below them."""
_WRAPPERS = frozenset(["decorated_definition", "export_statement", "ambient_declaration", "template_declaration"])
_NAMED = frozenset(
    ["variable_declarator", "assignment_expression", "type_spec", "type_identifier", "simple_identifier", "word"]
)
"""Nodes that hold the name of a definition which has no field for it."""
_SWIFT_KINDS = {"struct": "struct", "enum": "enum", "extension": "impl"}


@dataclass(frozen=True, slots=True)
class Chunk:
    start: int
    """First line, from 1."""
    end: int
    """Last line, inclusive."""
    type: str
    name: str | None
    breadcrumb: str
    content: str
    own: str
    """The lines that are in no other chunk, and the names of the members."""


@dataclass(slots=True)
class _Definition:
    type: str
    name: str | None
    start: int
    head: int
    end: int
    node: Node
    receiver: str = ""
    """The type that a Go method belongs to."""
    members: list[_Definition] = field(default_factory=list)


def cut(text: str, language: str, path: str = "") -> list[Chunk]:
    """The chunks of a file, in order of their lines. `text` has LF line ends."""
    lines = text.split("\n")
    if language == "c" and path.endswith(".h") and _CPP.search(text):
        language = "cpp"
    found = grammar(language, path.endswith(".tsx"))
    if found is None:
        return list(_paragraphs(lines, language))
    from tree_sitter import Parser, QueryCursor  # of an extra

    tree = Parser(found[0]).parse(text.encode("utf-8", "replace"))
    definitions = _definitions(QueryCursor(found[1]).captures(tree.root_node))
    return list(_Cutter(lines).file(definitions))


def _definitions(captures: dict[str, list[Node]]) -> list[_Definition]:
    """The outermost definitions, with the members of containers inside them."""
    named = [(node, kind) for kind, nodes in captures.items() for node in nodes]
    named.sort(key=lambda pair: (pair[0].start_byte, -pair[0].end_byte))
    top: list[_Definition] = []
    around: list[_Definition] = []
    for node, kind in named:
        while around and around[-1].node.end_byte <= node.start_byte:
            around.pop()
        outer = around[-1] if around else None
        if outer is not None and (outer.type not in CONTAINERS or _same_rows(outer.node, node)):
            continue
        definition = _definition(node, kind, outer)
        siblings = top if outer is None else outer.members
        floor = siblings[-1].end + 1 if siblings else outer.head + 1 if outer else 0
        definition.start = max(definition.start, floor)
        if definition.start > definition.head:
            continue  # begins on a line that belongs to the one before: it stays with that
        siblings.append(definition)
        around.append(definition)
    return top


def _same_rows(outer: Node, inner: Node) -> bool:
    return outer.start_point.row == inner.start_point.row and outer.end_point.row == inner.end_point.row


def _definition(node: Node, kind: str, outer: _Definition | None) -> _Definition:
    if node.type == "class_declaration" and (sort := node.child_by_field_name("declaration_kind")) is not None:
        kind = _SWIFT_KINDS.get(_text(sort), kind)
    if kind == "function" and outer is not None and outer.type != "module":
        kind = "method"
    whole = node
    while whole.parent is not None and whole.parent.type in _WRAPPERS:
        whole = whole.parent
    last = max(node.end_point.row, whole.end_point.row)
    if whole.end_point.column == 0 and last > node.start_point.row:
        last -= 1
    receiver = node.child_by_field_name("receiver")
    owner = _text(receiver).strip("()").split()[-1].lstrip("*") if receiver is not None and kind == "method" else ""
    return _Definition(kind, _name(node), _first_row(whole), node.start_point.row, last, node, owner)


def _first_row(node: Node) -> int:
    """The row where the comments and attributes above a node begin, if nothing stands between."""
    first = node.start_point.row
    above = node.prev_sibling
    if above is None and node.parent is not None and node.parent.start_byte == node.start_byte:
        above = node.parent.prev_sibling  # the first in a block: the grammar puts its comment before the block
    while above is not None and above.type in _ABOVE:
        end = above.end_point.row - (1 if above.end_point.column == 0 and above.end_point.row else 0)
        before = above.prev_sibling
        trailing = before is not None and before.end_point.row == above.start_point.row and before.end_point.column > 0
        if end < first - 1 or trailing:
            break
        first = min(first, above.start_point.row)
        above = before
    return first


def _name(node: Node) -> str | None:
    if node.type == "impl_item":
        kind, trait = node.child_by_field_name("type"), node.child_by_field_name("trait")
        if kind is None:
            return None
        return f"{_text(trait)} for {_text(kind)}" if trait is not None else _text(kind)
    for field_name in ("name", "declarator", "left", "property"):
        child = node.child_by_field_name(field_name)
        if child is not None:
            return _text(child) if field_name != "declarator" or not child.named_children else _declared(child)
    inner = next((child for child in node.named_children if child.type in _NAMED), None)
    if inner is None:
        return None
    return _name(inner) if inner.named_children else _text(inner)


def _declared(node: Node) -> str | None:
    """The name inside a C declarator: `*(*make)(int)` declares `make`."""
    inner = node.child_by_field_name("declarator")
    while inner is not None:
        node, inner = inner, inner.child_by_field_name("declarator")
    if node.type in ("reference_declarator", "parenthesized_declarator") and node.named_children:
        return _declared(node.named_children[-1]) or _text(node)
    return _text(node)


def _text(node: Node) -> str:
    return " ".join((node.text or b"").decode("utf-8", "replace").split())[:200]


class _Cutter:
    """Cuts one file. Rows are counted from 0 here."""

    def __init__(self, lines: Sequence[str]) -> None:
        self._lines = lines

    def file(self, definitions: Sequence[_Definition]) -> Iterator[Chunk]:
        yield from self._around(0, len(self._lines) - 1, definitions, "")

    def _around(self, first: int, last: int, definitions: Sequence[_Definition], crumb: str) -> Iterator[Chunk]:
        """These rows: the definitions, and between them chunks that have no name."""
        at = first
        for definition in definitions:
            yield from self._between(at, definition.start - 1, crumb)
            yield from self._define(definition, crumb)
            at = definition.end + 1
        yield from self._between(at, last, crumb)

    def _define(self, one: _Definition, crumb: str) -> Iterator[Chunk]:
        kind = "type" if one.type == "other" else one.type
        crumb = _under(_under(crumb, one.receiver), f"{kind} {one.name}" if one.name else kind)
        if one.type not in CONTAINERS or not one.members:
            yield from self._pieces(one.start, one.end, one, crumb)
        elif _size(self._lines, one.start, one.end) <= LONGEST:
            yield self._whole(one, crumb)
            for member in one.members:
                yield from self._define(member, crumb)
        else:
            head = one.members[0].start
            yield from self._pieces(one.start, head - 1, one, crumb, _outline(one))
            yield from self._around(head, one.end, one.members, crumb)

    def _whole(self, one: _Definition, crumb: str) -> Chunk:
        covered = {row for member in one.members for row in range(member.start, member.end + 1)}
        own = [self._lines[row] for row in range(one.start, one.end + 1) if row not in covered]
        content = "\n".join(self._lines[one.start : one.end + 1])
        return Chunk(one.start + 1, one.end + 1, one.type, one.name, crumb, content, "\n".join(own) + _outline(one))

    def _pieces(self, first: int, last: int, one: _Definition, crumb: str, outline: str = "") -> Iterator[Chunk]:
        pieces = [(first, last)]
        if _size(self._lines, first, last) > LONGEST:
            pieces = split(self._lines, first, last, PIECE, [_statements(one.node, self._lines)])
        for start, end in pieces:
            content = "\n".join(self._lines[start : end + 1])
            yield Chunk(start + 1, end + 1, one.type, one.name, crumb, content, content + outline)
            outline = ""

    def _between(self, first: int, last: int, crumb: str) -> Iterator[Chunk]:
        for start, end in _packed(self._lines, first, last):
            content = "\n".join(self._lines[start : end + 1])
            yield Chunk(start + 1, end + 1, "other", None, crumb, content, content)


def _outline(one: _Definition) -> str:
    names = [member.name for member in one.members if member.name]
    return f"\n{', '.join(names)}" if names else ""


def _under(crumb: str, name: str) -> str:
    return f"{crumb} > {name}" if crumb and name else crumb or name


def _statements(node: Node, lines: Sequence[str]) -> set[int]:
    """Rows on which a statement begins; inside a long statement also those of its parts."""
    rows: set[int] = set()
    waiting = [node]
    while waiting:
        for child in waiting.pop().named_children:
            rows.add(child.start_point.row)
            if _size(lines, child.start_point.row, child.end_point.row) > PIECE:
                waiting.append(child)
    return rows


def _size(lines: Sequence[str], first: int, last: int) -> int:
    return sum(len(line) + 1 for line in lines[first : last + 1])


def _paragraphs(lines: Sequence[str], language: str) -> Iterator[Chunk]:
    heading = ""
    for start, end in _packed(lines, 0, len(lines) - 1, PARAGRAPHS):
        content = "\n".join(lines[start : end + 1])
        first = _HEADING.match(lines[start]) if language == "markdown" else None
        heading = first[2] if first else heading
        yield Chunk(start + 1, end + 1, "other", None, heading, content, content)
        if language == "markdown":
            heads = [found[2] for line in lines[start : end + 1] if (found := _HEADING.match(line))]
            heading = heads[-1] if heads else heading


def _packed(lines: Sequence[str], first: int, last: int, target: int = PIECE) -> Iterator[tuple[int, int]]:
    """Runs of these rows that hold words, without blank lines at either end."""
    while first <= last and not lines[first].strip():
        first += 1
    while last >= first and not lines[last].strip():
        last -= 1
    if first > last:
        return
    blank = {row for row in range(first + 1, last + 1) if not lines[row - 1].strip()}
    indents = {row: len(lines[row]) - len(lines[row].lstrip()) for row in range(first, last + 1) if lines[row].strip()}
    least = min(indents.values())
    outer = {row for row, indent in indents.items() if indent <= least}
    for start, end in split(lines, first, last, target, [blank & outer, blank, outer]):
        while end > start and not lines[end].strip():
            end -= 1
        while start < end and not lines[start].strip():
            start += 1
        if _two_words(lines[start : end + 1]):
            yield start, end


def _two_words(lines: Sequence[str]) -> bool:
    words = (word for line in lines for word in _WORD.finditer(line))
    return len(list(islice(words, 2))) == 2


def split(
    lines: Sequence[str], first: int, last: int, target: int, breaks: Sequence[set[int]]
) -> list[tuple[int, int]]:
    """Rows `first` to `last` in pieces of at most `target` characters, or one line if that is longer.

    A piece begins at a row of the first set of `breaks` that offers one in its second half, else of the next set,
    else wherever it must.
    """
    pieces: list[tuple[int, int]] = []
    start = first
    while start <= last:
        size, half, end = 0, start, start
        while end <= last and (size := size + len(lines[end]) + 1) <= target:
            half = end if size <= target // 2 else half
            end += 1
        if end > last:
            pieces.append((start, last))
            break
        end = max(end, start + 1)
        options = [max((row for row in range(half + 1, end + 1) if row in rows), default=0) for rows in breaks]
        cut_at = next((row for row in options if row > start), end)
        pieces.append((start, cut_at - 1))
        start = cut_at
    return pieces
