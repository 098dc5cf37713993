"""Code and content: indexed folders of source code with their progress, search in them, and the tree of a site."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from everlore.errors import EverloreError, Misconfigured
from everlore.extras import installed, load, missing
from everlore.surfaces.contracts.emcp.toolset import EMBEDDED
from everlore.surfaces.contracts.emcp.toolset import call as content_call
from everlore.surfaces.page.markup import Html, el, table
from everlore.surfaces.page.views.base import Did, Shown, View
from everlore.surfaces.page.views.parts import button, choice, empty, form, live_form, search_field, text_field
from everlore.surfaces.page.visit import Place, Visit
from everlore.types import Json
from everlore.vault.folder import SYSTEM

if TYPE_CHECKING:
    from everlore.code import CodeHit, CodeIndex, Status

HITS = 12
LINES = 24
CHILDREN = 100


def may(visit: Visit) -> bool:
    """Code and sites are the machine's, so they are for its owner, and for the account that has the vault itself."""
    return visit.who is None or visit.who.account.main


def controls(visit: Visit, place: Place) -> Html:
    words = visit.words
    if not may(visit) or not installed("code"):
        return el("div")
    code: CodeIndex = visit.state.engine.part(load("everlore.code:open_code"))
    projects = [("", words("ask.any")), *((one.id, one.id) for one in code.projects.all())]
    asked = choice("project", words("code.project"), projects, place.get("project"))
    return live_form(place, search_field(visit, place, "code.find"), asked, label=words("nav.code"))


def content(visit: Visit, place: Place) -> Shown:
    words = visit.words
    if not may(visit):
        return Shown(empty(words("code.not_yours"), words("code.not_yours_text")))
    return Shown(el("div", _code(visit, place), _site(visit, place)))


def _code(visit: Visit, place: Place) -> Html:
    words, engine = visit.words, visit.state.engine
    if not installed("code"):
        return empty(words("code.missing"), missing("code"))
    code: CodeIndex = engine.part(load("everlore.code:open_code"))
    found: list[CodeHit] = []
    question = place.get("q").strip()
    if question:
        found = load("everlore.code:code_hits")(engine, question, place.get("project") or None, None, HITS)
    now = engine.clock.now()
    statuses: list[Status] = [load("everlore.code:status_of")(code, one.id, now) for one in code.projects.all()]
    rows = [
        [
            el("th", el("b", one.project.id), el("p.meta.mono", one.project.root), scope="row"),
            el("td", words.named("code", f"state_{one.state}"), _progress(one.percent), f" {one.percent:.0f} %"),
            el("td.number", f"{one.project.indexed_files:,}"),
            el("td.number", f"{one.chunks:,}"),
            button(words("code.again"), "index-code", cls=".small", of=one.project.id, path=one.project.root)
            if visit.may_write
            else "",
        ]
        for one in statuses
    ]
    heads = [words(f"code.{name}") for name in ("project", "progress", "files", "chunks", "do")]
    add = form(
        "index-code",
        text_field("path", words("code.folder"), required=True, placeholder="/home/anna/project"),
        el("div.actions", el("button", words("code.add"))),
    )
    return el(
        "section",
        el("h2", words("code.title")),
        [_hit(one) for one in found] if found else el("p.hint", words("code.nothing")) if question else None,
        table(words("code.projects"), heads, rows) if rows else empty(words("code.empty"), words("code.empty_text")),
        add if visit.may_write and visit.is_owner else None,
    )


def _progress(percent: float) -> Html:
    return el("progress", max=100, value=percent, aria_label=f"{percent} %")


def _hit(hit: CodeHit) -> Html:
    shown = "\n".join(hit.content.splitlines()[:LINES])
    where = f"{hit.file_path}:{hit.start_line}"
    about = hit.breadcrumb, el("span.chip.holds", hit.language), el("span.score", f"{hit.score:.2f}")
    return el("article.card", el("p.meta", el("code", where), about), el("pre", shown, tabindex="0", aria_label=where))


def _index(visit: Visit, given: Mapping[str, str]) -> Did:
    if not visit.is_owner:
        raise Misconfigured(visit.words("code.not_yours_text"))
    engine = visit.state.engine
    project, _ = engine.part(load("everlore.code:open_code")).add(str(Path(given.get("path", "")).expanduser()), False)
    return Did(visit.words("code.begun", project=project.id))


def _site(visit: Visit, place: Place) -> Html:
    words, engine = visit.words, visit.state.engine
    title = el("h2", words("code.site"))
    chosen = engine.settings.emcp.database_url.get_secret_value()
    if not installed("cms"):
        return el("section", title, el("p.hint", missing("cms")))
    if not chosen and not (engine.settings.memory.root / SYSTEM / EMBEDDED).is_file():
        return el("section", title, empty(words("code.no_site"), words("code.no_site_text")))
    node = place.number("node", 0, 10**9)
    try:
        tool, given = ("evo.content.children", {"id": node}) if node else ("evo.content.root_tree", {})
        limit = min(CHILDREN, engine.settings.emcp.max_result_items)
        asked = partial(content_call, engine, 0)
        found = asked(tool, {**given, "limit": limit})
        above = asked("evo.content.ancestors", {"id": node, "limit": limit}) if node else {}
    except EverloreError as error:
        return el("section", title, el("p.alert", str(error), role="alert"))
    path = [
        el("a", words("code.root"), href=place.but(node=None)),
        *(el("span", " / ", el("a", _called(one), href=place.but(node=one["id"]))) for one in above.get("items", [])),
    ]
    items = [
        el(
            "li.line",
            el("p.say", el("a", _called(one), href=place.but(node=one["id"]))),
            el("p.meta", f"#{one['id']}", str(one.get("alias") or "")),
        )
        for one in found["items"]
        if node or not one.get("parent")
    ]
    return el(
        "section",
        title,
        el("nav.meta", path, aria_label=words("code.path")),
        el("ul.lines", items) if items else el("p.hint", words("code.leaf")),
        aria_label=words("code.site"),
    )


def _called(item: Mapping[str, Json]) -> str:
    return str(item.get("pagetitle") or item.get("alias") or item["id"])


VIEW = View("code", content, controls, {"index-code": _index}, every=0)
