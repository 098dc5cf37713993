"""Profile and rules: what is known of a user, each line with its evidence; lines to keep, to end, and rules to give."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from everlore.extract.profile import is_generated
from everlore.extract.rules import CATEGORY
from everlore.kinds.paths import sheet_path
from everlore.kinds.profile import PROFILE, Info, Profile, Trait
from everlore.memory.lines import add_rule, drop, origin, pin
from everlore.surfaces.page.markup import Html, el
from everlore.surfaces.page.views.base import Did, Shown, View
from everlore.surfaces.page.views.parts import button, empty, form, link, live_form, section, text_field, whose
from everlore.surfaces.page.visit import Place, Visit
from everlore.sync.projection import read_profile
from everlore.types import Owner


def controls(visit: Visit, place: Place) -> Html:
    return live_form(place, whose(visit, visit.owner(place)), label=visit.words("nav.profile"))


def content(visit: Visit, place: Place) -> Shown:
    words, owner = visit.words, visit.owner(place)
    known = read_profile(visit.engine, owner)
    hint, send = words("profile.rule_hint"), el("div.actions", el("button.main", words("profile.add_rule")))
    rule = text_field("rule", words("profile.new_rule"), placeholder=hint, maxlength=280, required=True)
    own_rule = form("add-rule", rule, send, owner=visit.code_of(owner)) if visit.may_write else None
    rules = _rules(visit, place, owner, known)
    add = section(words("profile.rules"), rules, own_rule, name="section.card", hint=words("profile.rules_text"))
    if known is None:
        return Shown(el("div", empty(words("profile.empty"), words("profile.empty_text")), add))
    infos = [info for info in known.explicit_info if info.category != CATEGORY]
    generated = [info for info in infos if is_generated(known, info)]
    own = [info for info in infos if not is_generated(known, info)]
    body = [
        el("section.card", el("h2", words("profile.summary")), el("p.say", known.summary)) if known.summary else None,
        add,
        _group(visit, place, owner, known, words("profile.own"), words("profile.own_text"), own),
        _group(visit, place, owner, known, words("profile.generated"), words("profile.generated_text"), generated),
        _traits(visit, known.implicit_traits),
        el("p.hint", words("profile.file"), " ", el("code", sheet_path(PROFILE, owner))),
    ]
    return Shown(el("div", body))


def _rules(visit: Visit, place: Place, owner: Owner, known: Profile | None) -> Html:
    rules = [info for info in known.explicit_info if info.category == CATEGORY] if known else []
    if known is None or not rules:
        return el("p", visit.words("profile.no_rules"))
    return el("ul.lines", [_line(visit, place, owner, known, info) for info in rules])


def _group(
    visit: Visit, place: Place, owner: Owner, known: Profile, title: str, text: str, infos: Sequence[Info]
) -> Html | None:
    if not infos:
        return None
    return section(title, el("ul.lines", [_line(visit, place, owner, known, info) for info in infos]), hint=text)


def _line(visit: Visit, place: Place, owner: Owner, known: Profile, info: Info) -> Html:
    words, generated = visit.words, is_generated(known, info)
    fact = origin(visit.engine, owner, info) if generated else None
    named, said = {"line": info.description, "owner": visit.code_of(owner)}, info.description[:80]
    tools = [
        button(words("profile.pin"), "pin", cls=".small", of=said, **named) if generated else None,
        button(words("end.do"), "end-form", cls=".small", of=said, id=fact.key.public_id, owner=named["owner"])
        if fact
        else None,
        button(words("profile.drop"), "drop", cls=".small.danger", of=said, **named),
    ]
    whence = link(visit, place, fact, info.evidence) if fact else info.evidence
    mark = el("span.chip.holds", words("profile.yours")) if not generated else None
    about = el(
        "p.meta",
        el("span.kind", words.named("categories", info.category)),
        mark,
        el("span", words("profile.because"), " ", whence),
    )
    return el("li.line", el("p.say", info.description), about, el("div.actions", tools) if visit.may_write else None)


def _traits(visit: Visit, traits: Sequence[Trait]) -> Html | None:
    if not traits:
        return None
    told = [
        el(
            "li.line",
            el("p.say", el("b", one.trait), ": ", one.description),
            el("p.meta", one.basis, " · ", one.evidence),
        )
        for one in traits
    ]
    return section(visit.words("profile.traits"), el("ul.lines", told))


def _pin(visit: Visit, given: Mapping[str, str]) -> Did:
    pin(visit.engine, visit.owner_of(given.get("owner", "")), given.get("line", ""))
    return Did(visit.words("profile.pinned"))


def _drop(visit: Visit, given: Mapping[str, str]) -> Did:
    drop(visit.engine, visit.owner_of(given.get("owner", "")), given.get("line", ""))
    return Did(visit.words("profile.dropped"))


def _add_rule(visit: Visit, given: Mapping[str, str]) -> Did:
    add_rule(visit.engine, visit.owner_of(given.get("owner", "")), given.get("rule", ""))
    return Did(visit.words("profile.rule_added"))


VIEW = View("profile", content, controls, {"pin": _pin, "drop": _drop, "add-rule": _add_rule})
