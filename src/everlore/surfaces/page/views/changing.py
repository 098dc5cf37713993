"""What a person does to memories, in whatever view they are shown: change, forget with all that goes, end, and undo."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from everlore import memory
from everlore.errors import Conflict, EverloreError
from everlore.kinds.registry import kind
from everlore.memory import bin as bins
from everlore.memory.edit import edit, source
from everlore.surfaces.page.markup import Html, el, join
from everlore.surfaces.page.views.base import Action, Did
from everlore.surfaces.page.views.parts import area, button, clipped, dialog, form, statement, text_field
from everlore.surfaces.page.visit import Place, Visit
from everlore.types import IndexedMemory, Owner

SHOWN = 12


def edit_form(visit: Visit, given: Mapping[str, str]) -> Did:
    owner, id_ = _named(visit, given)
    known = source(visit.engine, owner, id_)
    return Did(dialog=_editor(visit, owner, id_, known.path, known.version, known.text), fresh=False)


def save(visit: Visit, given: Mapping[str, str]) -> Did:
    """Nothing is overwritten that the person has not seen: what somebody else wrote meanwhile is shown beside it."""
    owner, id_ = _named(visit, given)
    text, version = given.get("text", ""), given.get("version", "")
    try:
        edit(visit.engine, owner, id_, version, text)
    except Conflict as error:
        now = source(visit.engine, owner, id_)
        theirs = el("section", el("h3", visit.words("edit.theirs")), el("pre", now.text, tabindex="0"))
        told = el("p.alert", visit.words("edit.conflict"), role="alert")
        again = _editor(visit, owner, id_, now.path, now.version, text, [told, theirs])
        return Did(str(error), wrong=True, dialog=again, fresh=False)
    return Did(visit.words("edit.saved"))


def _editor(visit: Visit, owner: Owner, id_: str, path: str, version: str, text: str, above: object = None) -> Html:
    words = visit.words
    body = form(
        "save",
        above,
        area("text", words("edit.text"), text, rows=14, spellcheck="false"),
        el("div.actions", el("button.main", words("common.save")), button(words("common.cancel"), "close")),
        id=id_,
        owner=visit.code_of(owner),
        version=version,
    )
    return dialog(visit, words("edit.title"), el("p.meta.mono", path), body)


def forget_form(visit: Visit, given: Mapping[str, str]) -> Did:
    """All that would go, before anything does."""
    words = visit.words
    owner, ids = _several(visit, given)
    if not ids:
        return Did(words("forget.none_chosen"), wrong=True, fresh=False)
    going = [memory.preview(visit.engine, owner, id_) for id_ in ids]
    rows = [row for one in going for row in one.rows]
    parts = [
        _listed(words("forget.memories", count=len(rows)), [_told(visit, row) for row in rows]),
        _listed(words("forget.lines"), [line for one in going for line in one.lines]),
        _listed(words("forget.skills"), [_told(visit, row) for one in going for row in one.skills]),
        _listed(words("forget.stays_ended"), [_told(visit, row) for one in going for row in one.ended]),
    ]
    body = form(
        "forget",
        parts,
        el("p.hint", words("forget.bin", days=visit.engine.settings.memory.bin_days)),
        el("div.actions", el("button.danger", words("forget.do")), button(words("common.cancel"), "close")),
        ids="\n".join(ids),
        owner=visit.code_of(owner),
    )
    return Did(dialog=dialog(visit, words("forget.title"), body), fresh=False)


def forget(visit: Visit, given: Mapping[str, str]) -> Did:
    owner, ids = _several(visit, given)
    gone = [memory.forget(visit.engine, owner, id_) for id_ in ids]
    told = visit.words("forget.done", count=sum(one.count for one in gone))
    items = [one.bin for one in gone if one.bin]
    undo = {"do": "restore", "items": "\n".join(items), "owner": visit.code_of(owner)} if items else None
    shown = Place("memories", asked={"owner": visit.code_of(owner)})
    return Did(told, undo=undo, go=shown.to("memories") if given.get("shown") in ids else "")


def restore(visit: Visit, given: Mapping[str, str]) -> Did:
    owner = visit.owner_of(given.get("owner", ""))
    wrong: list[str] = []
    for item in reversed(given.get("items", "").split("\n")):
        try:
            bins.restore(visit.engine, owner.scope, item)
        except EverloreError as error:
            wrong.append(str(error))
    return Did(" ".join(wrong) or visit.words("forget.restored"), wrong=bool(wrong))


def end_form(visit: Visit, given: Mapping[str, str]) -> Did:
    owner, id_ = _named(visit, given)
    stored = memory.named(visit.engine, owner, id_)
    body = form(
        "end",
        el("p", clipped(statement(stored))),
        text_field("reason", visit.words("end.reason")),
        el("div.actions", el("button.main", visit.words("end.do")), button(visit.words("common.cancel"), "close")),
        id=id_,
        owner=visit.code_of(owner),
    )
    return Did(dialog=dialog(visit, visit.words("end.title"), body), fresh=False)


def end(visit: Visit, given: Mapping[str, str]) -> Did:
    owner, id_ = _named(visit, given)
    memory.invalidate(visit.engine, memory.named(visit.engine, owner, id_), given.get("reason", ""))
    return Did(visit.words("end.done"))


def buttons(visit: Visit, stored: IndexedMemory) -> Html | None:
    """What can be done with one memory."""
    if not visit.may_write:
        return None
    words, named = visit.words, {"id": stored.key.public_id, "owner": visit.code_of(stored.key.owner)}
    over = stored.validity.end is not None or not kind(stored.key.kind).can_end
    return el(
        "div.actions",
        button(words("edit.do"), "edit", **named),
        None if over else button(words("end.do"), "end-form", **named),
        button(words("forget.do"), "forget-form", cls=".danger", **named),
    )


def _named(visit: Visit, given: Mapping[str, str]) -> tuple[Owner, str]:
    return visit.owner_of(given.get("owner", "")), given.get("id", "")


def _several(visit: Visit, given: Mapping[str, str]) -> tuple[Owner, list[str]]:
    """One memory, several by their ids, or those whose boxes are ticked."""
    ticked = [name.removeprefix("pick:") for name, value in given.items() if name.startswith("pick:") and value]
    ids = [*given.get("ids", "").split("\n"), given.get("id", ""), *ticked]
    return visit.owner_of(given.get("owner", "")), list(dict.fromkeys(filter(None, ids)))


def _told(visit: Visit, row: IndexedMemory) -> Html:
    return join(
        [el("span.kind." + row.key.kind, visit.words.named("kinds", row.key.kind)), " ", clipped(statement(row), 160)]
    )


def _listed(title: str, items: Iterable[object]) -> Html | None:
    every = list(items)
    if not every:
        return None
    more = el("li.hint", f"+ {len(every) - SHOWN}") if len(every) > SHOWN else None
    return el("section", el("h3", title), el("ul", [el("li", one) for one in every[:SHOWN]], more))


ACTIONS: Mapping[str, Action] = {
    "edit": edit_form,
    "save": save,
    "forget-form": forget_form,
    "forget": forget,
    "restore": restore,
    "end-form": end_form,
    "end": end,
}
