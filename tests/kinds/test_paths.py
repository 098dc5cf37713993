from __future__ import annotations

from pathlib import PurePosixPath

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from everlore.errors import InvalidInput
from everlore.kinds.paths import (
    LONGEST_NAME,
    Located,
    decode_name,
    decode_path,
    encode_name,
    encode_path,
    locate,
    log_path,
    log_paths,
    owner_dir,
    sheet_path,
)
from everlore.kinds.registry import all_kinds, kind
from everlore.types import Owner, Scope

ALICE = Owner(Scope(), "user", "alice")
BOT = Owner(Scope("shop", "eu"), "agent", "bot")
NOV_15 = 1_794_736_800_000  # 2026-11-15T10:00:00Z

ids = st.one_of(
    st.text(min_size=1, max_size=80),
    st.text("aA.%/\\~ #_-", min_size=1, max_size=12),
    st.text(".%aé", min_size=150, max_size=400),
    st.sampled_from(["CON", "nul.txt", "com1", "LPT9.x.y", ".", "..", "...", ".everlore", "x.", "default", "\ud800"]),
)


def safe(name: str) -> bool:
    plain = all(char.isascii() and (char.isalnum() or char in "_.@+-%") for char in name)
    return plain and name == name.strip(".") and len(name) <= LONGEST_NAME


@settings(max_examples=100, deadline=None)
@given(ids)
def test_names_are_reversible_and_safe(text: str) -> None:
    assert decode_name(encode_name(text)) == text
    names = encode_path(text)
    assert decode_path(names) == text
    assert all(safe(name) for name in names)
    assert all(name.endswith("%") for name in names[:-1])
    assert not names[-1].endswith("%")


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("alice", "alice"),
        ("a.b@c+d-e_F", "a.b@c+d-e_F"),
        ("a/b", "a%2Fb"),
        ("é", "%C3%A9"),
        (".", "%2E"),
        ("..", "%2E%2E"),
        (".everlore", "%2Eeverlore"),
        ("end.", "end%2E"),
        ("con", "%63on"),
        ("NUL.md", "%4EUL.md"),
        ("COM1", "%43OM1"),
        ("console", "console"),
    ],
)
def test_encoded_names(text: str, name: str) -> None:
    assert encode_name(text) == name


def test_an_empty_id_is_refused() -> None:
    with pytest.raises(InvalidInput):
        encode_name("")


@pytest.mark.parametrize("name", ["a b", "%", "%2", "%2f", "a/b", "%FF", "é", ""])
def test_what_is_not_an_encoded_name_is_refused(name: str) -> None:
    with pytest.raises(InvalidInput):
        decode_name(name)


def test_an_id_that_is_too_long_is_refused_with_the_limit() -> None:
    assert decode_path(encode_path("x" * 3000)) == "x" * 3000
    with pytest.raises(InvalidInput, match="below 3000 bytes"):
        encode_path("x" * 3001)


@settings(max_examples=100, deadline=None)
@given(app=ids, project=ids, owner=ids, track=st.sampled_from(["users", "agents"]))
def test_locate_undoes_every_path(app: str, project: str, owner: str, track: str) -> None:
    who = Owner(Scope(app, project), "user" if track == "users" else "agent", owner)
    for known in all_kinds():
        if known.track != who.track:
            continue
        if not known.has_own_file:
            assert locate(log_path(known, who, NOV_15)) == Located(who, known, day="2026-11-15")
        else:
            name = owner if "*" in known.layout.pattern else ""
            assert locate(sheet_path(known, who, name)) == Located(who, known, name=name)


@settings(max_examples=100, deadline=None)
@given(ids, ids)
def test_different_owners_never_share_a_folder(first: str, second: str) -> None:
    one, other = (owner_dir(Owner(Scope(), "user", ident)) for ident in (first, second))
    assert (one == other) == (first == second)
    assert one == other or (one not in other.parents and other not in one.parents)


def test_the_default_scope_has_its_own_folders() -> None:
    assert owner_dir(ALICE) == PurePosixPath("default_app/default_project/users/alice")
    literal = Owner(Scope("default_app", "default_project"), "user", "alice")
    assert owner_dir(literal) == PurePosixPath("%64efault_app/%64efault_project/users/alice")
    swapped = Owner(Scope("default_project", "default_app"), "user", "alice")
    assert owner_dir(swapped) == PurePosixPath("default_project/default_app/users/alice")
    assert {locate(f"{owner_dir(who)}/user.md") for who in (ALICE, literal, swapped)} == {
        Located(who, kind("profile")) for who in (ALICE, literal, swapped)
    }


def test_written_paths() -> None:
    base = "default_app/default_project/users/alice"
    assert log_path(kind("episode"), ALICE, NOV_15) == f"{base}/episodes/episode-2026-11-15.md"
    assert log_path(kind("fact"), ALICE, NOV_15) == f"{base}/facts/fact-2026-11-15.md"
    assert sheet_path(kind("profile"), ALICE) == f"{base}/user.md"
    assert log_path(kind("case"), BOT, NOV_15) == "shop/eu/agents/bot/cases/case-2026-11-15.md"
    assert sheet_path(kind("skill"), BOT, "fix-tests") == "shop/eu/agents/bot/skills/fix-tests/SKILL.md"


def test_files_of_everos_are_read_but_not_written() -> None:
    facts = "default_app/default_project/users/alice/.atomic_facts/atomic_fact-2026-11-15.md"
    cases = "shop/eu/agents/bot/.cases/agent_case-2026-11-15.md"
    assert locate(facts) == Located(ALICE, kind("fact"), day="2026-11-15")
    assert locate(cases) == Located(BOT, kind("case"), day="2026-11-15")
    assert log_paths(kind("fact"), ALICE, NOV_15) == (log_path(kind("fact"), ALICE, NOV_15), facts)
    assert locate("shop/eu/agents/bot/skills/skill_fix/SKILL.md") == Located(BOT, kind("skill"), name="skill_fix")


def test_a_skill_folder_may_have_any_name_a_person_gives_it() -> None:
    assert locate("shop/eu/agents/bot/skills/Fix the tests/SKILL.md") == Located(
        BOT, kind("skill"), name="Fix the tests"
    )


@pytest.mark.parametrize(
    "path",
    [
        "",
        "README.md",
        "config.toml",
        ".everlore/a/users/alice/user.md",
        ".obsidian/p/users/alice/user.md",
        ".trash/p/users/alice/user.md",
        "a/p/users/alice",
        "a/p/users/alice/notes.md",
        "a/p/others/alice/user.md",
        "a/p/agents/alice/user.md",
        "a/p/users/bot/cases/case-2026-11-15.md",
        "a/p/users/alice/episodes/episode-2026-13-15.md",
        "a/p/users/alice/episodes/fact-2026-11-15.md",
        "a/p/users/alice/episodes/episode-2026-11-15.md~",
        "a/p/users/alice/episodes/.episode-2026-11-15.md.swp",
        "a/p/users/alice/episodes/.#episode-2026-11-15.md",
        "a/p/users/alice/episodes/#episode-2026-11-15.md#",
        "a/p/users/alice/episodes/4913",
        "a/p/users/alice/episodes/episode-2026-11-15.md.tmp",
        "a/p/users/alice/episodes/x/episode-2026-11-15.md",
        "a/p/users/.alice/user.md",
        "a/p/users/al%69ce/user.md",
        "a/p/users/al%/ice/user.md",
        "a/p/users/%/user.md",
        "a/default/users/alice/user.md",
        "a/p/agents/bot/skills/SKILL.md",
        "a/p/agents/bot/skills/x/y/SKILL.md",
        "a/p/agents/bot/skills/.x/SKILL.md",
        "a/p/agents/bot/skills/x/references/SKILL.md",
        "a/../users/alice/user.md",
    ],
)
def test_other_files_are_none_of_our_business(path: str) -> None:
    assert locate(path) is None


def test_a_kind_belongs_to_its_track() -> None:
    with pytest.raises(InvalidInput):
        log_path(kind("case"), ALICE, NOV_15)
    with pytest.raises(InvalidInput):
        sheet_path(kind("profile"), BOT)
