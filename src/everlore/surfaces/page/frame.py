"""What stands around every view: the head of the page, its navigation, its dialog and what it says."""

from __future__ import annotations

from everlore.surfaces.page.markup import Html, el
from everlore.surfaces.page.texts import LANGUAGES
from everlore.surfaces.page.views.base import Did
from everlore.surfaces.page.views.registry import VIEWS
from everlore.surfaces.page.visit import Place, Visit

HEAD = """<link rel="stylesheet" href="/_page/page.css"><link rel="icon" href="/_page/icon.svg">
<script>document.documentElement.lang = "{language}"</script><script src="/_page/page.js"></script>"""


def header(visit: Visit, place: Place) -> Html:
    words = visit.words
    brand = el("a.brand", "Everlore", href=place.to("ask"), aria_label=words("nav.home"))
    skip = el("a.skip", words("nav.skip"), href="#main")
    themes = [el("option", words(f"theme.{one}"), value=one) for one in ("auto", "light", "dark")]
    theme = el(
        "label.field.small", el("span", words("theme.label")), el("select", themes, data_cookie="everlore_theme")
    )
    languages = [
        el("option", name, value=code, selected=code == words.language, lang=code) for code, name in LANGUAGES.items()
    ]
    language = el(
        "label.field.small",
        el("span", words("common.language")),
        el("select", languages, data_cookie="everlore_language"),
    )
    out = None
    if visit.who is not None:
        known = visit.who.account.name
        out = el(
            "form.out", el("span.who", known), el("button.quiet", words("sign.out")), method="post", action="/sign-out"
        )
    return el("div.bar", skip, brand, el("div.tools", theme, language, out))


def navigation(visit: Visit, place: Place) -> Html:
    links = [
        el(
            "li",
            el(
                "a",
                el("span.icon." + view.name, aria_hidden="true"),
                visit.words(f"nav.{view.name}"),
                href=place.to(view.name),
                aria_current="page" if view.name == place.view else None,
            ),
        )
        for view in VIEWS
    ]
    return el("ul", links)


def skeleton() -> Html:
    return el("div.skeleton", [el("div") for _ in range(6)], aria_hidden="true")


def dialog_of(done: Did) -> Html:
    return done.dialog or Html("")


def status(visit: Visit, done: Did) -> Html:
    undo = None
    if done.undo:
        named = {f"data_{name}": value for name, value in done.undo.items()}
        undo = el("button", visit.words("common.undo"), type="button", **named)
    return el("div.toast" + (".wrong" if done.wrong else ""), el("span", done.said), undo)
