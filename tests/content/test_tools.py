"""Each sentence of the content contract about finding documents, over HTTP, on every database.

Answers are worked out from the site's rows.
"""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from sites import Doc, Evo, Stand

from bench.site import ADMIN, MEMBER, STRANGER, TAG_VARIABLE
from everlore import __version__

FIELDS = [
    "id",
    "parent",
    "pagetitle",
    "longtitle",
    "description",
    "alias",
    "published",
    "deleted",
    "hidemenu",
    "menuindex",
    "template",
    "createdon",
    "editedon",
    "pub_date",
    "unpub_date",
    "isfolder",
    "type",
]
CONTENT_TOOLS = [
    "search",
    "get",
    "root_tree",
    "descendants",
    "ancestors",
    "children",
    "siblings",
    "neighbors",
    "prev_siblings",
    "next_siblings",
    "children_range",
    "siblings_range",
]


def number(text: str | None) -> Any:
    """Text as MySQL reads a number: its leading digits, else 0."""
    if text is None:
        return None
    found = re.match(r"\s*[-+]?\d+(\.\d+)?", text)
    return float(found[0]) if found else 0.0


def test_initialize_names_platform_and_toolset(evo: Evo) -> None:
    result = evo.rpc("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}})["result"]
    assert result["serverInfo"]["platform"] == "eMCP"
    assert result["serverInfo"]["platformVersion"] == __version__
    assert result["capabilities"]["evo"] == {"toolsetVersion": "1.0"}
    assert result["capabilities"]["experimental"]["evo"] == {"toolsetVersion": "1.0"}


def test_all_fourteen_tools_are_listed_with_schemas(evo: Evo) -> None:
    tools = evo.rpc("tools/list")["result"]["tools"]
    expected = [f"evo.content.{name}" for name in CONTENT_TOOLS] + ["evo.model.list", "evo.model.get"]
    assert [tool["name"] for tool in tools] == expected
    for tool in tools:
        assert tool["inputSchema"]["additionalProperties"] is False
        assert tool["annotations"]["readOnlyHint"] is True
    search = tools[0]["inputSchema"]
    assert search["required"] == ["limit"]
    assert search["properties"]["limit"]["maximum"] == 100


def test_an_answer_is_structured_and_mirrored_as_text(evo: Evo) -> None:
    params = {"name": "evo.content.search", "arguments": {"limit": 3}}
    result = evo.rpc("tools/call", params)["result"]
    assert result["isError"] is False
    assert json.loads(result["content"][0]["text"]) == result["structuredContent"]
    assert result["structuredContent"]["meta"] == {"limit": 3, "offset": 0, "count": 3, "toolsetVersion": "1.0"}


def test_items_have_the_public_fields_and_nothing_else(evo: Evo, stand: Stand) -> None:
    items = evo.call("content.search", limit=100)["items"]
    rows = {one["id"]: one for one in stand.made.documents}
    for item in items:
        assert list(item) == FIELDS
        row = rows[item["id"]]
        assert item == {name: row[name] for name in FIELDS}
        assert type(item["hidemenu"]) is bool
        assert all(type(item[name]) is int for name in ("published", "deleted", "isfolder", "createdon", "pub_date"))


def test_search_pages_through_all_that_is_not_deleted_or_protected(evo: Evo, stand: Stand) -> None:
    assert evo.all_ids() == [one["id"] for one in stand.visible()]
    for more in ({}, {"order_by": "pagetitle"}, {"tv_order": [{"tv": "price", "dir": "desc"}], "parent": 1}):
        assert evo.call("content.search", limit=10, offset=5000, **more)["meta"]["count"] == 0
    assert evo.call("content.descendants", id=1, depth=6, limit=10, offset=5000)["meta"]["count"] == 0


@pytest.mark.parametrize(
    ("arguments", "holds"),
    [
        ({"published": True}, lambda one: one["published"] == 1),
        ({"published": False}, lambda one: one["published"] == 0),
        ({"hidemenu": True}, lambda one: one["hidemenu"]),
        ({"hidemenu": 0}, lambda one: not one["hidemenu"]),
        ({"template": 2}, lambda one: one["template"] == 2),
        ({"template": "2", "published": "1", "hidemenu": None}, lambda one: one["template"] == 2 and one["published"]),
        ({"deleted": False}, lambda _: True),
        ({"depth": 1}, lambda _: True),
    ],
)
def test_flags_filter(evo: Evo, stand: Stand, arguments: dict[str, Any], holds: Any) -> None:
    assert evo.all_ids(**arguments) == [one["id"] for one in stand.visible() if holds(one)]


def test_deleted_documents_are_found_when_asked_for(evo: Evo, stand: Stand) -> None:
    expected = [one["id"] for one in stand.visible(deleted=True)]
    assert expected
    assert evo.all_ids(deleted=True) == expected


@pytest.mark.parametrize("depth", [None, 1, 2, 6])
def test_parent_means_everything_below_it(evo: Evo, stand: Stand, depth: int | None) -> None:
    for parent in (0, 1, 3):
        given = {} if depth is None else {"depth": depth}
        below = stand.below(parent, depth or 6)
        assert evo.all_ids(parent=parent, **given) == [one["id"] for one in stand.visible() if one["id"] in below]
        ordered = evo.all_ids(parent=parent, order_by="createdon", **given)
        assert set(ordered) == {one["id"] for one in stand.visible() if one["id"] in below}
    assert evo.ids("content.search", parent=2_000_000) == []


@pytest.mark.parametrize("order_by", ["id", "pagetitle", "menuindex", "createdon", "pub_date"])
@pytest.mark.parametrize("order_dir", ["asc", "desc", None])
def test_orders(evo: Evo, stand: Stand, order_by: str, order_dir: str | None) -> None:
    fold = str.lower if stand.kind == "mariadb" else str
    by_id = sorted(stand.visible(), key=lambda one: one["id"])

    def key(one: Doc) -> Any:
        return fold(one[order_by]) if order_by == "pagetitle" else one[order_by]

    expected = sorted(by_id, key=key, reverse=order_dir == "desc")
    found = evo.all_ids(order_by=order_by, order_dir=order_dir)
    if order_dir == "desc" and order_by != "id":
        # equal ones are in order of id in both directions
        expected = sorted(sorted(by_id, key=lambda one: one["id"], reverse=True), key=key)[::-1]
    assert found == [one["id"] for one in expected]


@pytest.mark.parametrize("direction", ["asc", "desc"])
def test_order_by_date_is_pub_date_else_createdon_and_wins_over_order_by(
    evo: Evo, stand: Stand, direction: str
) -> None:
    dates = {one["id"]: one["pub_date"] or one["createdon"] for one in stand.visible()}
    found = evo.all_ids(order_by_date=direction, order_by="pagetitle")
    sign = -1 if direction == "desc" else 1
    assert found == sorted(dates, key=lambda id_: (sign * dates[id_], id_))


WHOLE = [str(one) for one in range(100)]
FILTERS: list[tuple[dict[str, Any], Any]] = [
    ({"tv": "color", "op": "=", "value": "red"}, lambda v: v == "red"),
    ({"tv": "color", "op": "!=", "value": "red"}, lambda v: v is not None and v != "red"),
    ({"tv": "color", "op": "in", "value": ["red", "blue"]}, lambda v: v in ("red", "blue")),
    ({"tv": "color", "op": "in", "value": "red,blue"}, lambda v: v in ("red", "blue")),
    ({"tv": "color", "op": "not_in", "value": ["red", "blue"]}, lambda v: v is not None and v not in ("red", "blue")),
    ({"tv": "color", "op": "like", "value": "RED"}, lambda v: v is not None and "red" in v.lower()),
    ({"tv": "color", "op": "like-l", "value": "wine"}, lambda v: v is not None and v.endswith("wine")),
    ({"tv": "color", "op": "like-r", "value": "Red"}, lambda v: v is not None and v.lower().startswith("red")),
    ({"tv": "color", "op": "like", "value": "%"}, lambda v: v is not None and "%" in v),
    ({"tv": "color", "op": "like", "value": "0%_p"}, lambda v: v == "100%_pure"),
    ({"tv": "color", "op": "=", "value": "O'Brien"}, lambda v: v == "O'Brien"),
    ({"tv": "author", "op": "like", "value": "Укр"}, lambda v: v is not None and "Укр" in v),
    ({"tv": "color", "op": "null"}, lambda v: v is None),
    ({"tv": "color", "op": "!null", "value": "ignored"}, lambda v: v is not None),
    ({"tv": "price", "op": ">", "value": "500", "cast": "UNSIGNED"}, lambda v: v is not None and number(v) > 500),
    ({"tv": "price", "op": ">=", "value": 0, "cast": "signed"}, lambda v: v is not None and number(v) >= 0),
    ({"tv": "price", "op": "<", "value": "0", "cast": "SIGNED"}, lambda v: v is not None and number(v) < 0),
    ({"tv": "price", "op": "<", "value": "0", "cast": "UNSIGNED"}, lambda _: False),
    ({"tv": "rating", "op": "=", "value": 3.0}, lambda v: v == "3.0"),
    ({"tv": "rating", "op": "!=", "value": 3.0}, lambda v: v is not None and v != "3.0"),
    ({"tv": "price", "op": "in", "value": [float(one) for one in range(100)]}, lambda v: v in WHOLE),
    ({"tv": "price", "op": "not_in", "value": [0.0, *range(1, 100)]}, lambda v: v is not None and v not in WHOLE),
    *(({"tv": "price", "op": "=", "value": float(one)}, lambda v, one=one: v == str(one)) for one in range(5)),
    ({"tv": "price", "op": "=", "value": 12.0, "cast": "UNSIGNED"}, lambda v: v is not None and int(number(v)) == 12),
    ({"tv": "price", "op": "=", "value": "12", "cast": "UNSIGNED"}, lambda v: v is not None and int(number(v)) == 12),
    ({"tv": "price", "op": "=", "value": "12.5", "cast": "DECIMAL(10,2)"}, lambda v: number(v) == 12.5),
    (
        {"tv": "rating", "op": "<=", "value": "2.5", "cast": "DECIMAL(4,1)"},
        lambda v: v is not None and number(v) <= 2.5,
    ),
    (
        {"tv": "rating", "op": "!=", "value": "2.5", "cast": "DECIMAL(4,1)"},
        lambda v: v is not None and number(v) != 2.5,
    ),
]


@pytest.mark.parametrize(("filter_", "holds"), FILTERS)
def test_variable_filters(evo: Evo, stand: Stand, filter_: dict[str, Any], holds: Any) -> None:
    expected = [one["id"] for one in stand.visible() if holds(stand.value(one, filter_["tv"]))]
    assert evo.all_ids(tv_filters=[filter_]) == expected


@pytest.mark.parametrize(
    ("filter_", "holds"),
    [
        ({"tv": "color", "op": "=", "value": "white"}, lambda v: v == "white"),
        ({"tv": "color", "op": "null"}, lambda _: False),
        ({"tv": "rating", "op": "null"}, lambda v: v is None),
        ({"tv": "price", "op": "=", "value": 50, "cast": "UNSIGNED"}, lambda v: number(v) == 50),
    ],
)
def test_the_default_counts_when_asked_for(evo: Evo, stand: Stand, filter_: dict[str, Any], holds: Any) -> None:
    with_default = [one["id"] for one in stand.visible() if holds(stand.value(one, filter_["tv"], default=True))]
    assert evo.all_ids(tv_filters=[filter_ | {"use_default": True}]) == with_default
    without = [one["id"] for one in stand.visible() if holds(stand.value(one, filter_["tv"]))]
    if filter_["op"] == "=":
        assert evo.all_ids(tv_filters=[filter_]) == without


def test_filters_are_joined_by_and_with_everything_else(evo: Evo, stand: Stand) -> None:
    filters = [
        {"tv": "color", "op": "!null"},
        {"tv": "price", "op": ">", "value": "100", "cast": "UNSIGNED"},
        {"tv": "rating", "op": "null"},
    ]
    below = stand.below(2, 6)

    def holds(one: Doc) -> bool:
        price = number(stand.value(one, "price"))
        return (
            one["id"] in below
            and stand.value(one, "color") is not None
            and price is not None
            and price > 100
            and stand.value(one, "rating") is None
            and one["published"] == 1
        )

    expected = [one["id"] for one in stand.visible() if holds(one)]
    assert expected
    assert evo.all_ids(parent=2, published=True, tv_filters=filters) == expected


@pytest.mark.parametrize("direction", ["asc", "desc"])
@pytest.mark.parametrize("default", [False, True])
def test_variable_order_comes_first(evo: Evo, stand: Stand, direction: str, default: bool) -> None:
    order = [{"tv": "price", "dir": direction, "cast": "SIGNED", "use_default": default}]
    found = evo.all_ids(tv_order=order, order_by="createdon", order_dir="desc")

    def key(one: Doc) -> tuple[float, int, int]:
        value = number(stand.value(one, "price", default=default))
        # those without a value are the smallest
        low = float("-inf") if value is None else float(int(value))
        return (-low if direction == "desc" else low, -one["createdon"], one["id"])

    assert found == [one["id"] for one in sorted(stand.visible(), key=key)]


def test_variables_are_returned_when_asked_for(evo: Evo, stand: Stand) -> None:
    asked = ["price", "color:d", "rating:d", "author:d", "author", "no-such"]
    for item in evo.call("content.search", limit=50, with_tvs=asked)["items"]:
        row = next(one for one in stand.made.documents if one["id"] == item["id"])
        assert item["tvs"] == {
            "price": stand.value(row, "price"),
            "color": stand.value(row, "color", default=True),
            "rating": stand.value(row, "rating", default=True),
            "author": stand.value(row, "author", default=True),
            "no-such": None,
        }
    assert list(evo.call("content.get", id=1, with_tvs=["price"])["item"]) == [*FIELDS, "tvs"]


def test_tags_find_documents_with_any_of_them_once(evo: Evo, stand: Stand) -> None:
    for tags in (["sale"], ["news", "новини"], ["no such tag"]):
        found = evo.all_ids(tags_data={"tv_id": TAG_VARIABLE, "tags": tags})
        expected = [one["id"] for one in stand.visible() if stand.made.tags.get(one["id"], set()) & set(tags)]
        assert found == expected
    assert evo.all_ids(tags_data={"tv_id": TAG_VARIABLE + 1, "tags": ["sale"]}) == []


def test_get(evo: Evo, stand: Stand) -> None:
    answer = evo.call("content.get", id=7)
    assert answer["meta"] == {"toolsetVersion": "1.0"}
    deleted = stand.visible(deleted=True)[0]["id"]
    assert evo.call("content.get", id=deleted)["item"] is None
    assert evo.call("content.get", id=2_000_000_000)["item"] is None


def test_protected_documents_are_for_members_and_administrators(evo: Evo, stand: Stand) -> None:
    hidden = sorted(stand.made.protected & {one["id"] for one in stand.visible(protected=True)})
    assert hidden
    for user, sees in ((0, False), (STRANGER, False), (MEMBER, True), (ADMIN, True), (999, False)):
        item = evo.call("content.get", id=hidden[0], user=user)["item"]
        assert (item is not None) == sees
        found = set(evo.all_ids(user=user))
        assert found & set(hidden) == (set(hidden) if sees else set())
        for tool in ("siblings", "ancestors", "prev_siblings", "next_siblings", "neighbors"):
            if not sees:
                assert evo.ids(f"content.{tool}", id=hidden[0], user=user) == []
        where = {"where": [{"field": "contentid", "op": "=", "value": hidden[0]}]}
        values = evo.call("model.list", model="SiteTmplvarContentvalue", limit=100, filters=where, user=user)["items"]
        assert bool(values) == sees


def test_no_tool_ever_shows_a_protected_document(evo: Evo, stand: Stand) -> None:
    for tool in ("descendants", "children", "children_range"):
        for parent in range(1, 7):
            more = {"from": 0} if tool == "children_range" else {"depth": 6} if tool == "descendants" else {}
            assert not set(evo.all_ids(f"content.{tool}", id=parent, **more)) & stand.made.protected
    assert not set(evo.all_ids("content.root_tree", depth=6)) & stand.made.protected
