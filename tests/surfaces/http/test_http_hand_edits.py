"""What a person does to the files, as a client of the server sees it afterwards."""

from __future__ import annotations

import shutil
import time
from collections.abc import Sequence
from pathlib import Path

import pytest
from serving import Api

pytestmark = pytest.mark.looks_at_files

TOLD = ("I climb in Yosemite.", "My dog is called Rex.", "I work at Siemens.")
AT = 1_780_000_000_000
FIRST, SECOND, THIRD = (f"alice_ep_20260528_0000000{number}" for number in (1, 2, 3))
SKILL = "---\nid: sk_20260528_00000001\nname: tea\ndescription: Making tea\n---\nBoil the water first.\n"


@pytest.fixture
def alice(api: Api) -> Path:
    """Her folder, with three episodes of one day."""
    for number, text in enumerate(TOLD):
        api.tell(f"s{number}", text, at=AT + 60_000 * number)
    return api.root / api.app_id / api.project_id / "users/alice"


def day(alice: Path) -> Path:
    return alice / "episodes/episode-2026-05-28.md"


def entry(text: str, public_id: str) -> str:
    ident = public_id.removeprefix("alice_")
    end = f"<!-- /entry:{ident} -->\n"
    return text[text.index(f"<!-- entry:{ident} -->") : text.index(end) + len(end)]


def write(file: Path, text: str) -> None:
    file.write_text(text, encoding="utf-8")


def listed(api: Api) -> list[str]:
    found = api.ok("get", user_id="alice", memory_type="episode", sort_order="asc")["episodes"]
    return [item["id"] for item in found]


def become(api: Api, ids: Sequence[str]) -> None:
    deadline = time.monotonic() + 10
    while listed(api) != list(ids) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert listed(api) == list(ids)


def problems(api: Api) -> list[str]:
    return [told for told in api.client.get("/health").json()["problems"] if api.app_id in told]


def reported(api: Api, words: str) -> None:
    deadline = time.monotonic() + 10
    while not any(words in told for told in problems(api)) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert any(words in told for told in problems(api)), problems(api)


def settled(api: Api) -> None:
    """Until nothing is wrong any more."""
    deadline = time.monotonic() + 10
    while problems(api) and time.monotonic() < deadline:
        time.sleep(0.05)
    assert problems(api) == []


def holding(alice: Path, word: str) -> list[str]:
    return sorted(file.name for file in alice.rglob("*.md") if word in file.read_text(encoding="utf-8"))


def test_an_entry_deleted_beside_a_repeated_one_is_forgotten(api: Api, alice: Path) -> None:
    text = day(alice).read_text(encoding="utf-8")
    write(day(alice), text.replace(entry(text, FIRST), "") + "\n" + entry(text, THIRD))
    become(api, [SECOND, THIRD])
    assert holding(alice, "Yosemite") == []
    assert "is there twice" in problems(api)[0]


def test_the_api_deletes_also_where_another_entry_cannot_be_read(api: Api, alice: Path) -> None:
    text = day(alice).read_text(encoding="utf-8")
    ident = THIRD.removeprefix("alice_")
    write(day(alice), text.replace(f"<!-- /entry:{ident} -->\n", ""))  # the file breaks off
    reported(api, "has no closing marker")
    assert listed(api) == [FIRST, SECOND, THIRD]
    assert api.ok("delete", user_id="alice", id=SECOND)["deleted"] == 2
    assert listed(api) == [FIRST, THIRD]
    assert holding(alice, "Rex") == []


def test_of_a_file_that_breaks_off_nothing_is_taken_for_deleted(api: Api, alice: Path) -> None:
    text = day(alice).read_text(encoding="utf-8")
    write(day(alice), text[: text.index("My dog is called Rex.")])
    reported(api, "has no closing marker")
    time.sleep(1)
    assert listed(api) == [FIRST, SECOND, THIRD]
    assert "fact-2026-05-28.md" in holding(alice, "Siemens")


def test_the_api_deletes_every_copy_of_an_entry(api: Api, alice: Path) -> None:
    text = day(alice).read_text(encoding="utf-8")
    write(day(alice), text + "\n" + entry(text, SECOND).replace("Rex", "Max") + "\n" + entry(text, SECOND))
    reported(api, "is there twice")
    api.ok("delete", user_id="alice", id=SECOND)
    assert listed(api) == [FIRST, THIRD]
    assert holding(alice, "Rex") == holding(alice, "Max") == []
    settled(api)


def test_an_entry_that_cannot_be_found_in_its_file_is_not_deleted_and_the_answer_says_why(
    api: Api, alice: Path
) -> None:
    ident = SECOND.removeprefix("alice_")
    text = day(alice).read_text(encoding="utf-8")
    write(day(alice), text.replace(f"<!-- /entry:{ident} -->\n", ""))
    reported(api, "has no closing marker")
    said = api.refused("delete", 503, user_id="alice", id=SECOND)
    assert f"entry {ident} has no closing marker" in said


def test_nothing_is_deleted_while_the_profile_cannot_lose_it(api: Api, alice: Path) -> None:
    profile = alice / "user.md"
    good = profile.read_text(encoding="utf-8")
    assert "Rex" in good
    write(profile, good.replace("explicit_info:", "explicit_info: ["))
    reported(api, "not valid YAML")
    assert "user.md, line" in api.refused("delete", 503, user_id="alice", id=SECOND)
    assert listed(api) == [FIRST, SECOND, THIRD]
    write(profile, good)
    settled(api)
    api.ok("delete", user_id="alice", id=SECOND)
    assert holding(alice, "Rex") == []


@pytest.mark.parametrize("kept", ["episode-2026-05-28.md", "episode-2026-05-29.md"])
def test_a_copied_file_is_reported_and_either_of_the_two_may_go(api: Api, alice: Path, kept: str) -> None:
    copy = day(alice).with_name("episode-2026-05-29.md")
    shutil.copy(day(alice), copy)
    reported(api, "is there twice, also in")
    assert len(problems(api)) == 3
    assert all(copy.name in told and day(alice).name in told for told in problems(api))
    facts = (alice / "facts/fact-2026-05-28.md").read_bytes()
    (copy if kept == day(alice).name else day(alice)).unlink()
    settled(api)
    time.sleep(1)
    assert listed(api) == [FIRST, SECOND, THIRD]
    assert (alice / "facts/fact-2026-05-28.md").read_bytes() == facts
    assert "Rex" in str(api.ok("search", user_id="alice", query="What is my dog called?", method="keyword"))


def test_a_copied_skill_is_reported_until_it_has_an_id_of_its_own(api: Api) -> None:
    skills = api.root / api.app_id / api.project_id / "agents/bot/skills"
    (skills / "tea").mkdir(parents=True)
    write(skills / "tea/SKILL.md", SKILL)
    api.until("get", lambda data: data["total_count"] == 1, agent_id="bot", memory_type="agent_skill")
    shutil.copytree(skills / "tea", skills / "coffee")
    reported(api, "is there twice, also in")
    write(skills / "coffee/SKILL.md", SKILL.replace("00000001", "00000002").replace("tea", "coffee"))
    settled(api)
    data = api.ok("get", agent_id="bot", memory_type="agent_skill")
    assert sorted(item["name"] for item in data["agent_skills"]) == ["coffee", "tea"]


def test_the_api_deletes_a_memory_with_its_copies_in_other_files(api: Api) -> None:
    skills = api.root / api.app_id / api.project_id / "agents/bot/skills"
    (skills / "tea").mkdir(parents=True)
    write(skills / "tea/SKILL.md", SKILL)
    api.until("get", lambda data: data["total_count"] == 1, agent_id="bot", memory_type="agent_skill")
    shutil.copytree(skills / "tea", skills / "more tea")
    reported(api, "is there twice, also in")
    api.ok("delete", agent_id="bot", id="bot_sk_20260528_00000001")
    assert api.ok("get", agent_id="bot", memory_type="agent_skill")["total_count"] == 0
    assert list(skills.rglob("*.md")) == []
