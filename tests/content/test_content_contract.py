"""Each sentence of the content contract, over HTTP, on every database. Answers are worked out from the site's rows."""

from __future__ import annotations

import json
import re
from typing import Any

import pytest
from sites import Doc, Evo, Stand

from bench.site import ADMIN, MEMBER, SECRET, STRANGER, TAG_VARIABLE
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
MODELS: dict[str, str] = {
    "SiteTemplate": "id templatename description editor_type icon category locked",
    "SiteTmplvar": "id name caption description type default_text display elements rank category locked",
    "SiteTmplvarContentvalue": "id contentid tmplvarid value",
    "SiteSnippet": "id name description category locked disabled createdon editedon",
    "SitePlugin": "id name description category locked disabled createdon editedon",
    "SiteModule": "id name description category disabled createdon editedon",
    "Category": "id category",
    "User": "id username",
    "UserAttribute": "id internalKey fullname email phone mobilephone blocked blockeduntil blockedafter "
    "failedlogincount logincount lastlogin",
    "UserRole": "id name description frames home rank locked",
    "Permissions": "id name",
    "PermissionsGroups": "id name",
    "RolePermissions": "id role_id permission",
}


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
    assert evo.call("content.search", limit=10, offset=5000)["meta"]["count"] == 0


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


@pytest.mark.parametrize("depth", [None, 1, 3, 6])
def test_root_tree_is_flat_and_in_order_of_id(evo: Evo, stand: Stand, depth: int | None) -> None:
    given = {} if depth is None else {"depth": depth}
    below = stand.below(0, (depth or 1) + 1)
    expected = [one["id"] for one in stand.visible() if one["id"] in below]
    assert evo.all_ids("content.root_tree", **given) == expected


@pytest.mark.parametrize("depth", [None, 1, 2, 6])
def test_descendants(evo: Evo, stand: Stand, depth: int | None) -> None:
    given = {} if depth is None else {"depth": depth}
    below = stand.below(1, depth or 1)
    ordered = sorted(stand.visible(), key=lambda one: (one["parent"], one["menuindex"], one["id"]))
    expected = [one["id"] for one in ordered if one["id"] in below]
    assert evo.all_ids("content.descendants", id=1, **given) == expected


def test_ancestors_are_the_root_first(evo: Evo, stand: Stand) -> None:
    parents = {one["id"]: one["parent"] for one in stand.made.documents}
    deepest = max(stand.visible(), key=lambda one: len(_path(parents, one["id"])))["id"]
    path = _path(parents, deepest)
    assert len(path) >= 3
    assert evo.ids("content.ancestors", id=deepest) == path
    assert evo.ids("content.ancestors", id=deepest, depth=2) == path[-2:]
    assert evo.ids("content.ancestors", id=deepest, limit=1, offset=1) == path[1:2]
    assert evo.ids("content.ancestors", id=1) == []
    assert evo.ids("content.ancestors", id=2_000_000) == []


def _path(parents: dict[int, int], document: int) -> list[int]:
    found: list[int] = []
    while parents[document]:
        document = parents[document]
        found.insert(0, document)
    return found


def family(stand: Stand, document: int) -> tuple[Doc, list[Doc]]:
    itself = next(one for one in stand.made.documents if one["id"] == document)
    same = [one for one in stand.visible() if one["parent"] == itself["parent"] and one["id"] != document]
    return itself, sorted(same, key=lambda one: (one["menuindex"], one["id"]))


def test_children_and_their_ranges(evo: Evo, stand: Stand) -> None:
    children = sorted(
        (one for one in stand.visible() if one["parent"] == 1), key=lambda one: (one["menuindex"], one["id"])
    )
    assert len(children) > 5
    assert evo.ids("content.children", id=1) == [one["id"] for one in children]
    within = [one["id"] for one in children if 2 <= one["menuindex"] <= 5]
    assert evo.ids("content.children_range", id=1, **{"from": 2, "to": 5}) == within
    assert evo.ids("content.children_range", id=1, **{"from": 2}) == [o["id"] for o in children if o["menuindex"] >= 2]


def test_siblings_neighbours_and_ranges(evo: Evo, stand: Stand) -> None:
    for document in [one["id"] for one in stand.visible()][:40:4]:
        itself, same = family(stand, document)
        place = (itself["menuindex"], document)
        assert evo.all_ids("content.siblings", id=document) == [one["id"] for one in same]
        before = [one["id"] for one in same if (one["menuindex"], one["id"]) < place]
        after = [one["id"] for one in same if (one["menuindex"], one["id"]) > place]
        assert evo.all_ids("content.prev_siblings", id=document) == before[::-1]
        assert evo.all_ids("content.next_siblings", id=document) == after
        near = [one["id"] for one in same if abs(one["menuindex"] - itself["menuindex"]) == 1]
        assert evo.ids("content.neighbors", id=document) == near
        within = [one["id"] for one in same if 1 <= one["menuindex"] <= 4]
        assert evo.ids("content.siblings_range", id=document, **{"from": 1, "to": 4}) == within


@pytest.mark.parametrize(
    "tool", ["children", "siblings", "neighbors", "prev_siblings", "next_siblings", "descendants", "ancestors"]
)
def test_an_unknown_document_has_no_relatives(evo: Evo, tool: str) -> None:
    assert evo.ids(f"content.{tool}", id=1_999_999) == []
    if tool in ("children", "siblings"):
        assert evo.ids(f"content.{tool}_range", id=1_999_999, **{"from": 0}) == []


@pytest.mark.parametrize("model", MODELS)
def test_models_show_their_public_fields_only(evo: Evo, model: str) -> None:
    answer = evo.call("model.list", model=model, limit=5)
    assert answer["meta"]["model"] == model
    assert answer["items"]
    for item in answer["items"]:
        assert list(item) == MODELS[model].split()
        assert SECRET not in json.dumps(item)
    ids = [item["id"] for item in answer["items"]]
    assert ids == sorted(ids)
    one = evo.call("model.get", model=f"EvolutionCMS\\Models\\{model.lower()}", id=ids[0])
    assert one == {"item": answer["items"][0], "meta": {"toolsetVersion": "1.0", "model": model}}
    assert evo.call("model.get", model=model, id=2_000_000_000)["item"] is None


@pytest.mark.parametrize(
    ("where", "expected"),
    [
        ([{"field": "name", "op": "like", "value": "PRI"}], [1]),
        ([{"field": "name", "op": "like-r", "value": "tv"}, {"field": "id", "op": ">", "value": 6}], [7, 8]),
        ([{"field": "id", "op": "in", "value": [2, "3"]}], [2, 3]),
        ([{"field": "id", "op": "in", "value": "2,3"}], [2, 3]),
        ([{"field": "id", "op": "not_in", "value": [1, 2, 3, 4, 5]}], [6, 7, 8]),
        ([{"field": "id", "op": "like", "value": 8}], [8]),
        ([{"field": "default_text", "op": "null"}], [3]),
        ([{"field": "locked", "op": "=", "value": 0}, {"field": "id", "op": "<=", "value": "2"}], [1, 2]),
        ([{"field": "locked", "op": "=", "value": True}], []),
        ([{"field": "rank", "op": ">=", "value": 7.5}], [8]),
        ([], [1, 2, 3, 4, 5, 6, 7, 8]),
    ],
)
def test_records_are_filtered(evo: Evo, where: Any, expected: list[int]) -> None:
    assert evo.ids("model.list", model="SiteTmplvar", filters={"where": where}) == expected


def test_records_are_ordered(evo: Evo) -> None:
    assert evo.ids("model.list", model="SiteTmplvar", order_by="rank", order_dir="desc", limit=2) == [8, 7]
    assert evo.ids("model.list", model="SiteTmplvar", limit=2, offset=2) == [3, 4]


@pytest.mark.parametrize("field", ["password", "cachepwd", "verified_key", "refresh_token", "access_token"])
def test_sensitive_fields_are_not_even_there_to_be_compared(evo: Evo, field: str) -> None:
    where = [{"field": field, "op": "like", "value": SECRET}]
    assert evo.error("model.list", model="User", limit=5, filters={"where": where})["code"] == -32602
    assert evo.error("model.list", model="User", limit=5, order_by=field)["code"] == -32602


INVALID: list[tuple[str, dict[str, Any]]] = [
    ("content.search", {}),
    ("content.search", {"limit": 0}),
    ("content.search", {"limit": 101}),
    ("content.search", {"limit": -1}),
    ("content.search", {"limit": "many"}),
    ("content.search", {"limit": 1.5}),
    ("content.search", {"limit": True}),
    ("content.search", {"limit": None}),
    ("content.search", {"limit": 10, "offset": -1}),
    ("content.search", {"limit": 10, "offset": 5001}),
    ("content.search", {"limit": 10, "parent": -1}),
    ("content.search", {"limit": 10, "parent": 10**30}),
    ("content.search", {"limit": 10, "parent": "1 OR 1=1"}),
    ("content.search", {"limit": 10, "parent": 1, "depth": 0}),
    ("content.search", {"limit": 10, "parent": 1, "depth": 7}),
    ("content.search", {"limit": 10, "published": "maybe"}),
    ("content.search", {"limit": 10, "published": []}),
    ("content.search", {"limit": 10, "order_by": "content"}),
    ("content.search", {"limit": 10, "order_by": "id; DROP TABLE evo_site_content"}),
    ("content.search", {"limit": 10, "order_dir": "sideways"}),
    ("content.search", {"limit": 10, "order_by_date": "1"}),
    ("content.search", {"limit": 10, "with_tvs": "price"}),
    ("content.search", {"limit": 10, "with_tvs": ["price:x"]}),
    ("content.search", {"limit": 10, "with_tvs": ["a b"]}),
    ("content.search", {"limit": 10, "with_tvs": ["price"] * 101}),
    ("content.search", {"limit": 10, "tv_filters": "tv:price:>:100"}),
    ("content.search", {"limit": 10, "tvFilter": "tv:price:>:100"}),
    ("content.search", {"limit": 10, "tv_filters": ["tv:price:>:100"]}),
    ("content.search", {"limit": 10, "tv_filters": [{"op": "=", "value": "1"}]}),
    ("content.search", {"limit": 10, "tv_filters": [{"tv": "price", "op": "~", "value": "1"}]}),
    ("content.search", {"limit": 10, "tv_filters": [{"tv": "price", "op": "="}]}),
    ("content.search", {"limit": 10, "tv_filters": [{"tv": "price", "op": "=", "value": ""}]}),
    ("content.search", {"limit": 10, "tv_filters": [{"tv": "price", "op": "=", "value": ["1"]}]}),
    ("content.search", {"limit": 10, "tv_filters": [{"tv": "price", "op": "in", "value": []}]}),
    ("content.search", {"limit": 10, "tv_filters": [{"tv": "price", "op": "in", "value": ["1", ""]}]}),
    ("content.search", {"limit": 10, "tv_filters": [{"tv": "price", "op": "=", "value": "a:b"}]}),
    ("content.search", {"limit": 10, "tv_filters": [{"tv": "price", "op": "=", "value": "a;b"}]}),
    ("content.search", {"limit": 10, "tv_filters": [{"tv": "price", "op": "=", "value": "x", "cast": "SIGNED"}]}),
    ("content.search", {"limit": 10, "tv_filters": [{"tv": "price", "op": "=", "value": "1e5", "cast": "SIGNED"}]}),
    ("content.search", {"limit": 10, "tv_filters": [{"tv": "price", "op": "like", "value": "1", "cast": "SIGNED"}]}),
    ("content.search", {"limit": 10, "tv_filters": [{"tv": "price", "op": "=", "value": "1", "cast": "CHAR"}]}),
    ("content.search", {"limit": 10, "tv_filters": [{"tv": "price", "op": "=", "value": "1", "cast": "DECIMAL(2,9)"}]}),
    ("content.search", {"limit": 10, "tv_filters": [{"tv": "nosuch", "op": "=", "value": "1"}]}),
    ("content.search", {"limit": 10, "tv_filters": [{"tv": "price", "op": "=", "value": "a\x00b"}]}),
    ("content.search", {"limit": 10, "tv_order": [{"tv": "price", "dir": "up"}]}),
    ("content.search", {"limit": 10, "tv_order": [{"tv": "price", "cast": "DECIMAL(10,2)"}]}),
    ("content.search", {"limit": 10, "tv_order": [{"tv": "nosuch"}]}),
    ("content.search", {"limit": 10, "tags_data": {"tv_id": 7}}),
    ("content.search", {"limit": 10, "tags_data": {"tv_id": 7, "tags": []}}),
    ("content.search", {"limit": 10, "tags_data": {"tv_id": 7, "tags": ["a:b"]}}),
    ("content.search", {"limit": 10, "tags_data": "7:sale"}),
    ("content.search", {"limit": 10, "sql": "SELECT 1"}),
    ("content.get", {}),
    ("content.get", {"id": 0}),
    ("content.get", {"id": "one"}),
    ("content.root_tree", {"limit": 10, "depth": 7}),
    ("content.root_tree", {}),
    ("content.descendants", {"id": 1}),
    ("content.descendants", {"limit": 1}),
    ("content.descendants", {"id": 1, "limit": 1, "depth": 10}),
    ("content.ancestors", {"id": -1, "limit": 1}),
    ("content.children", {"id": 1, "limit": 200}),
    ("content.siblings", {"id": None, "limit": 1}),
    ("content.neighbors", {"id": 1}),
    ("content.children_range", {"id": 1, "limit": 1}),
    ("content.children_range", {"id": 1, "limit": 1, "from": 5, "to": 2}),
    ("content.siblings_range", {"id": 1, "limit": 1, "from": -1}),
    ("model.list", {"limit": 1}),
    ("model.list", {"model": "User"}),
    ("model.list", {"model": "User", "limit": 1, "filters": "name like 'x'"}),
    ("model.list", {"model": "User", "limit": 1, "filters": {"raw": "1=1"}}),
    ("model.list", {"model": "User", "limit": 1, "filters": {"where": [{"field": "id", "op": "=", "value": "x"}]}}),
    ("model.list", {"model": "User", "limit": 1, "filters": {"where": [{"field": "id", "op": "between", "value": 1}]}}),
    ("model.list", {"model": "User", "limit": 1, "filters": {"where": [{"field": "1=1;--", "op": "=", "value": 1}]}}),
    ("model.list", {"model": "User", "limit": 1, "filters": {"where": [{"field": "id", "op": "="}]}}),
    ("model.list", {"model": "User", "limit": 1, "order_by": "username; DROP TABLE evo_users"}),
    ("model.list", {"model": "User", "limit": 1, "order_dir": "x"}),
    ("model.get", {"model": "User"}),
    ("model.get", {"id": 1}),
    ("model.get", {"model": "User", "id": "1 OR 1=1"}),
]


@pytest.mark.parametrize(("tool", "arguments"), INVALID)
def test_invalid_params(evo: Evo, tool: str, arguments: dict[str, Any]) -> None:
    error = evo.error(tool, **arguments)
    assert error["code"] == -32602
    assert error["message"]
    assert "Traceback" not in error["message"]


@pytest.mark.parametrize(
    "model", ["Session", "SiteContent", "users", "../User", "User--", "evo_users", "'", "User\x00"]
)
def test_unknown_models(evo: Evo, model: str) -> None:
    for tool, more in (("model.list", {"limit": 1}), ("model.get", {"id": 1})):
        assert evo.error(tool, model=model, **more)["code"] == -32601


@pytest.mark.parametrize("name", ["evo.content.delete", "evo.content", "search", "evo.write.page", "'; --"])
def test_unknown_tools(evo: Evo, name: str) -> None:
    assert evo.rpc("tools/call", {"name": name, "arguments": {"limit": 1}})["error"]["code"] == -32601
