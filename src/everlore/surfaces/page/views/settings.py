"""Health and settings: what is wrong and what to do, sizes and versions, hosts to connect, accounts and keys."""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path

from everlore import __version__
from everlore.accounts.values import SCOPES, Event, Key
from everlore.clock import Clock
from everlore.errors import Denied
from everlore.extras import EXTRAS, installed, load
from everlore.kinds.registry import several
from everlore.surfaces.http.health import examine
from everlore.surfaces.http.keys import check_may_manage, events_of, keys_of, make_key, revoke_key
from everlore.surfaces.page.markup import Html, el, table
from everlore.surfaces.page.views.base import Did, Shown, View
from everlore.surfaces.page.views.parts import button, choice, dialog, form, pairs, section, size, text_field
from everlore.surfaces.page.visit import Place, Visit
from everlore.sync.doctor import Finding, doctor

EVENTS = 30
LEVELS = {"ok": "holds", "warning": "until", "error": "bad"}


def content(visit: Visit, _: Place) -> Shown:
    return Shown(el("div", _health(visit) if visit.is_owner else None, _versions(visit), _hosts(visit), _keys(visit)))


def _health(visit: Visit) -> Html:
    words = visit.words
    found = examine(visit.state.engine)
    if found.problems:
        told = el(
            "ul.lines",
            [el("li.line", el("span.chip.bad", words("settings.problem")), " ", one) for one in found.problems],
        )
    else:
        told = el("p.say", el("span.chip.holds", words("settings.well")), " ", words("settings.well_text"))
    check = button(words("settings.examine"), "doctor")
    hint = el("p.hint", words("settings.examine_text"))
    return section(words("settings.health"), told, el("div.actions", check), hint, name="section.card")


def _doctor(visit: Visit, _: Mapping[str, str]) -> Did:
    """Reads every file, so only on request."""
    if not visit.is_owner:
        raise Denied("scope", visit.words("settings.owner_only"))
    findings = doctor(visit.state.engine.settings, lambda *_: None)
    rank = {"error": 0, "warning": 1, "ok": 2}
    rows = [_finding(visit, one) for one in sorted(findings, key=lambda one: rank[one.level])]
    heads = [visit.words(f"settings.{name}") for name in ("level", "what", "hint")]
    body = table(visit.words("settings.findings"), heads, rows)
    return Did(dialog=dialog(visit, visit.words("settings.findings"), body), fresh=False)


def _finding(visit: Visit, one: Finding) -> list[object]:
    return [el(f"span.chip.{LEVELS[one.level]}", visit.words(f"settings.level_{one.level}")), one.what, one.hint]


def _versions(visit: Visit) -> Html:
    words, engine = visit.words, visit.state.engine
    shown: list[tuple[object, object]] = [(words("settings.version"), __version__)]
    if visit.is_owner:
        status = engine.index.upkeep.status()
        model = engine.llm.model if engine.llm else words("settings.no_model")
        stored = "server" if engine.settings.store.url.get_secret_value() else "files"
        pieces = words("settings.pieces_text", units=f"{status.units:,}", waiting=f"{status.unembedded:,}")
        counts = ", ".join(f"{number:,} {several(name, number)}" for name, number in sorted(status.rows.items()))
        shown += [
            (words("settings.vault"), el("code", engine.vault.where)),
            (words("settings.store"), words(f"settings.store_{stored}")),
            (words("settings.disk"), _disk(engine.settings.memory.root)),
            (words("settings.rows"), counts or "0"),
            (words("settings.pieces"), pieces),
            (words("settings.embedder"), engine.embedder.name),
            (words("settings.model"), model),
            (words("settings.zone"), str(engine.clock.zone)),
            (words("settings.extras"), ", ".join(name for name in EXTRAS if installed(name))),
        ]
    return section(words("settings.about"), pairs(shown), name="section.card")


def _disk(root: Path) -> str:
    """What the vault takes, its index included."""
    total = 0
    for folder, _, names in os.walk(root):
        for name in names:
            try:
                total += (Path(folder) / name).lstat().st_size
            except OSError:  # it went meanwhile
                continue
    return size(total)


def _hosts(visit: Visit) -> Html:
    """Agents that can be given this memory; whether they have it is told on the owner's own machine."""
    words = visit.words
    known = [
        (host.name, host.title, visit.is_owner and _connected(host))
        for host in load("everlore.surfaces.cli.evercli.hosts:HOSTS").values()
    ]
    items = [
        el(
            "li.card",
            el("h3", title),
            el("span.chip.holds", words("settings.connected"))
            if there
            else el("div.actions", button(words("settings.how"), "connect", cls=".small", of=title, host=name)),
        )
        for name, title, there in sorted(known, key=lambda one: not one[2])
    ]
    return section(words("settings.hosts"), el("ul.cards", items), hint=words("settings.hosts_text"))


def _connected(host: object) -> bool:
    entry = load("everlore.surfaces.cli.evercli.hosts:ENTRY")
    try:
        place = host.place(os.environ, Path.home())  # type: ignore[attr-defined]
        return entry in place.config.read_text(encoding="utf-8", errors="replace")
    except (OSError, RuntimeError):
        return False


def _connect(visit: Visit, given: Mapping[str, str]) -> Did:
    words, name = visit.words, given.get("host", "")
    if name not in load("everlore.surfaces.cli.evercli.hosts:HOSTS"):
        return Did(words("common.broken"), wrong=True, fresh=False)
    command = el("pre", f"evercli plugin install {name}", tabindex="0")
    body = dialog(
        visit,
        words("settings.how"),
        el("p", words("settings.how_text")),
        command,
        el("p.hint", words("settings.how_then")),
    )
    return Did(dialog=body, fresh=False)


def _keys(visit: Visit) -> Html | None:
    words, accounts = visit.words, visit.state.accounts
    try:
        check_may_manage(visit.state.engine.settings, visit.who)
    except Denied as error:
        return el("section.card", el("h2", words("settings.keys")), el("p.hint", str(error)))
    keys = keys_of(accounts, visit.who)
    rows = [_key(visit, key) for key in keys]
    heads = [words(f"settings.key_{name}") for name in ("name", "account", "scopes", "created", "used", "state", "do")]
    scopes = [
        el(
            "label.field.inline",
            el("input", type="checkbox", name=f"scope:{one}", value="1", checked=True),
            words(f"settings.scope_{one.replace(':', '_')}"),
        )
        for one in SCOPES
        if visit.who is None or one in visit.who.scopes
    ]
    owners = {key.account.id: key.account.name for key in keys}
    whose = (
        choice("account", words("settings.key_account"), [("", words("settings.new_account")), *owners.items()], "")
        if visit.is_owner
        else None
    )
    make = form(
        "make-key",
        el("h3", words("settings.new_key")),
        text_field("called", words("settings.key_name"), required=True, maxlength=128),
        whose,
        el("fieldset", el("legend", words("settings.key_scopes")), scopes),
        text_field("days", words("settings.key_days"), "90", "number", min=0, max=3650),
        el("div.actions", el("button.main", words("settings.make"))),
    )
    log = table(
        words("settings.audit"),
        [words(f"settings.audit_{name}") for name in ("when", "who", "what", "outcome")],
        [_event(visit, one) for one in events_of(accounts, visit.who)[:EVENTS]],
    )
    return section(
        words("settings.keys"),
        table(words("settings.keys"), heads, rows) if rows else el("p", words("settings.no_keys")),
        el("div.card", make),
        el("details", el("summary", words("settings.audit")), log),
        hint=words("settings.keys_text"),
    )


def _key(visit: Visit, key: Key) -> list[object]:
    words = visit.words
    over = key.revoked is not None or (key.expires is not None and key.expires <= Clock().now())
    state = el("span.chip.past", words("settings.over")) if over else el("span.chip.holds", words("settings.active"))
    revoke = button(words("settings.revoke"), "revoke-key", cls=".small.danger", of=key.name, id=key.id)
    named = el("th", key.name, el("p.meta.mono", key.prefix), scope="row")
    days = visit.day(key.created), visit.day(key.last_used)
    return [named, key.account.name, ", ".join(key.scopes), *days, state, "" if over else revoke]


def _event(visit: Visit, event: Event) -> list[object]:
    at = f"{visit.engine.clock.local(event.at):%Y-%m-%d %H:%M}"
    return [at, event.actor, f"{event.action} {event.target}", event.outcome]


def _make(visit: Visit, given: Mapping[str, str]) -> Did:
    """The key is shown once."""
    words = visit.words
    check_may_manage(visit.state.engine.settings, visit.who)
    scopes = [one for one in SCOPES if given.get(f"scope:{one}")]
    days = given.get("days", "0").strip() or "0"
    key, secret = make_key(
        visit.state.accounts,
        visit.who,
        given.get("called", ""),
        scopes,
        int(days) if days.isdecimal() else -1,
        account=given.get("account", ""),
    )
    body = dialog(
        visit,
        words("settings.made", name=key.name),
        el("p", words("settings.made_text")),
        el("pre.secret", secret, tabindex="0"),
    )
    return Did(dialog=body)


def _revoke(visit: Visit, given: Mapping[str, str]) -> Did:
    check_may_manage(visit.state.engine.settings, visit.who)
    key = revoke_key(visit.state.accounts, visit.who, given.get("id", ""))
    return Did(visit.words("settings.revoked", name=key.name))


VIEW = View(
    "settings",
    content,
    None,
    {"doctor": _doctor, "connect": _connect, "make-key": _make, "revoke-key": _revoke},
    frozenset(("doctor", "connect", "make-key", "revoke-key")),
)
