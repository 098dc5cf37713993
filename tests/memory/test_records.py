"""Records: one for the same words, and copies of documents that live elsewhere."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from vaults import SCOPE

from everlore.engine import Engine
from everlore.kinds.record import Record, from_sheet, identity, readable, to_sheet
from everlore.memory.notes import invalidate
from everlore.memory.records import Document, Mirrored, mirror, save_record
from everlore.types import Json, Owner, Where
from everlore.vault.markdown import parse_sheet, render_sheet

CAROL = Owner(SCOPE, "user", "carol")
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(10**6), 10**6)
    | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(content=st.dictionaries(st.text(min_size=1), JSON, min_size=1, max_size=4))
def test_a_page_gives_back_exactly_what_was_saved(content: Json) -> None:
    record = Record(CAROL, identity("note", "s", content), "note", content, "s", ("a:b",), 0.5, 1000, 2000)
    text = render_sheet(to_sheet(record))
    assert from_sheet(parse_sheet(text), CAROL, "x") == record


@given(content=JSON)
def test_every_record_has_a_line_to_be_shown_by(content: Json) -> None:
    assert readable(content).strip().splitlines()


@given(content=st.dictionaries(st.text(), JSON, max_size=4))
def test_the_order_of_keys_and_the_writing_of_numbers_do_not_matter(content: dict[str, Json]) -> None:
    turned = dict(reversed(list(content.items())))
    assert identity("t", "s", turned) == identity("t", "s", content)
    assert identity("t", "s", {"n": 2}) == identity("t", "s", {"n": 2.0})
    assert identity("t", "s", {"n": 2}) != identity("t", "s", {"n": "2"})


@pytest.mark.usefixtures("engine")
def test_documents_of_elsewhere_are_followed(engine: Engine) -> None:
    def told() -> dict[str, str]:
        rows = engine.index.rows.page(Where(CAROL, ("record",))).rows
        return {str(row.data["source"]): str(row.data["json"]["text"]) for row in rows}

    save_record(engine, CAROL, "document", {"text": "mine"}, "by hand", (), 1.0)
    first = [Document("x://1", {"text": "one"}, 1000), Document("x://2", {"text": "two"}, 1000)]
    assert mirror(engine, CAROL, "page", first) == Mirrored(written=2, removed=0)
    assert mirror(engine, CAROL, "page", first) == Mirrored(written=0, removed=0)
    assert mirror(engine, CAROL, "page", [Document("x://2", {"text": "new"}, 2000)]) == Mirrored(written=1, removed=1)
    assert told() == {"by hand": "mine", "x://2": "new"}


@pytest.mark.usefixtures("engine")
def test_saving_an_invalidated_record_makes_it_valid_again(engine: Engine) -> None:
    def save() -> None:
        save_record(engine, CAROL, "note", {"text": "the gizmo frobnicates"}, "s", (), 1.0)

    def found() -> int:
        return len(engine.index.rows.page(Where(CAROL, ("record",), valid_at=engine.clock.now())).rows)

    save()
    (row,) = engine.index.rows.page(Where(CAROL, ("record",))).rows
    invalidate(engine, row, "it broke")
    assert found() == 0
    engine.vault.change(row.path, lambda text: str(text).replace("---\n", "---\nmine: stays # a person's\n", 1))
    save()
    assert found() == 1
    (again,) = engine.index.rows.page(Where(CAROL, ("record",))).rows
    assert again.validity.end is None
    after = engine.vault.read(row.path)
    assert after is not None
    assert "mine: stays # a person's" in after.text
    assert "it broke" not in after.text
    assert "valid_until" not in after.text
