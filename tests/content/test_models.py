"""Each sentence of the content contract about models, and every refusal, over HTTP, on every database."""

from __future__ import annotations

import json
from typing import Any

import pytest
from sites import Evo

from bench.site import SECRET

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
