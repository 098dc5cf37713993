"""What a person is told of their memories."""

from __future__ import annotations

from pathlib import Path

import pytest

from everlore.engine import Engine
from everlore.errors import InvalidInput, NotFound
from everlore.memory import NewMessage, flush, remember
from everlore.surfaces.contracts.person.asking import add, person
from everlore.surfaces.contracts.person.reading import (
    Person,
    cases,
    complete,
    history,
    known,
    learnt,
    log,
    people,
    projects,
    rules,
    search,
    sessions,
    show,
    users,
)
from everlore.types import Scope


@pytest.fixture
def who(engine: Engine) -> Person:
    return person(engine, {"folder": "", "settings": {"EVEROS_MCP__USER_NAME": "Anna"}, "user": None})


def within(who: Person, folder: Path) -> Person:
    """The same person, in a project of their own."""
    (folder / ".git").mkdir(parents=True, exist_ok=True)
    config = f'[remote "origin"]\nurl = https://example.org/anna/{folder.name}.git\n'
    (folder / ".git" / "config").write_text(config, encoding="utf-8")
    return person(who.engine, {"folder": str(folder), "settings": {}, "user": None})


def test_the_words_of_the_question_are_marked_in_the_answer(who: Person) -> None:
    add(who, "My dentist is Dr. Huber in the Herrengasse.")
    found = search(who, "who is my dentist?", why=True)
    said = found["rows"][0]["passages"][0]
    assert [said["text"][begin:end] for begin, end in said["marks"]] == ["dentist"]
    assert (said["age"], said["speaker"], said["ended_by"]) == ("today", "Anna", None)
    assert set(found["rows"][0]["why"]) == {"words", "meaning", "graph", "moved"}
    assert "why" not in search(who, "dentist")["rows"][0]


def test_a_project_sees_its_own_and_what_is_personal(who: Person, tmp_path: Path) -> None:
    tool, other = (within(who, tmp_path / name) for name in ("tool", "other"))
    add(tool, "The release script of the build is make ship.")
    add(tool, "The guest wifi is called Seagull.", everywhere=True)
    assert "make ship" in str(search(tool, "release script")["rows"])
    assert "make ship" not in str(search(other, "release script")["rows"])
    assert search(other, "release script")["project"] == "other"
    for found in (
        search(other, "release script", everywhere=True),
        search(other, "release script", project="tool"),
        search(who, "release script"),
    ):
        assert "make ship" in str(found["rows"])
    assert "Seagull" in str(search(other, "guest wifi")["rows"])
    assert projects(who) == ["example.org--anna--tool"]
    with pytest.raises(NotFound, match="anna--tool"):
        search(who, "release", project="tol")


def test_lists_show_what_there_is(who: Person) -> None:
    add(who, "My sister Lena is a vet. Lena lives in Linz.")
    add(who, "My dentist is Dr. Huber.")
    add(who, "Never use tabs in Python files.")
    assert "Lena" in [one["name"] for one in people(who)["rows"]]
    told = str(people(who, "Lena")["rows"])
    assert "vet" in told
    assert "Huber" not in told
    [session, *_] = sessions(who)["rows"]
    assert [talk["text"] for talk in log(who, session=session["id"])["rows"]] == [session["text"]]
    assert len(log(who)["rows"]) == 3
    assert "tabs" in rules(who)["rows"][0]
    assert list(users(who)) == ["default"]
    assert {"default_ep_", "default_af_"} >= {one[:11] for one in complete(who, "id", "default_")}
    assert complete(who, "user", "d") == ["default"]
    assert complete(who, "user", "x") == complete(who, "session", "x") == []
    known_of = known(who)
    assert (known_of["talks"], known_of["rules"]) == (3, 1)
    assert all("tabs" not in line for line in known_of["about"])


def test_who_somebody_is_comes_before_what_was_said_last(who: Person) -> None:
    for said in (
        "I live in Graz.",
        "I work at Acme.",
        *(f"I like {one}." for one in ("tea", "figs", "rain", "jazz", "dill")),
    ):
        add(who, said)
    home, work, *likes = known(who)["about"]
    assert ("Graz" in home, "Acme" in work, len(likes)) == (True, True, 3)


def test_what_agents_did_is_listed_and_shown(who: Person) -> None:
    call = {"id": "c", "type": "function", "function": {"name": "edit", "arguments": "{}"}}
    scope = Scope(who.owner.scope.app, who.owner.scope.project)
    new = [
        NewMessage("default", "user", 1_780_000_000_000, "Fix the flaky test in api.py, please."),
        NewMessage("coder", "assistant", 1_780_000_001_000, "Fixed: it waited wrongly.", tool_calls=[call]),
    ]
    remember(who.engine, scope, "run", new)
    flush(who.engine, scope, "run")
    [case] = cases(who)["rows"]
    assert (case["agent"], "flaky" in case["text"]) == ("coder", True)
    assert "flaky" in show(who, case["id"])["whole"]


def test_what_is_learnt_is_told_once(who: Person) -> None:
    since = learnt(who)["until"]
    assert learnt(who, since - 1)["rows"] == []
    add(who, "I live in Graz.")
    told = learnt(who, since - 1)
    assert {row["kind"] for row in told["rows"]} >= {"episode", "fact"}
    assert learnt(who, told["until"])["rows"] == []


def test_the_past_can_be_asked(who: Person) -> None:
    add(who, "I live in Graz.")
    assert [row["text"] for row in history(who)["rows"]] == ["Anna lives in Graz."]
    assert history(who, as_of="2020-01-01")["rows"] == []
    with pytest.raises(InvalidInput, match="'yesterday' is no day"):
        history(who, as_of="yesterday")
