"""`everlore search`, `add`, `log`, `show`, `history`, `forget` and their kin: memories for a person at a terminal.

What is shown is the sentence that answers, with who said it, when, and whether it still holds. Who answers, and what
`--json` prints, is `contracts.person`.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Mapping
from contextlib import suppress

from everlore.errors import InvalidInput
from everlore.surfaces.cli import output
from everlore.surfaces.cli.asking import asking
from everlore.types import Json

NOTHING_IN_BIN = "The bin is empty. What is forgotten waits there, so that it can be brought back."
OTHERS = 5
"""Other users that are named when nothing was found."""
TAIL_SECONDS = 1.0
NEAREST, LESS = "Nothing fits well. The nearest:", "These fit less well:"
Show = Callable[[Json], None]


def search(
    query: str, user: str | None, limit: int, project: str | None, *, everywhere: bool, verbose: bool, as_json: bool
) -> bool:
    """False when nothing was found."""
    if not query.strip():
        raise InvalidInput("say what to look for, for example: everlore search 'where do I live'")
    where: dict[str, Json] = {"project": project, "everywhere": everywhere}
    return _listed("search", _show_hit, user, as_json, query=query, limit=limit, why=verbose, **where)


def add(text: list[str], user: str | None, *, everywhere: bool, as_json: bool) -> None:
    said = " ".join(text).strip()
    if said in ("", "-"):
        said = "" if sys.stdin is None or sys.stdin.isatty() else sys.stdin.read().strip()
    if not said:
        raise InvalidInput("there is nothing to remember: give a text, or pipe one in")
    with asking(user) as ask:
        done = ask("add", changes=True, text=said, everywhere=everywhere)
    if as_json:
        output.show_json(done)
        return
    output.show_line(f"Remembered.{' It is understood later: ' + done['reason'] if done['waiting'] else ''}")
    for line in done["learnt"]:
        output.show_cells((line, "green"), indent=2)
    if done["project"]:
        output.note(f"What is not personal is kept for the project {done['project']}; --all keeps it for all.")


def log(user: str | None, limit: int, session: str | None, *, as_json: bool) -> None:
    """The newest episodes, the latest last, as a terminal shows them best."""
    _listed("log", _show_row, user, as_json, turned=True, limit=limit, session=session)


def show(id_: str, user: str | None, *, as_json: bool) -> None:
    with asking(user) as ask:
        found = ask("show", id_=id_)
    if as_json:
        output.show_json(found)
        return
    with output.pages():
        ended = f"ended {_day(found['valid_until'])}" if found["valid_until"] else ""
        output.show_cells(
            (found["id"], "bold"), (f"({found['kind']}, {_day(found['time'])})", "dim"), (ended, "yellow")
        )
        output.show_cells((found["path"], "dim"))
        output.show_line(f"\n{found['whole']}")


def history(id_: str | None, user: str | None, as_of: str | None, limit: int, *, as_json: bool) -> None:
    """Everything that was held, or what stood in the place of one memory before it and after it."""
    _listed("history", _show_held, user, as_json, id_=id_, as_of=as_of, limit=limit)


def rules(user: str | None, *, everywhere: bool, as_json: bool) -> None:
    """What the user ordered, from their profile."""
    _listed("rules", output.show_line, user, as_json, everywhere=everywhere)


def sessions(user: str | None, limit: int, *, as_json: bool) -> None:
    _listed("sessions", _show_session, user, as_json, turned=True, limit=limit)


def people(name: str | None, user: str | None, limit: int, *, as_json: bool) -> None:
    """Who and what is spoken of; or all that is said of one."""
    _listed("people", _show_row if name else _show_name, user, as_json, called=name, limit=limit)


def cases(user: str | None, limit: int, *, as_json: bool) -> None:
    _listed("cases", _show_case, user, as_json, turned=True, limit=limit)


def users(*, as_json: bool) -> None:
    with asking() as ask:
        counted = ask("users")
    if as_json:
        output.show_json(counted)
    else:
        output.show_pairs([(name, _memories(number)) for name, number in counted.items()])


def _memories(number: int) -> str:
    return f"{number} {'memory' if number == 1 else 'memories'}"


def forget(ids: list[str], user: str | None, *, yes: bool, as_json: bool) -> bool:
    with asking(user) as ask:
        if not yes:
            for one in ask("going", ids=ids):
                _show_going(one)
            if not _agreed():
                output.note("Nothing was forgotten. Answer y, or use --yes.")
                return False
        done = ask("forget", changes=True, ids=ids)
    if as_json:
        output.show_json(done)
        return True
    output.show_line(f"Forgotten: {done['forgotten']}, with what was made of them.")
    for one in done["bins"]:
        output.show_line(f"For {done['days']} days `everlore undo {one}` brings it back.")
    for past in done["still_ended"]:
        output.show_line(f"Still ended: {past['text']} `everlore undo {past['id']}` lets it hold again.")
    return True


def undo(id_: str | None, user: str | None, *, force: bool, as_json: bool) -> None:
    """Without an id, what could be brought back."""
    if id_ is None:
        _listed("bin", _show_row, user, as_json)
        return
    with asking(user) as ask:
        done = ask("undo", changes=True, id_=id_, force=force)
    if as_json:
        output.show_json(done)
        return
    output.show_line(f"Holds again: {done['text']}" if "reopened" in done else f"Back: {done['files']} files.")
    for path in done.get("left", ()):
        output.show_line(f"{path} has changed since and stays as it is.")


def tail(user: str | None, limit: int, *, as_json: bool) -> None:
    """What is learnt, as it happens, until Ctrl-C."""
    with suppress(KeyboardInterrupt), asking(user) as ask:
        since = ask("learnt")["until"]
        recent = ask("log", limit=limit)["rows"][::-1] if limit else []
        while True:
            for row in recent:
                if as_json:
                    output.show_json(row, lines=False)
                else:
                    _show_row(row)
            sys.stdout.flush()
            time.sleep(TAIL_SECONDS)
            found = ask("learnt", since=since)
            recent, since = found["rows"], found["until"]


def _listed(name: str, show: Show, user: str | None, as_json: bool, turned: bool = False, **arguments: Json) -> bool:
    """Whether there was anything. `turned`: the last is shown first."""
    with asking(user) as ask:
        found = ask(name, **arguments)
    rows = found["rows"]
    if as_json:
        output.show_json(rows)
        return bool(rows)
    with output.pages():
        fitted = name == "search"
        for number, row in enumerate(reversed(rows) if turned else rows):
            if fitted and not row["fits"]:
                output.show_line(LESS if number else NEAREST)
                fitted = False
            show(row)
    if not rows:
        output.show_line(NOTHING_IN_BIN if name == "bin" else _nothing(found))
    return bool(rows)


def _show_going(one: Mapping[str, Json]) -> None:
    """On stderr: it is what is asked about."""
    row = one["memory"]
    output.note(f"{row['id']} ({_day(row['time'])}): {row['text']}")
    for title, key in (("with", "with"), ("changes the skill", "skills"), ("stays ended", "still_ended")):
        for part in one[key]:
            output.note(f"  {title}: {part['text']}")
    for line in one["profile"]:
        output.note(f"  no longer in the profile: {line}")


def _show_hit(hit: Mapping[str, Json]) -> None:
    for number, said in enumerate(hit["passages"]):
        output.show_answer(said["text"], said["marks"], past=said["valid_until"] is not None, first=not number)
        output.show_cells((_origin(hit, said), "dim"), indent=4)


def _origin(hit: Mapping[str, Json], said: Mapping[str, Json]) -> str:
    """`Anna · 2026-05-28 · 3 days ago · alice_ep_…`, what ended it, and why it was found."""
    parts = [said["speaker"], _day(said["time"]), said["age"], hit["id"]]
    if said["valid_until"] is not None:
        parts.append(f"ended {_day(said['valid_until'])}" + (f": {said['ended_by']}" if said["ended_by"] else ""))
    if why := hit.get("why"):
        shares = ", ".join(f"{name} {why[name]:.2f}" for name in ("words", "meaning", "graph"))
        parts += [f"score {hit['score']:.2f}: {shares}", *why["moved"]]
    return " · ".join(filter(None, parts))


def _show_row(row: Mapping[str, Json]) -> None:
    output.show_cells((_day(row["time"]), "dim"), (row["id"], "cyan"), (row["text"], ""))


def _show_held(row: Mapping[str, Json]) -> None:
    end = row["valid_until"]
    output.show_cells(
        (_day(row["time"]), "dim"),
        (row["id"], "cyan"),
        (row["text"], "dim" if end else ""),
        (f"(until {_day(end)})" if end else "", "yellow"),
    )


def _show_session(row: Mapping[str, Json]) -> None:
    count = f"{row['talks']} talk{'s' if row['talks'] > 1 else ''}"
    where = (row.get("project") or "", "magenta")
    output.show_cells((_day(row["last"]), "dim"), (row["id"], "cyan"), (count, "dim"), where, (row.get("text", ""), ""))


def _show_name(row: Mapping[str, Json]) -> None:
    last = row.get("last")
    output.show_cells((row["name"], "bold"), (_memories(row["memories"]), "dim"), (last["text"] if last else "", "dim"))


def _show_case(row: Mapping[str, Json]) -> None:
    how = f"{row['quality_score']:.1f}"
    output.show_cells((_day(row["time"]), "dim"), (row["id"], "cyan"), (how, "yellow"), (row["text"], ""))
    if row["key_insight"]:
        output.show_cells((row["key_insight"], "dim"), indent=4)


def _day(time: str) -> str:
    return time[:10]


def _nothing(found: Mapping[str, Json]) -> str:
    """Whose memories it was looked for in, and where else there are some."""
    project = f" here in {found['project']} (--all looks into every project)" if found["project"] else ""
    others = (
        f" Others have some: {', '.join(found['others'][:OTHERS])}; name one with --user." if found["others"] else ""
    )
    meant = f" Did you mean --user {found['meant']}?" if found["meant"] else others
    return f"Nothing found in the memories of {found['user']!r}{project}.{meant}"


def _agreed() -> bool:
    if sys.stdin is None or not sys.stdin.isatty():
        return False
    output.note("Forget this, and what was made of it? [y/N]")
    return sys.stdin.readline().strip().lower() in ("y", "yes")
